#pragma once

#include <string>
#include <string_view>

#include "format/sdds/header.hpp"

namespace quire::sdds {

/// The lowest version that holds everything the header defines (specs/sdds.md section 2.1).
[[nodiscard]] int lowest_version(const Header& header);

/// How a header is written.
struct HeaderStyle {
  bool canonical = false;  ///< by the reference's own rules where it can read what they give, else as without
  int version = 0;         ///< 0: the lowest one
};

/// The bytes of a header, by the templates of specs/sdds.md section 2.9; `header.version`, `data_offset` and `warnings`
/// are not looked at.
/// Throws unsupported errors for texts that could not be read back: those for which text_fault() finds a fault. In the
/// canonical style also for commands of 1024 bytes and more, which the reference does not read.
[[nodiscard]] std::string write_header(const Header& header, const HeaderStyle& style = {});

/// Makes a header longer, by blanks at the end of its last command: readers pass over any number of them.
void lengthen(std::string& header, std::size_t blanks);

/// Why a text cannot stand in a header, or an empty text.
[[nodiscard]] std::string text_fault(std::string_view text);

/// Whether quotation marks in a text come back as they are: as a bare value with pairs of them. Others get a backslash.
[[nodiscard]] bool keeps_quotes(std::string_view text);

/// The nearest text that can stand in a header: line ends become blanks.
[[nodiscard]] std::string on_one_line(std::string text);

/// Bytes of the longest command, for the warning that other programs read no more than 1023.
[[nodiscard]] std::size_t longest_command(const Header& header);

}  // namespace quire::sdds
