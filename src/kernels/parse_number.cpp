#include <algorithm>
#include <charconv>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "base/characters.hpp"
#include "kernels/number_text.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/model/dispatch.hpp"

namespace quire::kernels {
namespace {

/// A sign before a number; from_chars rejects a plus, and a second sign is an error.
struct Sign {
  const char* first;
  bool negative = false;
};

[[nodiscard]] Sign take_sign(const char* first, const char* last) noexcept {
  while (first != last && is_white(*first)) ++first;
  if (first != last && (*first == '-' || *first == '+')) return {first + 1, *first == '-'};
  return {first};
}

/// Digits as a 64-bit value that saturates: signed or, for unsigned types, modulo 2^64 with saturation of the
/// magnitude, as by strtoll and strtoull; then truncated to the type.
template <class Number>
[[nodiscard]] NumberText parse_integer(const char* first, const char* last, Number& number) {
  const Sign sign = take_sign(first, last);
  if (sign.first == last || !is_digit(*sign.first)) return {};
  std::uint64_t magnitude = 0;
  const auto result = std::from_chars(sign.first, last, magnitude);
  bool fits = result.ec == std::errc();
  if (!fits) magnitude = std::numeric_limits<std::uint64_t>::max();
  if constexpr (std::is_unsigned_v<Number>) {
    const std::uint64_t wide = sign.negative && fits ? 0 - magnitude : magnitude;
    number = static_cast<Number>(wide);
    return {result.ptr, fits && number == wide && !(sign.negative && magnitude != 0)};
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

/// The C locale, independent of that of the process.
[[nodiscard]] locale_t plain_locale() {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
  return locale;
}

/// A number whose magnitude is no normal finite value of the type: denormal, zero or infinity. `text` has no sign.
template <class Number>
[[nodiscard]] Number out_of_range(const std::string& text) {
  if constexpr (std::is_same_v<Number, float>) {
    return strtof_l(text.c_str(), nullptr, plain_locale());
  } else {
    return strtod_l(text.c_str(), nullptr, plain_locale());
  }
}

/// The end of digits with a point and an exponent, or null without a digit.
template <class IsDigit>
[[nodiscard]] const char* end_of_digits(const char* first, const char* last, IsDigit is_one, char exponent) {
  const auto skip = [&](const char* at) { return std::find_if_not(at, last, is_one); };
  const char* end = skip(first);
  bool any = end != first;
  if (end != last && *end == '.') {
    const char* fraction = skip(end + 1);
    any = any || fraction != end + 1;
    if (any) end = fraction;
  }
  if (!any) return nullptr;
  if (end != last && (*end | 0x20) == exponent) {
    const char* power = end + 1;
    if (power != last && (*power == '+' || *power == '-')) ++power;
    const char* digits = std::find_if_not(power, last, is_digit);
    if (digits != power) end = digits;
  }
  return end;
}

[[nodiscard]] bool is_hexadecimal_digit(char c) noexcept {
  return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/// Whether a number begins as hexadecimal. scanf cannot go back before the x: then it must be a number.
[[nodiscard]] bool is_hexadecimal(const char* first, const char* last) noexcept {
  return last - first >= 2 && first[0] == '0' && (first[1] | 0x20) == 'x';
}

/// Whether the x is followed neither by a digit nor by a point.
[[nodiscard]] bool lacks_digits(const char* first, const char* last) noexcept {
  return last - first == 2 || !(is_hexadecimal_digit(first[2]) || first[2] == '.');
}

/// Whether `end` is after the inf of a word that begins like infinity but is not: not a number for scanf.
[[nodiscard]] bool breaks_off(const char* first, const char* end, const char* last) noexcept {
  return end - first == 3 && (*first | 0x20) == 'i' && end != last && (*end | 0x20) == 'i';
}

/// The end of inf, infinity or nan in letters of any case, or null.
[[nodiscard]] const char* end_of_word(const char* first, const char* last) {
  for (const std::string_view word : {"infinity", "inf", "nan"}) {
    const auto size = static_cast<std::ptrdiff_t>(word.size());
    if (last - first >= size &&
        std::equal(word.begin(), word.end(), first, [](char a, char b) { return a == (b | 0x20); }))
      return breaks_off(first, first + size, last) ? nullptr : first + size;
  }
  return nullptr;
}

/// An 80-bit number without its sign. The standard library's from_chars for this type reads past `last` to the end of
/// the text.
[[nodiscard]] NumberText parse_long(const char* first, const char* last, long double& number) {
  const bool hexadecimal = is_hexadecimal(first, last);
  if (hexadecimal && lacks_digits(first, last)) return {};
  const char* end = hexadecimal ? end_of_digits(first + 2, last, is_hexadecimal_digit, 'p')
                                : end_of_digits(first, last, is_digit, 'e');
  if (end == nullptr) end = hexadecimal ? first + 1 : end_of_word(first, last);
  if (end == nullptr) return {};
  number = strtold_l(std::string(first, end).c_str(), nullptr, plain_locale());
  return {end};
}

/// Numbers that from_chars rejects: with a plus, leading white space, hexadecimal, out of range.
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
  if (is_hexadecimal(first, last)) {
    if (lacks_digits(first, last)) return {};
    const auto result = std::from_chars(first + 2, last, magnitude, std::chars_format::hex);
    if (result.ec == std::errc::invalid_argument) return give(0, first + 1);  // the zero before the x
    if (result.ec == std::errc()) return give(magnitude, result.ptr);
    return give(out_of_range<Number>({first, result.ptr}), result.ptr);
  }
  const auto result = std::from_chars(first, last, magnitude);
  if (result.ec == std::errc::invalid_argument || breaks_off(first, result.ptr, last)) return {};
  if (result.ec == std::errc()) return give(magnitude, result.ptr);
  return give(out_of_range<Number>({first, result.ptr}), result.ptr);
}

template <class Number>
[[nodiscard]] NumberText parse_floating(const char* first, const char* last, Number& number) {
  // The common case: nearly every number is accepted by from_chars.
  const char* digits = first + (first != last && *first == '-' ? 1 : 0);
  if (digits != last && (is_digit(*digits) || *digits == '.') && !is_hexadecimal(digits, last)) {
    const auto result = std::from_chars(first, last, number);
    if (result.ec == std::errc()) return {result.ptr};
  }
  return parse_unusual(first, last, number);
}

}  // namespace

template <class Number>
NumberText parse_number(const char* first, const char* last, Number& number) {
  if constexpr (std::is_same_v<Number, long double>) {
    const Sign sign = take_sign(first, last);
    const NumberText found = parse_long(sign.first, last, number);
    if (found && sign.negative) number = -number;
    return found;
  } else if constexpr (std::is_floating_point_v<Number>) {
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
    throw Error(ErrorKind::internal, std::string(name(type)) + " values are not numbers");
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
