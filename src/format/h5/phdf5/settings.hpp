#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/h5/image.hpp"
#include "format/h5/placing.hpp"
#include "quire/format/options.hpp"
#include "quire/plan/chunks.hpp"

namespace quire::h5 {

/// Which engine transfers the bytes of a file, with its settings, and what HDF5 may use in a file that is written.
struct EngineSettings {
  bool is_phdf5 = false;             ///< otherwise the following members are ignored
  bool is_collective = false;        ///< collective transfers of whole steps
  bool is_filtered = false;          ///< chunks are compressed, which is collective
  bool collective_metadata = true;   ///< metadata are written collectively
  std::uint64_t metadata_block = 0;  ///< size of metadata blocks in bytes; 0: the library's default
  std::vector<std::pair<std::string, std::string>> hints;  ///< for MPI-IO
  // For every engine:
  Alignment alignment;
  LibraryVersion version = LibraryVersion::earliest;

  /// Reads the options of with_engine() and with_alignment(). Throws usage errors, also for options that the chosen
  /// engine does not have: `only_direct` names those of the format that phdf5 lacks.
  [[nodiscard]] static EngineSettings of(const CheckedOptions& options,
                                         const std::vector<std::string_view>& only_direct);
  /// Throws an unsupported error if datasets with these filters cannot be extended.
  void check_filters(const std::vector<Filter>& filters, const std::string& object) const;
  /// Reads the options of with_read_engine(). Throws usage errors.
  [[nodiscard]] static EngineSettings of_reading(const CheckedOptions& options);
};

/// A table of options, followed by those that choose the engine and its settings. Without parallel HDF5 the settings
/// are unsupported errors.
[[nodiscard]] std::vector<Option> with_engine(std::vector<Option> options);
/// The same for a reader, with the size of the chunk cache of a rank for the direct engine.
[[nodiscard]] std::vector<Option> with_read_engine(std::vector<Option> options);

}  // namespace quire::h5
