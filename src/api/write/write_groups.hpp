#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "api/write/step_state.hpp"

namespace quire {

/// Collective. The first collective of a step whose rows may be encoded in groups, like propose() for others: fails
/// together with ranks that cannot continue. Afterwards every rank knows which of its rows belong to groups of lower
/// ranks.
void agree_on_rows(WriteStep::State& step);

/// Independent, between agree_on_rows() and regroup(). The next rows of a streamed table, to find their encoded size.
void weigh_groups(WriteStep::State& step, std::string_view table, std::span<const ConstView> columns);

/// Collective. Rows at the front of a rank are sent to the rank that has begun their group; then each encodes its own.
/// Returns what failed here: every rank must take part in the next collective.
[[nodiscard]] std::optional<Error> regroup(WriteStep::State& step);

/// The number of exchanges that the others still make with this rank if a step is left now.
[[nodiscard]] std::size_t pending_exchanges(const WriteStep::State& step);

/// Collective, after a step was left between agree_on_rows() and regroup(), or if this rank makes another call instead
/// of regroup(): takes part in the exchanges of the others.
void finish_pending_exchanges(Writer::State& writer);

/// Collective. Rank 0 receives the lengths of all groups, because it writes their index.
void collect_groups(WriteStep::State& step);

/// The next rows of a streamed table that were weighed before: adds the completed groups to a plan.
void add_groups(WritePlan& plan, WriteStep::State& step, std::size_t table, std::span<const ConstView> columns);

}  // namespace quire
