#pragma once

#include "api/write/step_state.hpp"

namespace quire {

/// Collective 1 of a step: all ranks receive the totals, and the position of their own part. If rows are encoded in
/// groups, there was a collective before. Throws on all ranks what failed on any of them.
void agree_on_step(WriteStep::State& step);

/// Collective, after the ranks know that a step fails or differs, for a file that is not created yet: throws on all
/// ranks the error of this rank, or that the ranks would create different files, which is why their steps differ.
void require_same_file(WriteStep::State& step, const std::optional<Error>& mine);

}  // namespace quire
