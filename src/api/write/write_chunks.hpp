#pragma once

#include <cstddef>
#include <optional>

#include "api/write/writer_state.hpp"

namespace quire {

/// Finds the fields of an accepted step that are encoded in chunks.
void find_chunked_fields(WriteStep::State& step);

/// How many exchanges encode_fields() makes: the same on all ranks.
[[nodiscard]] std::size_t field_exchanges(const WriteStep::State& step);

/// Collective. Elements of fields go to the ranks that own their chunks, each encodes its own, and all learn the places
/// of theirs; rank 0 learns those of all, for it writes the index. No rank holds a table of all ranks: for each chunk
/// one rank, found by its number, knows who puts elements of it. A rank with an error takes part with nothing.
void encode_fields(WriteStep::State& step, std::optional<Error>& error);

}  // namespace quire
