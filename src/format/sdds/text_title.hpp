#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "format/sdds/title.hpp"
#include "quire/plan/plan.hpp"
#include "quire/plan/record.hpp"

namespace quire::sdds {

/// How many values of an array stand in a line of text.
inline constexpr std::uint64_t array_values_per_line = 6;

/// Bytes of a row count with its line end: always the same, so that it can be written in place.
inline constexpr std::size_t text_count_bytes = 21;

/// The comment in front of a page of text. Until the page is published it says so, in as many bytes.
[[nodiscard]] std::string page_comment(std::uint64_t number, bool published);
/// The bytes at the beginning of the comment that differ.
[[nodiscard]] std::string page_comment_state(bool published);

/// Parameters and arrays of attributes as text (specs/sdds.md section 3.8). Throws unsupported errors for strings with
/// zero bytes.
[[nodiscard]] std::string title_text(const std::vector<TitleValue>& values, TextStyle style);

/// The line in front of the elements of an array.
[[nodiscard]] std::string dimension_line(const std::vector<std::uint64_t>& extents, const std::string& name);

/// The row-count line of an unfinished page: no number, so that every reader refuses the page.
[[nodiscard]] std::string unfinished_count_line();

/// What a row count is replaced by in place: the characters without the line end. `sealed`: a letter in front of the
/// digits still makes readers refuse it, at position count_seal().
[[nodiscard]] std::string count_text(std::uint64_t rows, bool sealed);
[[nodiscard]] std::size_t count_seal(std::uint64_t rows);

/// The writes that replace a row count of text by a smaller one in as many characters: each so small that the kernel
/// copies it at once, and between them stands a number that is not below the new one.
[[nodiscard]] Publication lowered_count(std::uint64_t offset, const std::string& before, std::uint64_t rows);

}  // namespace quire::sdds
