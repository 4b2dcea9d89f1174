#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "kernels/number_print.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/load.hpp"
#include "quire/spi/model/dispatch.hpp"

namespace quire::kernels {
namespace {

template <class Number>
char* print_shortest(const std::byte* value, char* out) {
  return std::to_chars(out, out + widest_number, load_at<Number>(value)).ptr;
}

/// The width and the decimals of a printf format.
struct Format {
  int width;
  int digits;
};
template <class Number>
inline constexpr Format format_of = std::is_same_v<Number, float>    ? Format{15, 8}
                                    : std::is_same_v<Number, double> ? Format{22, 15}
                                                                     : Format{22, 18};

template <class Number>
char* print_padded(const std::byte* value, char* out) {
  constexpr Format format = format_of<Number>;
  const Number number = load_at<Number>(value);
  // After one blank: the final place of most numbers without a sign.
  char* const text = out + 1;
  char* const end =
      std::to_chars(text, text + widest_number - 1, number, std::chars_format::scientific, format.digits).ptr;
  const auto length = end - text;
  *out = ' ';
  if (length + 1 == format.width) return end;
  const auto blanks = length < format.width ? format.width - length : 0;
  std::memmove(out + blanks, text, static_cast<std::size_t>(length));
  std::memset(out, ' ', static_cast<std::size_t>(blanks));
  return out + blanks + length;
}

template <class Integer>
[[nodiscard]] std::uint64_t digits_of(Integer number) noexcept {
  using Unsigned = std::make_unsigned_t<Integer>;
  auto magnitude = static_cast<std::uint64_t>(static_cast<Unsigned>(number));
  std::uint64_t bytes = 1;
  if constexpr (std::is_signed_v<Integer>) {
    if (number < 0) {
      magnitude = static_cast<std::uint64_t>(static_cast<Unsigned>(Unsigned{0} - static_cast<Unsigned>(number)));
      ++bytes;
    }
  }
  for (; magnitude >= 10; magnitude /= 10) ++bytes;
  return bytes;
}

/// True if the number has the width of its format for any digits: the exponent has two digits, and a sign replaces a
/// blank. Numbers near these limits are excluded.
[[nodiscard]] bool has_usual_width(double number) noexcept {
  const double magnitude = std::fabs(number);
  return (magnitude > 1e-98 && magnitude < 1e99) || magnitude == 0;
}

template <class Number>
[[nodiscard]] std::uint64_t bytes_of_one(const std::byte* value, NumberPrinter print, Digits digits) {
  if constexpr (std::is_integral_v<Number>) {
    return digits_of(load_at<Number>(value));
  } else {
    if (digits == Digits::printf) {
      // No float32 has an exponent of three digits.
      if constexpr (std::is_same_v<Number, float>) return format_of<float>.width;
      if constexpr (std::is_same_v<Number, double>) {
        if (has_usual_width(load_at<double>(value))) return format_of<double>.width;
      }
    }
    std::array<char, widest_number> text;
    return static_cast<std::uint64_t>(print(value, text.data()) - text.data());
  }
}

/// Calls `function` with the type_identity of a number type.
template <class Function>
decltype(auto) visit_number(Type type, Function&& function) {
  if (type == Type::character) throw Error(ErrorKind::internal, "a character was used as a number");
  return visit_type(type, std::forward<Function>(function));
}

}  // namespace

NumberPrinter number_printer(Type type, Digits digits) {
  return visit_number(type, [digits]<class Number>(std::type_identity<Number>) -> NumberPrinter {
    if constexpr (std::is_floating_point_v<Number>) {
      if (digits == Digits::printf) return &print_padded<Number>;
    }
    return &print_shortest<Number>;
  });
}

std::uint64_t printed_bytes(Type type, Digits digits, const Source& numbers, std::size_t count) {
  const NumberPrinter print = number_printer(type, digits);
  return visit_number(type, [&]<class Number>(std::type_identity<Number>) {
    std::uint64_t bytes = 0;
    const std::byte* value = numbers.data;
    for (std::size_t i = 0; i < count; ++i, value += numbers.stride) {
      bytes += bytes_of_one<Number>(value, print, digits);
    }
    return bytes;
  });
}

}  // namespace quire::kernels
