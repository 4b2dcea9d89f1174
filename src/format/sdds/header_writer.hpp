#pragma once

#include <string>
#include <string_view>

#include "format/sdds/header.hpp"

namespace quire::sdds {

/// The lowest version of the format that supports everything in the header (specs/sdds.md section 2.1).
[[nodiscard]] int lowest_version(const Header& header);

/// The style of a written header.
struct HeaderStyle {
  bool canonical = false;  ///< by the rules of the reference, unless it could not read the result
  int version = 0;         ///< 0: the lowest one
};

/// The bytes of a header, by the templates of specs/sdds.md section 2.9; `header.version`, `data_offset` and `warnings`
/// are not used.
/// Throws unsupported errors for texts that could not be read back: those with a text_fault(). In the canonical style
/// also for commands of 1024 bytes and more, which the reference does not read.
[[nodiscard]] std::string write_header(const Header& header, const HeaderStyle& style = {});

/// Makes a header longer, by blanks at the end of its last command: readers skip any number of them.
void lengthen(std::string& header, std::size_t blanks);

/// The reason why a header cannot contain a text, or an empty text.
[[nodiscard]] std::string text_fault(std::string_view text);

/// Whether quotation marks in a text are read back unchanged: in a bare value with pairs of them. Others are escaped.
[[nodiscard]] bool keeps_quotes(std::string_view text);

/// The nearest text that a header can contain: line ends become blanks.
[[nodiscard]] std::string on_one_line(std::string text);

/// The size of the longest command in bytes, for the warning that other programs read no more than 1023.
[[nodiscard]] std::size_t longest_command(const Header& header);

}  // namespace quire::sdds
