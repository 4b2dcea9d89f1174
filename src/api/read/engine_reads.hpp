#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "api/read/reader_state.hpp"

namespace quire {

/// A request for a table or a field.
struct EngineRequest {
  const Place* place = nullptr;
  std::vector<std::uint64_t> extents;  ///< of the field, or the rows of the table
  bool is_table = true;
  Selection selection;
  std::vector<ColumnTarget> targets;
  MemorySelection memory;
};

/// Collective. Opens the file for the reader's engine. Throws the same error on every rank.
void open_read_engine(Reader::State& reader);

/// Collective if ranks read together, otherwise independent. Closes it; ranks that still read then throw.
void close_read_engine(Reader::State& reader);

/// Collective or independent, depending on the engine. Reads what the engine can of the request that `ask` returns, and
/// returns the other targets, for the transport. If ranks read together and one of them fails, all throw its error.
[[nodiscard]] std::vector<ColumnTarget> read_by_engine(Reader::State& reader,
                                                       const std::function<EngineRequest()>& ask);

/// Collective, if ranks read together: all throw if one of them refuses, closes the file or reads at the same time.
void synchronize_engine(Reader::State& reader, const std::optional<Error>& refusal);

/// Collective if ranks read together, otherwise without effect. Every other collective call begins with it, so that
/// ranks in close() at the same time are detected as in a read. Then throws an aborted error.
void synchronize_readers(Reader::State& reader);

/// Collective, if ranks read together. Replaces a read on a rank that cannot state its request: the others throw
/// instead of waiting for it.
void refuse_by_engine(Reader::State& reader);

}  // namespace quire
