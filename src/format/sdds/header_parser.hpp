#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "format/sdds/header.hpp"
#include "format/sdds/need.hpp"

namespace quire::sdds {

struct HeaderOptions {
  bool strict = false;                        ///< tolerated defects are errors
  bool any_names = false;                     ///< names that the format forbids are tolerated
  bool unescape_quotes = false;               ///< \" in a value means "
  bool no_row_counts = false;                 ///< text data have none, whatever the header states
  std::uint64_t largest_header = 8ULL << 20;  ///< bytes, included files not counted
};

/// Another file whose whole text the parser needs to continue.
struct NeedFile {
  std::string name;
  std::uint64_t offset = 0;  ///< of the command that names it
  std::uint64_t line = 0;
};

/// The texts of files that `&include` may name.
using IncludedFiles = std::map<std::string, std::string, std::less<>>;

using HeaderAnswer = std::variant<Header, Need, NeedFile>;

/// Pure. Parses the header from a prefix of the file, or returns what else it needs; then the caller reads that and
/// calls again. `complete`: the file ends with the known bytes.
/// Throws bad_file errors with line and byte offset; errors inside an included file name this file.
[[nodiscard]] HeaderAnswer parse_header(std::string_view known, bool complete, const IncludedFiles& included,
                                        const HeaderOptions& options);

/// Whether the first bytes of a file are the signature of this format.
[[nodiscard]] bool has_magic(std::string_view head) noexcept;

}  // namespace quire::sdds
