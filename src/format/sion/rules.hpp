#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "format/sion/chunk_sizes.hpp"
#include "quire/base/endian.hpp"
#include "quire/format/options.hpp"

namespace quire::sion {

/// Which of the reference's interfaces would have written the file: they differ in a few bytes.
enum class Interface : std::uint8_t { serial, parallel, mapped };

/// How a multifile is written.
struct WriteRules {
  SizeRules sizes;
  Interface interface = Interface::parallel;
  /// Tasks are renumbered so that those that collect come first: specs/sion.md section 3.4.
  bool modular = false;
  std::optional<std::uint64_t> files = 1;  ///< nothing: as many as the machine writes best
  std::uint64_t copies = 0;                ///< of each file, kept with another group of tasks
  bool keyed = false;
  bool keeps_origins = false;
  bool notes = true;  ///< what is used is noted beside the file until it is complete
  ByteOrder order = native_order;
  ByteOrder data_order = native_order;
  std::string stored_name;  ///< empty: the path
};

/// Pure. From the options of the format. Throws usage errors for what the reference would not write, or crash on.
[[nodiscard]] WriteRules rules_of(const CheckedOptions& options);

/// The copies of files that a set may have (specs/sion.md section 7) have these members; other sets have members from 0
/// on.
inline constexpr std::uint64_t most_files_with_copies = 4096;
inline constexpr std::uint64_t most_written_copies = 16;

}  // namespace quire::sion
