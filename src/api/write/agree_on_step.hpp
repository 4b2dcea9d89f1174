#pragma once

#include "api/write/writer_state.hpp"

namespace quire {

/// Collective 1 of a step: everybody learns the totals, and where its own part begins. Rows that are encoded in groups
/// have met before. Throws on all ranks what failed on any of them.
void agree_on_step(WriteStep::State& step);

/// Collective, after the ranks have heard that a step fails or differs: of a file that is not made yet, throws on all
/// what this rank brings, or that the ranks would make different ones, which is why their steps differ.
void require_same_file(WriteStep::State& step, const std::optional<Error>& mine);

}  // namespace quire
