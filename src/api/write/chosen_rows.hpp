#pragma once

#include "api/write/part_plan.hpp"
#include "api/write/writer_state.hpp"

namespace quire {

/// Independent, of an accepted part. Throws unsupported errors for chosen rows that have no places of their own; for an
/// engine brings the values of the others into the order of the file.
void accept_chosen_rows(WriteStep::State& step);

/// Independent. Tells the others how many rows of each table this rank has chosen, and how far they reach.
void propose_chosen_rows(WriteStep::State& step, Proposal& mine);

/// Independent. How many rows of a table this rank brings, as long as it is not known how many all have, and
/// afterwards.
[[nodiscard]] std::uint64_t rows_of_rank(const StepPart& part, const StepDescription& accepted, std::size_t table);

/// Independent. In which order the values of chosen rows come in the file.
[[nodiscard]] RowOrders orders_of(WriteStep::State& step);

/// Collective with fail_together() only. How many rows the tables have of which the ranks have chosen some: what was
/// measured without them is completed. Every rank throws if they contradict each other.
void agree_on_chosen_rows(WriteStep::State& step, Consensus& all);

}  // namespace quire
