#include "format/text/token_print.hpp"

#include <array>
#include <cstdint>

#include "base/characters.hpp"

namespace quire::text {
namespace {

/// How a byte of a string is written.
enum class Escape : std::uint8_t { none, backslash, octal };

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
    if (is_white(c)) return true;
  }
  return false;
}

/// The end of the run of backslashes that begins at `first`.
[[nodiscard]] std::size_t end_of_backslashes(std::string_view text, std::size_t first) noexcept {
  const std::size_t end = text.find_first_not_of('\\', first);
  return end == std::string_view::npos ? text.size() : end;
}

/// Calls act(byte, escape) for each byte of a string. In the lossless style, several backslashes before a quotation
/// mark (of the text or the closing one) are written as octal escapes: the reference implementation applies an escaped
/// backslash after an escaped backslash to the mark.
template <class Act>
void for_each_byte(std::string_view text, TextStyle style, bool quoted, const Act& act) noexcept {
  const Table& table = table_of(style);
  const bool numbers = quoted && style == TextStyle::lossless && text.find("\\\\") != std::string_view::npos;
  std::size_t numbered_to = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (numbers && byte == '\\' && (i == 0 || text[i - 1] != '\\')) {
      const std::size_t end = end_of_backslashes(text, i);
      if (end - i > 1 && (end == text.size() || text[end] == '"')) numbered_to = end;
    }
    act(byte, i < numbered_to ? Escape::octal : table[byte]);
  }
}

[[nodiscard]] Escape escape_of_character(char c, TextStyle style) noexcept {
  return c == ' ' ? Escape::octal : table_of(style)[static_cast<unsigned char>(c)];
}

}  // namespace

char* print_string(std::string_view text, TextStyle style, char* out) noexcept {
  const bool quoted = needs_quotes(text);
  if (quoted) *out++ = '"';
  for_each_byte(text, style, quoted,
                [&out](unsigned char byte, Escape escape) { out = print_byte(byte, escape, out); });
  if (quoted) *out++ = '"';
  return out;
}

std::size_t string_bytes(std::string_view text, TextStyle style) noexcept {
  const bool quoted = needs_quotes(text);
  std::size_t bytes = quoted ? 2 : 0;
  for_each_byte(text, style, quoted, [&bytes](unsigned char, Escape escape) { bytes += size_of(escape); });
  return bytes;
}

bool has_zero_byte(std::string_view text) noexcept { return text.find('\0') != std::string_view::npos; }

char* print_character(char c, TextStyle style, char* out) noexcept {
  return print_byte(static_cast<unsigned char>(c), escape_of_character(c, style), out);
}

std::size_t character_bytes(char c, TextStyle style) noexcept { return size_of(escape_of_character(c, style)); }

}  // namespace quire::text
