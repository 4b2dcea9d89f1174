#include "format/text/token_print.hpp"

#include <array>
#include <cstdint>

namespace quire::text {
namespace {

/// How a byte of a string is written.
enum class Escape : std::uint8_t { none, backslash, octal };

[[nodiscard]] constexpr bool is_white(unsigned char byte) noexcept {
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

[[nodiscard]] constexpr Escape escape_of(unsigned char byte, TextStyle style) noexcept {
  if (byte == '!') return style == TextStyle::lossless ? Escape::octal : Escape::backslash;
  if (byte == '\\' || byte == '"') return Escape::backslash;
  return byte < 0x20 || byte == 0x7f ? Escape::octal : Escape::none;
}

using Table = std::array<Escape, 256>;

[[nodiscard]] constexpr Table table_for(TextStyle style) noexcept {
  Table table{};
  for (std::size_t byte = 0; byte < table.size(); ++byte) {
    table[byte] = escape_of(static_cast<unsigned char>(byte), style);
  }
  return table;
}

constexpr Table lossless = table_for(TextStyle::lossless);
constexpr Table canonical = table_for(TextStyle::canonical);

[[nodiscard]] const Table& table_of(TextStyle style) noexcept {
  return style == TextStyle::lossless ? lossless : canonical;
}

[[nodiscard]] constexpr std::size_t size_of(Escape escape) noexcept {
  return escape == Escape::none ? 1 : escape == Escape::backslash ? 2 : 4;
}

char* print_octal(unsigned char byte, char* out) noexcept {
  *out++ = '\\';
  *out++ = static_cast<char>('0' + byte / 64);
  *out++ = static_cast<char>('0' + byte / 8 % 8);
  *out++ = static_cast<char>('0' + byte % 8);
  return out;
}

char* print_byte(unsigned char byte, Escape escape, char* out) noexcept {
  if (escape == Escape::octal) return print_octal(byte, out);
  if (escape == Escape::backslash) *out++ = '\\';
  *out++ = static_cast<char>(byte);
  return out;
}

[[nodiscard]] bool needs_quotes(std::string_view text) noexcept {
  if (text.empty()) return true;
  for (const char c : text) {
    if (is_white(static_cast<unsigned char>(c))) return true;
  }
  return false;
}

/// How many backslashes at the end are written by number: the reference implementation takes an escaped backslash
/// behind an escaped backslash and a quotation mark for a mark that does not close.
[[nodiscard]] std::size_t numbered_backslashes(std::string_view text, TextStyle style, bool quoted) noexcept {
  if (style == TextStyle::canonical || !quoted) return 0;
  const std::size_t last = text.find_last_not_of('\\');
  const std::size_t count = text.size() - (last == std::string_view::npos ? 0 : last + 1);
  return count < 2 ? 0 : count;
}

[[nodiscard]] Escape escape_of_character(char c, TextStyle style) noexcept {
  return c == ' ' ? Escape::octal : table_of(style)[static_cast<unsigned char>(c)];
}

}  // namespace

char* print_string(std::string_view text, TextStyle style, char* out) noexcept {
  const bool quoted = needs_quotes(text);
  const std::size_t numbered = numbered_backslashes(text, style, quoted);
  const Table& table = table_of(style);
  if (quoted) *out++ = '"';
  for (const char c : text.substr(0, text.size() - numbered)) {
    const auto byte = static_cast<unsigned char>(c);
    out = print_byte(byte, table[byte], out);
  }
  for (std::size_t i = 0; i < numbered; ++i) out = print_octal('\\', out);
  if (quoted) *out++ = '"';
  return out;
}

std::size_t string_bytes(std::string_view text, TextStyle style) noexcept {
  const bool quoted = needs_quotes(text);
  const std::size_t numbered = numbered_backslashes(text, style, quoted);
  const Table& table = table_of(style);
  std::size_t bytes = (quoted ? 2 : 0) + numbered * size_of(Escape::octal);
  for (const char c : text.substr(0, text.size() - numbered)) bytes += size_of(table[static_cast<unsigned char>(c)]);
  return bytes;
}

bool has_zero_byte(std::string_view text) noexcept { return text.find('\0') != std::string_view::npos; }

char* print_character(char c, TextStyle style, char* out) noexcept {
  return print_byte(static_cast<unsigned char>(c), escape_of_character(c, style), out);
}

std::size_t character_bytes(char c, TextStyle style) noexcept { return size_of(escape_of_character(c, style)); }

}  // namespace quire::text
