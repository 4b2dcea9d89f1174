#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "quire/base/error.hpp"
#include "quire/kernels/number_text.hpp"
#include "quire/model/dispatch.hpp"

namespace quire::kernels {
namespace {

[[nodiscard]] bool is_white(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

[[nodiscard]] bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// A sign in front of a number; from_chars refuses a plus, and a second sign is no number.
struct Sign {
  const char* first;
  bool negative = false;
};

[[nodiscard]] Sign take_sign(const char* first, const char* last) noexcept {
  while (first != last && is_white(*first)) ++first;
  if (first != last && (*first == '-' || *first == '+')) return {first + 1, *first == '-'};
  return {first};
}

/// Digits as a 64-bit value that saturates: signed or, for uint64, modulo 2^64 with saturation of the magnitude, as
/// strtoll and strtoull have it; then cut to the type.
template <class Number>
[[nodiscard]] NumberText parse_integer(const char* first, const char* last, Number& number) {
  const Sign sign = take_sign(first, last);
  if (sign.first == last || !is_digit(*sign.first)) return {};
  std::uint64_t magnitude = 0;
  const auto result = std::from_chars(sign.first, last, magnitude);
  bool fits = result.ec == std::errc();
  if (!fits) magnitude = std::numeric_limits<std::uint64_t>::max();
  if constexpr (std::is_same_v<Number, std::uint64_t>) {
    number = sign.negative && fits ? 0 - magnitude : magnitude;
    return {result.ptr, fits && !(sign.negative && magnitude != 0)};
  } else {
    constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
    const std::uint64_t limit = sign.negative ? largest + 1 : largest;
    fits = fits && magnitude <= limit;
    magnitude = std::min(magnitude, limit);
    const auto wide = static_cast<std::int64_t>(sign.negative ? 0 - magnitude : magnitude);
    number = static_cast<Number>(wide);
    return {result.ptr, fits && static_cast<std::int64_t>(number) == wide};
  }
}

/// Whether a decimal number that is out of range is too large, not too small: by the place of its first digit that is
/// not zero, and its exponent.
[[nodiscard]] bool is_huge(std::string_view text) noexcept {
  const std::size_t at = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, at);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t leading = digits.find_first_of("123456789");
  if (leading == std::string_view::npos) return false;
  const auto place = static_cast<std::int64_t>(point) - static_cast<std::int64_t>(leading);
  std::string_view power = text.substr(std::min(at + 1, text.size()));
  const bool negative = power.starts_with('-');
  if (negative || power.starts_with('+')) power.remove_prefix(1);
  std::int64_t exponent = 0;
  if (std::from_chars(power.data(), power.data() + power.size(), exponent).ec == std::errc::result_out_of_range) {
    exponent = std::numeric_limits<std::int64_t>::max() / 2;
  }
  return place + (negative ? -exponent : exponent) > 0;
}

/// A number whose magnitude, without a sign, is no finite normal value of the type.
template <class Number>
[[nodiscard]] Number out_of_range(const char* first, const char* end, std::chars_format format) {
  if constexpr (sizeof(Number) < sizeof(long double)) {
    long double wide = 0;
    if (std::from_chars(first, end, wide, format).ec == std::errc()) return static_cast<Number>(wide);
  }
  const std::string_view text(first, static_cast<std::size_t>(end - first));
  const bool huge = format == std::chars_format::hex
                        ? text.find("p-") == std::string_view::npos && text.find("P-") == std::string_view::npos
                        : is_huge(text);
  return huge ? std::numeric_limits<Number>::infinity() : Number{0};
}

/// What from_chars does not take: a plus, white space in front, hexadecimal numbers, numbers out of range.
template <class Number>
[[nodiscard]] [[gnu::noinline]] NumberText parse_unusual(const char* first, const char* last, Number& number) {
  const Sign sign = take_sign(first, last);
  first = sign.first;
  if (first == last || *first == '-' || *first == '+') return {};
  const auto give = [&](Number magnitude, const char* end) {
    number = sign.negative ? -magnitude : magnitude;
    return NumberText{end};
  };
  Number magnitude = 0;
  auto format = std::chars_format::general;
  const bool hexadecimal = last - first > 2 && first[0] == '0' && (first[1] == 'x' || first[1] == 'X');
  if (hexadecimal) {
    const bool has_digits = first[2] != '-' && first[2] != '+';
    format = std::chars_format::hex;
    const auto result = std::from_chars(first + 2, last, magnitude, format);
    if (!has_digits || result.ec == std::errc::invalid_argument) return give(0, first + 1);  // the zero before the x
    if (result.ec == std::errc()) return give(magnitude, result.ptr);
    return give(out_of_range<Number>(first + 2, result.ptr, format), result.ptr);
  }
  const auto result = std::from_chars(first, last, magnitude, format);
  if (result.ec == std::errc::invalid_argument) return {};
  if (result.ec == std::errc()) return give(magnitude, result.ptr);
  return give(out_of_range<Number>(first, result.ptr, format), result.ptr);
}

template <class Number>
[[nodiscard]] NumberText parse_floating(const char* first, const char* last, Number& number) {
  // Nearly every number begins so, and ends with what from_chars takes.
  if (first != last && (is_digit(*first) || *first == '-' || *first == '.')) {
    const char* digits = first + (*first == '-' ? 1 : 0);
    const bool hexadecimal = last - digits > 2 && *digits == '0' && (digits[1] == 'x' || digits[1] == 'X');
    if (!hexadecimal) {
      const auto result = std::from_chars(first, last, number);
      if (result.ec == std::errc()) return {result.ptr};
    }
  }
  return parse_unusual(first, last, number);
}

}  // namespace

template <class Number>
NumberText parse_number(const char* first, const char* last, Number& number) {
  if constexpr (std::is_floating_point_v<Number>) {
    return parse_floating(first, last, number);
  } else {
    return parse_integer(first, last, number);
  }
}

template NumberText parse_number(const char*, const char*, std::int8_t&);
template NumberText parse_number(const char*, const char*, std::uint8_t&);
template NumberText parse_number(const char*, const char*, std::int16_t&);
template NumberText parse_number(const char*, const char*, std::uint16_t&);
template NumberText parse_number(const char*, const char*, std::int32_t&);
template NumberText parse_number(const char*, const char*, std::uint32_t&);
template NumberText parse_number(const char*, const char*, std::int64_t&);
template NumberText parse_number(const char*, const char*, std::uint64_t&);
template NumberText parse_number(const char*, const char*, float&);
template NumberText parse_number(const char*, const char*, double&);
template NumberText parse_number(const char*, const char*, long double&);

NumberText parse_number(Type type, const char* first, const char* last, std::byte* out) {
  if (type == Type::string || type == Type::character) {
    throw Error(ErrorKind::internal, std::string(name(type)) + " values are no numbers");
  }
  return visit_type(type, [&]<class Number>(std::type_identity<Number>) -> NumberText {
    if constexpr (std::is_same_v<Number, char>) {
      return {};
    } else {
      Number number{};
      const NumberText found = parse_number(first, last, number);
      constexpr std::size_t used = std::is_same_v<Number, long double> ? 10 : sizeof(Number);
      if (found) {
        std::memset(out + used, 0, sizeof(Number) - used);
        std::memcpy(out, &number, used);
      }
      return found;
    }
  });
}

}  // namespace quire::kernels
