#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/characters.hpp"

namespace quire::text {

[[nodiscard]] bool is_blank(std::string_view text) noexcept;
[[nodiscard]] std::string_view without_leading_space(std::string_view text) noexcept;
[[nodiscard]] std::string_view trimmed(std::string_view text) noexcept;

/// A line of text data at the beginning of some bytes.
struct Line {
  std::string_view text;  ///< without its end, which may be LF or CRLF
  std::size_t bytes = 0;  ///< with its end

  /// Lines that begin with an exclamation mark are ignored when values are read.
  [[nodiscard]] bool is_comment() const noexcept { return text.starts_with('!'); }
};

/// The first line, or nothing if its end is missing. `complete`: the file ends after these bytes, which also ends the
/// last line. `bytes` is not empty.
[[nodiscard]] std::optional<Line> first_line(std::string_view bytes, bool complete) noexcept;

/// The line up to the first exclamation mark that is neither quoted nor escaped with a backslash.
[[nodiscard]] std::string_view without_comment(std::string_view line) noexcept;

/// The next token of a line (specs/sdds.md section 3.5); `line` becomes the rest of the line. Nothing if only white
/// space is left. A backslash and the character after it are one unit.
[[nodiscard]] std::optional<std::string_view> next_token(std::string_view& line) noexcept;

/// The next bytes of a line whose fields have a fixed width (section 3.6); fewer at its end.
[[nodiscard]] std::string_view next_field(std::string_view& line, std::int64_t width) noexcept;

/// The text with its escapes replaced (section 3.7). A zero byte ends it.
[[nodiscard]] std::string unescaped(std::string_view text);

}  // namespace quire::text
