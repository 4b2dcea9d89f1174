#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "format/records.hpp"
#include "format/records_columns.hpp"
#include "kernels/interleave.hpp"

namespace quire {

/// True if the bytes of a column in the file are those in memory.
[[nodiscard]] bool is_ready(const Run& run, Type view, bool contiguous);

/// The shape of a cell of fixed size at an offset in its record.
[[nodiscard]] kernels::CellShape cell_shape(const Cell& cell, std::size_t offset, ByteOrder order);

/// The shape of all cells of a run of fixed-size records.
[[nodiscard]] std::vector<kernels::CellShape> cell_shapes(const Run& run);

/// The views of all cells of a run. Throws a usage error unless each view has `values` values.
[[nodiscard]] std::vector<SourceColumn> source_columns(const Run& run, std::span<const ConstView> views,
                                                       std::uint64_t values, bool lossy,
                                                       std::span<const std::string> objects);

/// Throws a usage error if elements are after the end of a run.
void check_inside(const Run& run, const Line& line);

/// The number of values of a view over `memory` for `elements` elements. Throws a usage error if the counts differ.
[[nodiscard]] std::uint64_t values_in(const MemorySelection& memory, std::uint64_t elements);

/// A view that is wanted from one cell of a run.
struct CellTarget {
  std::size_t cell = 0;
  View view;
  std::string object;
  std::shared_ptr<PaddedTexts> texts{};  ///< of a cell of fixed size: where its texts are appended
};

/// The wanted cells of each run of the place, in the order of its cells, so that neighbours in the file become one
/// tile. Each view has `values` values.
[[nodiscard]] std::vector<std::vector<CellTarget>> targets_by_run(const Place& place,
                                                                  std::span<const ColumnTarget> columns,
                                                                  std::uint64_t values);

/// Adds slices (ascending, not empty) of one run, if it can be planned and any cell of it is wanted. Their rows are
/// stored in consecutive rows of the views.
void add_run(ReadPlan& plan, const Run& run, std::span<const Slice> slices, std::span<const CellTarget> wanted,
             bool lossy);

}  // namespace quire
