#pragma once

#include <optional>

#include "api/write/step_state.hpp"

namespace quire {

// The end of a step: all ranks agree that its bytes are written, and rank 0 publishes it.

/// Collective 2, after this rank's bytes are written or have failed. Publishes the step if all ranks have written
/// theirs. Returns whether the file is closed as well, if it was to be.
bool publish_together(WriteStep::State& step, std::optional<Error> error);
/// Collective 2 of a step whose bytes may still be written in the background. Publishes the step if `is_written` on all
/// ranks; otherwise nothing happens, whatever has failed, and the collective is repeated later. Returns whether the
/// step is published.
[[nodiscard]] bool publish_if_written(WriteStep::State& step, const std::optional<Error>& error, bool is_written);
/// Collective. The same after the bytes of streams are written.
void finish_streams(WriteStep::State& step);
/// Collective. Rolls back a placed step that the others commit. Every rank throws the error.
void take_back(WriteStep::State& step, const Error& error);
/// Independent, after the step is published.
void end_commit(WriteStep::State& step);

}  // namespace quire
