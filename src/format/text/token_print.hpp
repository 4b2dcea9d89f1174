#pragma once

#include <cstddef>
#include <string_view>

#include "quire/spi/plan/record.hpp"

namespace quire::text {

/// Maximum number of bytes of a character as a token.
inline constexpr std::size_t widest_character = 4;

/// Maximum number of bytes of a string as a token.
[[nodiscard]] constexpr std::size_t most_bytes_of(std::string_view text) noexcept {
  return widest_character * text.size() + 2;
}

/// Writes a string as one token (specs/sdds.md section 3.8) to `out`, which has room for most_bytes_of(text), and
/// returns the end of the token. It is quoted if it is empty or contains white space; bytes that a reader would change
/// are escaped; bytes from 0x80 on are not changed. The lossless style also escapes what existing readers misread:
/// exclamation marks, and several backslashes before a quotation mark.
/// The string must not contain a zero byte, which no reader keeps: see has_zero_byte().
char* print_string(std::string_view text, TextStyle style, char* out) noexcept;

/// The number of bytes that print_string() writes.
[[nodiscard]] std::size_t string_bytes(std::string_view text, TextStyle style) noexcept;

[[nodiscard]] bool has_zero_byte(std::string_view text) noexcept;

/// The same for one character, which may be blank or zero. It is not quoted; `out` has room for widest_character bytes.
char* print_character(char c, TextStyle style, char* out) noexcept;
[[nodiscard]] std::size_t character_bytes(char c, TextStyle style) noexcept;

}  // namespace quire::text
