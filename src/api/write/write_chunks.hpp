#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "api/write/step_state.hpp"

namespace quire {

/// Collective, after the ranks have agreed on an accepted step: finds its fields that are encoded in chunks, and the
/// owners of the chunks. Errors are reported in the next collective.
void begin_fields(WriteStep::State& step);

/// The number of exchanges in encode_fields(): the same on all ranks.
[[nodiscard]] std::size_t field_exchanges(const WriteStep::State& step);

/// Independent, between begin_fields() and encode_fields(). A part of a declared field, to find its encoded size.
void weigh_chunks(WriteStep::State& step, std::size_t field, const Box& part, std::span<const ConstView> components);

/// Collective. Elements of fields are sent to the ranks that own their chunks, each encodes its own, and all receive
/// the places of theirs; rank 0 receives those of all, because it writes the index. No rank holds a table of all ranks:
/// for each chunk one rank, found by its number, knows the ranks that put elements of it. A rank with an error sends
/// nothing.
void encode_fields(WriteStep::State& step, std::optional<Error>& error);

/// Independent. A part of a field of a placed step that was weighed before: adds the completed chunks to a plan.
void add_chunks(WritePlan& plan, WriteStep::State& step, std::size_t field, const Box& part,
                std::span<const ConstView> components);

/// Independent. Discards the state of the fields of a step: it must begin again.
void forget_fields(WriteStep::State& step);

}  // namespace quire
