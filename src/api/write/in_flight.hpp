#pragma once

#include <memory>
#include <optional>

#include "api/write/background.hpp"
#include "api/write/part_plan.hpp"
#include "api/write/step_state.hpp"

namespace quire {

/// A step whose bytes are written in the background, until it is published. Meanwhile only the background uses the
/// transport, and nothing else uses the planner: the next step is placed after this one.
struct StepInFlight {
  explicit StepInFlight(Writer::State& file) : writer(file), writes(file.comm.rank()) {}

  Writer::State& writer;
  std::unique_ptr<WriteStep::State> step{};
  StepPlans plans{};               ///< of borrowed arrays
  TransportCounters counters{};    ///< of the transport before this step
  std::optional<Error> failure{};  ///< of this rank before its bytes were passed to the background
  Background writes;
};

/// Independent, the same on all ranks. Whether the open step, or the next one, is written in the background.
[[nodiscard]] bool overlaps(const Writer::State& writer);

/// Independent, after the ranks have agreed on the step: places it and begins to write this rank's bytes, copied or,
/// with `borrows`, as they are in the arrays of the caller. Failures are kept for publish_in_flight().
void launch(std::shared_ptr<StepInFlight> flight, std::unique_ptr<WriteStep::State> committed, bool borrows);

/// Collective if a step is in flight, otherwise without effect: the first thing that collective calls of a file do.
/// Publishes the step when all ranks have written their bytes; `waits`: for those of this rank. Returns whether no step
/// is in flight afterwards. Throws on all ranks what failed on any of them; then the step is taken back.
bool publish_in_flight(Writer::State& writer, bool waits = true);
/// The same, and then throws what an abort() of this rank could not.
[[nodiscard]] bool complete_in_flight(Writer::State& writer, bool waits);

}  // namespace quire
