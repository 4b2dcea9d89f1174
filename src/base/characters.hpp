#pragma once

namespace quire {

// Characters of ASCII, whatever the locale of the program is.

[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Space, tab, line feed, vertical tab, form feed or carriage return.
[[nodiscard]] constexpr bool is_white(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace quire
