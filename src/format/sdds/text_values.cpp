#include "format/sdds/text_values.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "format/text/tokens.hpp"
#include "kernels/number_text.hpp"
#include "quire/base/error.hpp"

namespace quire::sdds {
namespace {

[[nodiscard]] std::string octal_escape(unsigned char byte) {
  return {'\\', static_cast<char>('0' + byte / 64), static_cast<char>('0' + byte / 8 % 8),
          static_cast<char>('0' + byte % 8)};
}

[[nodiscard]] std::string escaped_byte(char c, bool is_character) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte < 0x20 || byte == 0x7f || (is_character && c == ' ')) return octal_escape(byte);
  // A backslash is written as an octal escape, because a header value must not end with a backslash.
  if (c == '\\') return octal_escape(byte);
  if (c == '"') return "\\\"";
  return {c};
}

}  // namespace

std::string quoted_begin(std::string_view text) {
  constexpr std::size_t most = 40;  // bytes
  return "\"" + std::string(text.substr(0, most)) + "\"";
}

ParameterText read_parameter(Type type, std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (type == Type::string) {
    if (line.starts_with('"')) line = text::next_token(line).value_or(std::string_view());
    return {Value(text::unescaped(line)), {}};
  }
  const auto token = text::next_token(line);
  if (!token) return {};
  if (type == Type::character) {
    const std::string bytes = text::unescaped(*token);
    return {Value(bytes.empty() ? '\0' : bytes.front()), {}};
  }
  std::array<std::byte, 16> number{};
  const char* end = token->data() + token->size();
  const auto found = kernels::parse_number(type, token->data(), end, number.data());
  if (!found) return {};
  const std::string shown = quoted_begin(*token);
  std::string tolerance;
  if (!text::is_blank({found.end, static_cast<std::size_t>(end - found.end)})) {
    tolerance = shown + " has text after the number, which is ignored";
  } else if (!found.fits) {
    tolerance = shown + " is outside of the range of the type and is truncated";
  }
  return {Value::numbers(type, {}, std::span(number).first(size_of(type))), std::move(tolerance)};
}

std::optional<Value> parameter_from(Type type, std::string_view line) { return read_parameter(type, line).value; }

std::string parameter_line(const Value& value) {
  if (value.type() != Type::string && value.type() != Type::character) return value.as_text();
  const bool is_character = value.type() == Type::character;
  const std::string text =
      is_character ? std::string(1, static_cast<char>(value.bytes().front())) : value.strings().front();
  if (!is_character && text.find('\0') != std::string::npos) {
    throw Error(ErrorKind::unsupported, "a fixed string value cannot contain a zero byte");
  }
  std::string line;
  for (const char c : text) line += escaped_byte(c, is_character);
  return line;
}

}  // namespace quire::sdds
