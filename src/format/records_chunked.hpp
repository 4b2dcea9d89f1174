#pragma once

#include <span>
#include <vector>

#include "format/records_variable.hpp"
#include "quire/model/selection.hpp"
#include "quire/spi/plan/plan.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire {

/// Adds extents that read slices (ascending, disjoint, not empty) of the records of a chunked run into consecutive rows
/// of the columns. A chunk is read once and completely; if it is not filtered and its rows are consecutive, only the
/// wanted rows are read. Records of chunks that were never written get the fill value at once, unless a view has no
/// memory. At most one chunk is in memory at a time, for all runs of the plan.
void add_chunked(ReadPlan& plan, const Run& run, std::span<const Slice> slices,
                 const std::vector<WantedColumn>& columns);

}  // namespace quire
