#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "format/h5/hdf5.hpp"
#include "format/h5/phdf5/attaching.hpp"
#include "format/h5/phdf5/settings.hpp"
#include "quire/format/format.hpp"

namespace quire::h5 {

/// A dataset that the ranks write, and the part of a step that it stores.
struct EngineTarget {
  enum class Kind : std::uint8_t { rows, field };

  Handle dataset;
  std::string name;  ///< in messages
  Kind kind = Kind::rows;
  std::size_t index = 0;  ///< of the table or field in the step
  /// The columns of a table: one, or all of them interleaved. For a field: the component.
  std::vector<Cell> cells;
  std::uint64_t first = 0;   ///< rows that the dataset already had
  bool is_filtered = false;  ///< it already existed, and its chunks are filtered
  /// For a field: the indices on axes of the dataset before those of the field.
  std::vector<std::uint64_t> lead;
};

/// The objects of a step in a file of some layout. All calls are collective and deterministic: every rank creates the
/// same objects in the same order.
class EngineLayout {
 public:
  virtual ~EngineLayout() = default;
  /// Creates the objects of the step that `mine` is a part of. `total` is the sum of the planner's measures: rows of
  /// each table, then elements of each field.
  [[nodiscard]] virtual std::vector<EngineTarget> make(hid_t file, const StepPart& mine, const Measure& total) = 0;
  virtual void publish(hid_t file, const StepDescription& step, const LayoutRanks& ranks) = 0;
  /// Removes what make() has created, if it was not published.
  virtual void discard(hid_t file) = 0;
  /// Writes what is still pending when a file is closed.
  virtual void finish(hid_t file, const LayoutRanks& ranks) = 0;
  /// Gives up identifiers without closing them, which would wait for other ranks.
  virtual void abandon() noexcept = 0;
};

/// Whether this build can write and read through the parallel HDF5 library.
[[nodiscard]] bool has_phdf5() noexcept;

/// The engine for these settings; null for the direct engine.
[[nodiscard]] std::unique_ptr<StepEngine> make_engine(const EngineSettings& settings,
                                                      std::unique_ptr<EngineLayout> layout);

/// The same for reading.
[[nodiscard]] std::unique_ptr<ReadEngine> make_read_engine(const EngineSettings& settings);

/// Adds a slot for each field to a measure: the elements that a rank writes.
void add_field_slots(Measure& measure, const StepPart& mine);

/// Whether the ranks together write all rows of a table.
[[nodiscard]] bool covers_rows(const StepPart& mine, std::size_t table) noexcept;

/// Creation properties of a contiguous dataset. If not all elements will be written, it is filled with zeros.
[[nodiscard]] Handle creation_of(bool is_covered);

}  // namespace quire::h5
