#pragma once

#include <optional>

#include "api/write/writer_state.hpp"

namespace quire {

/// Throws usage errors for options without effect in an engine.
void check_engine_options(const WriteOptions& options);

/// Collective. Lets the planner's engine, if there is one, open the file. Every rank throws the same error.
void open_engine(Writer::State& writer, const std::string& path, bool is_new);

/// Collective, instead of a transfer: creates the step's objects, and writes the data in memory. Returns what failed on
/// this rank.
[[nodiscard]] std::optional<Error> write_by_engine(WriteStep::State& step);

/// Collective, instead of a publication. Every rank throws the same error.
void publish_by_engine(WriteStep::State& step);

/// Collective. Completes and closes the file; every rank returns, whatever fails.
void close_engine(Writer::State& writer);

}  // namespace quire
