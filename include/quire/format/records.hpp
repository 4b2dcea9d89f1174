#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quire/model/slice.hpp"
#include "quire/model/view.hpp"
#include "quire/plan/plan.hpp"
#include "quire/plan/record.hpp"

namespace quire {

/// Extents that write rows [first, first + rows) of a run from the callers' memory.
///
/// `views` has one view for each cell of the run, each holding exactly `rows` values. Ready bytes (one fixed cell, same
/// type and byte order, contiguous memory) go as they are, everything else through an encoder. For runs of variable
/// record size rows must come in order, from 0: `position` is where the previous call ended, relative to the run's
/// offset; returns where this one ends. Values are converted where a view's type differs from the cell's: losslessly
/// or with a type error naming the row (`lossy` allows it).
std::uint64_t add_rows(WritePlan& plan, const Run& run, std::uint64_t first, std::uint64_t rows,
                       std::span<const ConstView> views, std::uint64_t position, bool lossy = false);

/// One column asked for: its cell's column number and where the values go.
struct ColumnTarget {
  std::uint64_t column = 0;
  View view;
};

/// Extents that read rows of a table into memory: exactly the bytes needed (records of a run are read whole when more
/// than one cell lies in them). Runs marked opaque are left out; the caller reads them through the describer.
/// Values are converted when the types differ: losslessly or with a type error naming the row (`lossy` allows it).
void add_rows(ReadPlan& plan, const Place& place, const Slice& rows, std::span<const ColumnTarget> columns, bool lossy);

/// Extents that read a box of a field (extents slowest first) from its runs, one view per component.
void add_box(ReadPlan& plan, const Place& place, const std::vector<std::uint64_t>& extents, const Box& box,
             std::span<const View> components, bool lossy);

/// The contiguous parts of a box inside an array with these extents: first element and number of elements of each, in
/// file order. Neighbouring parts are joined.
[[nodiscard]] std::vector<Slice> contiguous_parts(const std::vector<std::uint64_t>& extents, const Box& box);

}  // namespace quire
