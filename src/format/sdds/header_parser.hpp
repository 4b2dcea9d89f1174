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
  bool strict = false;                        ///< tolerances are errors
  bool any_names = false;                     ///< names that the format forbids are a tolerance
  bool unescape_quotes = false;               ///< \" in a value means "
  bool no_row_counts = false;                 ///< text data have none, whatever the header says
  std::uint64_t largest_header = 4ULL << 20;  ///< bytes, included files not counted
};

/// Another file whose whole text must be known before the parser can go on.
struct NeedFile {
  std::string name;
  std::uint64_t offset = 0;  ///< of the command that names it
  std::uint64_t line = 0;
};

/// The texts of files that `&include` may name.
using IncludedFiles = std::map<std::string, std::string, std::less<>>;

using HeaderAnswer = std::variant<Header, Need, NeedFile>;

/// Pure. Parses the header from the bytes of the file known so far (a prefix) or says what else it must know; to be
/// called again, from the start, when that is known. `complete`: the file ends with the known bytes.
/// Throws bad_file errors with line and byte offset; those inside an included file name it.
[[nodiscard]] HeaderAnswer parse_header(std::string_view known, bool complete, const IncludedFiles& included,
                                        const HeaderOptions& options);

/// Whether a file with these first bytes claims to be of this format.
[[nodiscard]] bool has_magic(std::string_view head) noexcept;

}  // namespace quire::sdds
