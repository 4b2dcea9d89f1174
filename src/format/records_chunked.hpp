#pragma once

#include <span>
#include <vector>

#include "format/records_variable.hpp"
#include "quire/model/slice.hpp"
#include "quire/plan/plan.hpp"
#include "quire/plan/record.hpp"

namespace quire {

/// Extents that read slices (ascending, disjoint, not empty) of the records of a chunked run: each chunk that holds any
/// of them once and whole, or where it is not filtered and its rows stand one behind the other, just these. The records
/// go to consecutive rows of the columns. What was never written gets the fill value at once, unless a view has no
/// memory. At most one chunk at a time is held, however many runs the plan reads.
void add_chunked(ReadPlan& plan, const Run& run, std::span<const Slice> slices,
                 const std::vector<WantedColumn>& columns);

}  // namespace quire
