#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "api/read/reader_state.hpp"

namespace quire {

/// What is asked of a table or of a field.
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

/// Collective where ranks read together, else independent. Closes it; ranks that still read throw meanwhile.
void close_read_engine(Reader::State& reader);

/// Collective or independent, as the engine is. Reads what it can of a request that `ask` makes of what this rank was
/// asked for, and returns the other targets, for the transport. If ranks read together and one of them fails, all throw
/// its error.
[[nodiscard]] std::vector<ColumnTarget> read_by_engine(Reader::State& reader,
                                                       const std::function<EngineRequest()>& ask);

/// Collective, where ranks read together: all throw if one of them refuses, closes the file or reads meanwhile.
void synchronize_engine(Reader::State& reader, const std::optional<Error>& refusal);

/// Collective where ranks read together, else without effect: what every other collective call begins with, so that
/// ranks that are in close() meanwhile are met as in a read. Throws an aborted error then.
void synchronize_readers(Reader::State& reader);

/// Collective, where ranks read together. What a rank calls in place of that which cannot say what it wants: the others
/// throw, and do not wait for it.
void refuse_by_engine(Reader::State& reader);

}  // namespace quire
