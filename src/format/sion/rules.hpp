#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "format/sion/chunk_sizes.hpp"
#include "quire/format/options.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::sion {

/// The interface of the reference whose bytes are written: the interfaces differ in a few bytes.
enum class Interface : std::uint8_t { serial, parallel, mapped };

/// The rules for writing a multifile.
struct WriteRules {
  SizeRules sizes;
  Interface interface = Interface::parallel;
  /// Tasks are renumbered: collectors have the first numbers: specs/sion.md section 3.4.
  bool modular = false;
  std::optional<std::uint64_t> files = 1;  ///< nothing: as many as the machine writes best
  std::uint64_t copies = 0;                ///< of each file, written by another group of tasks
  bool keyed = false;
  bool keeps_origins = false;
  bool notes = true;  ///< the used bytes are noted in an additional file until the set is complete
  ByteOrder order = native_order;
  ByteOrder data_order = native_order;
  std::string stored_name;  ///< empty: the path
};

/// Pure. The rules from the options of the format. Throws usage errors for files that the reference would not write, or
/// crash on.
[[nodiscard]] WriteRules rules_of(const CheckedOptions& options);

/// The numbers of members in sets with copies of files (specs/sion.md section 7); other sets have members from 0 on.
inline constexpr std::uint64_t most_files_with_copies = 4096;
inline constexpr std::uint64_t most_written_copies = 16;

}  // namespace quire::sion
