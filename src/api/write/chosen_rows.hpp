#pragma once

#include "api/write/part_plan.hpp"
#include "api/write/step_state.hpp"

namespace quire {

/// Independent, of an accepted part. Throws unsupported errors for chosen rows without fixed places, usage errors
/// for rows that do not rise in a step in pieces.
void accept_chosen_rows(WriteStep::State& step);

/// Independent. Adds to a proposal how many rows of each table this rank has chosen, and the greatest one.
void propose_chosen_rows(WriteStep::State& step, Proposal& mine);

/// Independent. The number of words to compare that it adds.
[[nodiscard]] std::size_t words_of_chosen_rows(const WriteStep::State& step);

/// Independent. The number of rows of a table on this rank, before and after the total is known.
[[nodiscard]] std::uint64_t rows_of_rank(const StepPart& part, const StepDescription& accepted, std::size_t table);

/// Independent. The file order of the values of chosen rows.
[[nodiscard]] RowOrders orders_of(WriteStep::State& step);

/// Collective with fail_together() only. Sets the sizes of the tables with chosen rows, and completes the measures that
/// were made without them. Every rank throws if the ranks contradict each other.
void agree_on_chosen_rows(WriteStep::State& step, Consensus& all);

}  // namespace quire
