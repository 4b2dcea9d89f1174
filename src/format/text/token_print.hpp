#pragma once

#include <cstddef>
#include <string_view>

#include "quire/plan/record.hpp"

namespace quire::text {

/// The most bytes that a character takes as a token.
inline constexpr std::size_t widest_character = 4;

/// The most bytes that a string takes as a token.
[[nodiscard]] constexpr std::size_t most_bytes_of(std::string_view text) noexcept {
  return widest_character * text.size() + 2;
}

/// Writes a string as one token (specs/sdds.md section 3.8) to `out`, which has room for most_bytes_of(text), and
/// returns its end: in quotes if it is empty or holds white space, with escapes for what a reader would not keep.
/// Bytes from 0x80 on stay as they are. The lossless style also avoids what readers of long lines are known to
/// misread: exclamation marks, and several backslashes in front of a quotation mark.
/// The string holds no zero byte, which no reader would keep: see has_zero_byte().
char* print_string(std::string_view text, TextStyle style, char* out) noexcept;

/// How many bytes print_string() makes.
[[nodiscard]] std::size_t string_bytes(std::string_view text, TextStyle style) noexcept;

[[nodiscard]] bool has_zero_byte(std::string_view text) noexcept;

/// The same for one character, which may be a blank or zero: without quotes; `out` has room for widest_character bytes.
char* print_character(char c, TextStyle style, char* out) noexcept;
[[nodiscard]] std::size_t character_bytes(char c, TextStyle style) noexcept;

}  // namespace quire::text
