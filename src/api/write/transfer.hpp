#pragma once

#include <optional>

#include "api/write/part_plan.hpp"
#include "api/write/step_state.hpp"

namespace quire {

// Between the two collectives of a step: every rank writes its own bytes.

/// Independent. Finds the place of this rank's part.
void place(WriteStep::State& step);
/// Independent, a hint, rank 0. Preallocates the bytes of a placed step.
void reserve(WriteStep::State& step);
/// Independent. The immediate writes of this rank: the title, and all columns and fields of a step that is not
/// streamed.
[[nodiscard]] StepPlans plans_of(WriteStep::State& step);
[[nodiscard]] WritePlan next_plan(WriteStep::State& step, StepPlans& plans);
/// Rank 0: plans the publication of the step.
void prepare(WriteStep::State& step);
/// Collective with a collective transport, otherwise independent. Places the step and writes this rank's bytes. Returns
/// what failed here.
[[nodiscard]] std::optional<Error> transfer(WriteStep::State& step);

}  // namespace quire
