#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "api/write/writer_state.hpp"

namespace quire {

/// Collective. The first meeting of a step whose rows may be encoded in groups, as propose() is of others: fails
/// together with ranks that cannot go on. Afterwards every rank knows which of its rows belong to groups of lower
/// ranks.
void agree_on_rows(WriteStep::State& step);

/// Independent, between agree_on_rows() and regroup(). The next rows of a streamed table, to learn how much they take.
void weigh_groups(WriteStep::State& step, std::string_view table, std::span<const ConstView> columns);

/// Collective. Rows at the front of a rank go to the rank that has begun their group; then each encodes its own.
/// Returns what failed here: every rank must come to the next meeting.
[[nodiscard]] std::optional<Error> regroup(WriteStep::State& step);

/// How often the others expect something of this rank if a step is left now.
[[nodiscard]] std::size_t pending_exchanges(const WriteStep::State& step);

/// Collective, after a step was left between agree_on_rows() and regroup(), or where this rank does something else
/// instead of regroup(): takes part where the others expect rows.
void finish_pending_exchanges(Writer::State& writer);

/// Collective. Rank 0 learns the lengths of all groups, for it writes their index.
void collect_groups(WriteStep::State& step);

/// The next rows of a streamed table, which were weighed before: adds the groups that are complete to a plan.
void add_groups(WritePlan& plan, WriteStep::State& step, std::size_t table, std::span<const ConstView> columns);

}  // namespace quire
