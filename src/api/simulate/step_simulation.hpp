#pragma once

#include <string>
#include <vector>

#include "quire/api/simulation.hpp"

namespace quire {

// What the simulations of steps have in common, and their kinds: of any parts, of streams, of made-up parts.

/// The extents of a plan, each one a train.
[[nodiscard]] std::vector<ExtentTrain> trains_of(const WritePlan& plan);

void add_measure(Measure& sum, const Measure& measure);

/// Publishes what rank 0 has, and goes on to the next step.
void finish_step(WritePlanner& planner, const StepPart& root, const Measure& total, StepFrame& frame);

/// The guard of a step that rank 0 begins.
[[nodiscard]] StepFrame begin_step(WritePlanner& planner, const StepPart& root);

/// The part of a planner that keeps what it has weighed until a step ends, forgets it.
void release_weights(WritePlanner& planner, const StepPart& part);

[[nodiscard]] StepFrame simulate_streams(WritePlanner& planner, int ranks, const WriteSimulation::Streams& streams,
                                         const std::string& path, bool lossy, PlanSink& sink);

[[nodiscard]] StepFrame simulate_workload(WritePlanner& planner, const Workload& workload, bool lossy, PlanSink& sink);

/// A stream for each rank, its pieces written together with those of others where the format has such a thing.
[[nodiscard]] WriteSimulation::Streams streams_of(const Workload& workload, bool keyed);

}  // namespace quire
