#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/sdds/title.hpp"
#include "quire/spi/plan/plan.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire::sdds {

/// The number of values of an array in a line of text.
inline constexpr std::uint64_t array_values_per_line = 6;

/// The size of a row count with its line end, in bytes: constant, so that the count can be written in place.
inline constexpr std::size_t text_count_bytes = 21;

/// The bytes of a text.
[[nodiscard]] std::vector<std::byte> bytes_of(std::string_view text);

/// The comment before a page of text. Its size is the same before and after the page is published.
[[nodiscard]] std::string page_comment(std::uint64_t number, bool published);
/// The beginning of the comment, which differs before and after.
[[nodiscard]] std::string page_comment_state(bool published);

/// Parameters and arrays of attributes as text (specs/sdds.md section 3.8). Throws unsupported errors for strings with
/// zero bytes.
[[nodiscard]] std::string title_text(const std::vector<TitleValue>& values, TextStyle style);

/// The line before the elements of an array.
[[nodiscard]] std::string dimension_line(const std::vector<std::uint64_t>& extents, const std::string& name);

/// The row-count line of an unfinished page. It is not a number, so every reader refuses the page.
[[nodiscard]] std::string unfinished_count_line();

/// The row count without its line end, to be written in place. `sealed`: readers still refuse it because of a letter
/// before the digits, at position count_seal().
[[nodiscard]] std::string count_text(std::uint64_t rows, bool sealed);
[[nodiscard]] std::size_t count_seal(std::uint64_t rows);

/// The writes that replace a row count of text by a smaller one of the same width. Each is so small that the kernel
/// copies it at once, and the number between two of them is never below the new one.
[[nodiscard]] Publication lowered_count(std::uint64_t offset, const std::string& before, std::uint64_t rows);

}  // namespace quire::sdds
