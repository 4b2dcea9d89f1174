#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "api/write/writer_state.hpp"

namespace quire {

/// Collective, once the ranks have agreed on an accepted step: finds its fields that are encoded in chunks, and to
/// which ranks these belong. What fails is told at the next meeting.
void begin_fields(WriteStep::State& step);

/// How many exchanges encode_fields() makes: the same on all ranks.
[[nodiscard]] std::size_t field_exchanges(const WriteStep::State& step);

/// Independent, between begin_fields() and encode_fields(). A part of a declared field, to learn how much it takes.
void weigh_chunks(WriteStep::State& step, std::size_t field, const Box& part, std::span<const ConstView> components);

/// Collective. Elements of fields go to the ranks that own their chunks, each encodes its own, and all learn the places
/// of theirs; rank 0 learns those of all, for it writes the index. No rank holds a table of all ranks: for each chunk
/// one rank, found by its number, knows who puts elements of it. A rank with an error takes part with nothing.
void encode_fields(WriteStep::State& step, std::optional<Error>& error);

/// Independent. A part of a placed step's field, which was weighed before: adds the chunks that are complete to a plan.
void add_chunks(WritePlan& plan, WriteStep::State& step, std::size_t field, const Box& part,
                std::span<const ConstView> components);

/// Independent. What was learnt of the fields of a step is lost: it would have to begin again.
void forget_fields(WriteStep::State& step);

}  // namespace quire
