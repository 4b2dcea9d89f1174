#pragma once

#include <string>
#include <vector>

#include "quire/spi/api/simulation.hpp"

namespace quire {

// Common functions of the simulations of steps, and their kinds: of any parts, of streams, of synthetic parts.

/// The extents of a plan, each one a train.
[[nodiscard]] std::vector<ExtentTrain> trains_of(const WritePlan& plan);

void add_measure(Measure& sum, const Measure& measure);

/// Publishes the step of rank 0, and continues with the next step.
void finish_step(WritePlanner& planner, const StepPart& root, const Measure& total, StepFrame& frame);

/// The guard of a step that rank 0 begins.
[[nodiscard]] StepFrame begin_step(WritePlanner& planner, const StepPart& root);

/// Releases what a planner keeps of a weighed part until a step ends.
void release_weights(WritePlanner& planner, const StepPart& part);

[[nodiscard]] StepFrame simulate_streams(WritePlanner& planner, int ranks, const WriteSimulation::Streams& streams,
                                         const std::string& path, bool lossy, PlanSink& sink);

[[nodiscard]] StepFrame simulate_workload(WritePlanner& planner, const Workload& workload, bool lossy, PlanSink& sink);

/// A stream for each rank, with its pieces written together with those of others if the format supports that.
[[nodiscard]] WriteSimulation::Streams streams_of(const Workload& workload, bool keyed);

}  // namespace quire
