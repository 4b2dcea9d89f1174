#pragma once

#include <optional>

#include "api/write/writer_state.hpp"

namespace quire {

/// Throws usage errors for options that an engine has no use for.
void check_engine_options(const WriteOptions& options);

/// Collective. Lets the planner's engine, if it offers one, open the file. Errors agree.
void open_engine(Writer::State& writer, const std::string& path, bool is_new);

/// Collective, in the place of a transfer: the step's objects are made, and what is in memory is written. Returns what
/// failed here.
[[nodiscard]] std::optional<Error> write_by_engine(WriteStep::State& step);

/// Collective, in the place of a publication. Errors agree.
void publish_by_engine(WriteStep::State& step);

/// Collective. Completes and closes the file; whatever fails, every rank comes to the end.
void close_engine(Writer::State& writer);

}  // namespace quire
