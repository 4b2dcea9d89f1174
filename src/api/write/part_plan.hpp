#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "quire/format/format.hpp"
#include "quire/plan/plan.hpp"

namespace quire {

/// Adds some rows of one table of a placed part; errors name its columns. `positions` has an entry for each of the
/// table's runs: where the block before ended.
void add_table(WritePlan& plan, const Table& table, const std::vector<Run>& runs, const Slice& rows,
               std::span<const ConstView> columns, std::vector<std::uint64_t>& positions, bool lossy);

/// Adds the chosen rows of one table of a placed part.
void add_chosen_rows(WritePlan& plan, const Table& table, const std::vector<Run>& runs, const SelectionWalk& rows,
                     std::span<const ConstView> columns, bool lossy);

/// Adds this rank's selections of fields, or the chunks of them whose bytes are there.
void add_fields(WritePlan& plan, const StepPart& part, const Placement& placement, bool lossy);

/// Adds the groups of rows whose bytes are there, each at its place behind those before it.
void add_groups(WritePlan& plan, const StepPart& part, const Placement& placement);

/// All of a part whose columns are in memory, by file order.
[[nodiscard]] WritePlan whole_plan(const StepPart& part, const Placement& placement, bool lossy);

}  // namespace quire
