#include "format/sdds/text_values.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>

#include "quire/base/error.hpp"
#include "quire/model/dispatch.hpp"

namespace quire::sdds {
namespace {

constexpr std::string_view white_space = " \t\r\n\v\f";

[[nodiscard]] bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

[[nodiscard]] std::optional<char> simple_escape(char c) noexcept {
  constexpr std::string_view letters = "ntbrfva\\'\"?!";
  constexpr std::string_view meanings = "\n\t\b\r\f\v\a\\'\"?!";
  const std::size_t found = letters.find(c);
  if (found == std::string_view::npos) return std::nullopt;
  return meanings[found];
}

[[nodiscard]] std::string_view without_leading_space(std::string_view text) {
  const std::size_t first = text.find_first_not_of(white_space);
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

/// Digits with an optional sign as a 64-bit value that saturates; signed or, for `unsigned_range`, modulo 2^64 with
/// saturation of the magnitude, as strtoll and strtoull have it.
[[nodiscard]] std::optional<std::uint64_t> saturated_integer(std::string_view text, bool unsigned_range) {
  bool negative = false;
  if (text.starts_with('-') || text.starts_with('+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  std::uint64_t magnitude = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), magnitude);
  const bool overflow = result.ec == std::errc::result_out_of_range;
  if (unsigned_range) {
    if (overflow) return std::numeric_limits<std::uint64_t>::max();
    return negative ? 0 - magnitude : magnitude;
  }
  constexpr std::uint64_t largest = std::numeric_limits<std::int64_t>::max();
  if (overflow || magnitude > largest) magnitude = negative ? largest + 1 : largest;
  return negative ? 0 - magnitude : magnitude;
}

/// What a number becomes that from_chars calls out of range: zero if it is too small, infinity if it is too large.
template <class Number>
[[nodiscard]] Number out_of_range_number(std::string_view text) {
  if constexpr (sizeof(Number) < sizeof(long double)) {
    long double wide = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), wide);
    if (result.ec == std::errc()) return static_cast<Number>(wide);
  }
  const std::size_t exponent = text.find_first_of("eE");
  const bool tiny = exponent != std::string_view::npos && exponent + 1 < text.size() && text[exponent + 1] == '-';
  return tiny ? Number{0} : std::numeric_limits<Number>::infinity();
}

template <class Number>
[[nodiscard]] std::optional<Number> floating_number(std::string_view text) {
  bool negative = false;
  if (text.starts_with('-') || text.starts_with('+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || text.front() == '-' || text.front() == '+') return std::nullopt;
  Number number = 0;
  std::from_chars_result result{};
  const bool hexadecimal = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  if (hexadecimal) {
    result = std::from_chars(text.data() + 2, text.data() + text.size(), number, std::chars_format::hex);
    if (result.ec == std::errc::invalid_argument) return negative ? -Number{0} : Number{0};  // the zero before the x
  } else {
    result = std::from_chars(text.data(), text.data() + text.size(), number);
  }
  if (result.ec == std::errc::invalid_argument) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) number = out_of_range_number<Number>(text);
  return negative ? -number : number;
}

/// The number of the C++ type of the type.
template <class Number>
[[nodiscard]] std::optional<Value> number_as(std::string_view token) {
  if constexpr (std::is_floating_point_v<Number>) {
    const auto number = floating_number<Number>(token);
    return number ? std::optional(Value(*number)) : std::nullopt;
  } else {
    const auto number = saturated_integer(token, std::is_same_v<Number, std::uint64_t>);
    return number ? std::optional(Value(static_cast<Number>(*number))) : std::nullopt;
  }
}

[[nodiscard]] std::string octal_escape(unsigned char byte) {
  return {'\\', static_cast<char>('0' + byte / 64), static_cast<char>('0' + byte / 8 % 8),
          static_cast<char>('0' + byte % 8)};
}

[[nodiscard]] std::string escaped_byte(char c, bool is_character) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x20 || byte == 0x7f || (is_character && c == ' ')) return octal_escape(byte);
  // A backslash is written as a number, for a header value must not end in one.
  if (c == '\\') return octal_escape(byte);
  if (c == '"') return "\\\"";
  return {c};
}

}  // namespace

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      if (const auto simple = simple_escape(text[i + 1])) {
        c = *simple;
        ++i;
      } else if (is_digit(text[i + 1])) {
        unsigned code = 0;
        for (int digits = 0; digits < 3 && i + 1 < text.size() && is_digit(text[i + 1]); ++digits) {
          code = code * 8 + static_cast<unsigned>(text[++i] - '0');
        }
        c = static_cast<char>(code % 256);
        if (c == '\0') return result;
      }
    }
    if (c == '\0') return result;
    result += c;
  }
  return result;
}

std::optional<std::string_view> next_token(std::string_view& line) {
  line = without_leading_space(line);
  if (line.empty()) return std::nullopt;
  const bool enclosed = line.front() == '"';
  if (enclosed) line.remove_prefix(1);
  bool quoted = enclosed;
  std::size_t end = 0;
  for (; end < line.size(); ++end) {
    if (line[end] == '\\') {
      ++end;  // with the character behind it one unit
    } else if (line[end] == '"') {
      if (enclosed) break;
      quoted = !quoted;
    } else if (!quoted && white_space.find(line[end]) != std::string_view::npos) {
      break;
    }
  }
  end = std::min(end, line.size());
  const std::string_view token = line.substr(0, end);
  line.remove_prefix(std::min(line.size(), enclosed ? end + 1 : end));
  return token;
}

std::optional<Value> number_from(Type type, std::string_view token) {
  token = without_leading_space(token);
  if (token.empty()) return std::nullopt;
  return visit_type(type, [token]<class Number>(std::type_identity<Number>) { return number_as<Number>(token); });
}

std::optional<Value> parameter_from(Type type, std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (type == Type::string) {
    if (line.starts_with('"')) line = next_token(line).value_or(std::string_view());
    return Value(unescaped(line));
  }
  const auto token = next_token(line);
  if (!token) return std::nullopt;
  if (type != Type::character) return number_from(type, *token);
  const std::string bytes = unescaped(*token);
  return Value(bytes.empty() ? '\0' : bytes.front());
}

std::string parameter_line(const Value& value) {
  if (value.type() != Type::string && value.type() != Type::character) return value.as_text();
  const bool is_character = value.type() == Type::character;
  const std::string text =
      is_character ? std::string(1, static_cast<char>(value.bytes().front())) : value.strings().front();
  if (!is_character && text.find('\0') != std::string::npos) {
    throw Error(ErrorKind::unsupported, "a fixed string value cannot hold a zero byte");
  }
  std::string line;
  for (const char c : text) line += escaped_byte(c, is_character);
  return line;
}

}  // namespace quire::sdds
