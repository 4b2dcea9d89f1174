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

/// Who moves the bytes of a file, and how, if that is the parallel HDF5 library; and what HDF5 makes of a file that is
/// written.
struct EngineSettings {
  bool is_phdf5 = false;             ///< else the next ones have no meaning
  bool is_collective = false;        ///< transfers of whole steps, by all ranks together
  bool is_filtered = false;          ///< chunks are compressed, which needs all ranks
  bool collective_metadata = true;   ///< metadata are written by all ranks together
  std::uint64_t metadata_block = 0;  ///< bytes that are allocated for metadata at once; 0: the library's preset
  std::vector<std::pair<std::string, std::string>> hints;  ///< for MPI-IO
  // Of every engine:
  Alignment alignment;
  LibraryVersion version = LibraryVersion::earliest;

  /// The options of with_engine() and with_alignment(). Throws usage errors, also for options that the chosen engine
  /// does not have: `only_direct` names those of the format that phdf5 lacks.
  [[nodiscard]] static EngineSettings of(const CheckedOptions& options,
                                         const std::vector<std::string_view>& only_direct);
  /// Throws an unsupported error if data sets whose chunks go through filters cannot be added to.
  void check_filters(const std::vector<Filter>& filters, const std::string& object) const;
  /// The options of with_read_engine(). Throws usage errors.
  [[nodiscard]] static EngineSettings of_reading(const CheckedOptions& options);
};

/// A table of options, and behind them those that choose the engine and its knobs. Without parallel
/// HDF5 they are errors that say so.
[[nodiscard]] std::vector<Option> with_engine(std::vector<Option> options);
/// The same for a reader, and what a rank keeps of chunks where no other library reads.
[[nodiscard]] std::vector<Option> with_read_engine(std::vector<Option> options);

}  // namespace quire::h5
