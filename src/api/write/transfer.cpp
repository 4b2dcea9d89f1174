#include "api/write/transfer.hpp"

#include "api/root.hpp"
#include "api/write/chosen_rows.hpp"
#include "api/write/limits.hpp"
#include "base/stopwatch.hpp"

namespace quire {

using State = WriteStep::State;

void place(State& step) {
  Writer::State& writer = *step.writer;
  const Stopwatch watch(writer.timing.plan);
  const bool root = writer.comm.is_root();
  step.placement = writer.planner->place(*step.part, step.before, step.total, root);
  step.positions.clear();
  step.groups_written.clear();
  for (const auto& runs : step.placement.tables) {
    step.positions.emplace_back(runs.size(), 0);
    step.groups_written.emplace_back(runs.size(), 0);
  }
}

StepPlans plans_of(State& step) {
  const Stopwatch watch(step.writer->timing.plan);
  return {*step.part, step.placement, orders_of(step), step.builder.is_streamed(), step.writer->options.lossy};
}

WritePlan next_plan(State& step, StepPlans& plans) {
  const Stopwatch watch(step.writer->timing.plan);
  return plans.next();
}

void reserve(State& step) {
  Writer::State& writer = *step.writer;
  if (!writer.comm.is_root() || step.placement.is_in_sight) return;
  writer.transport->reserve(writer.planner->data_begin(), step.placement.end);
}

void prepare(State& step) {
  Writer::State& writer = *step.writer;
  if (step.publication) return;
  const Stopwatch watch(writer.timing.plan);
  step.publication = writer.planner->publish(*step.part, step.total);
}

namespace {

/// Writes this rank's bytes, if it has not failed. Returns what failed here.
std::optional<Error> move_bytes(State& step, StepPlans& plans, std::optional<Error> error) {
  Writer::State& writer = *step.writer;
  // A rank that has failed, or has no more plans, still takes part in collective transfers, with empty plans.
  for (std::uint64_t done = 0; done < step.plans || (!error && !plans.is_done()); ++done) {
    WritePlan plan;
    if (!error && !plans.is_done()) {
      error = caught(writer.comm.rank(), [&] {
        plan = next_plan(step, plans);
        follow_writes(plan, step);
      });
    }
    const auto failure = caught(writer.comm.rank(), [&] { writer.transport->run(error ? WritePlan{} : plan); });
    if (!error) error = failure;
    // A rank that missed one collective does not take part in the next.
    if (failure && failure->kind() == ErrorKind::deadline) break;
  }
  if (!error) error = caught(writer.comm.rank(), [&] { complete_limits(step); });
  return error;
}

}  // namespace

std::optional<Error> transfer(State& step) {
  Writer::State& writer = *step.writer;
  StepPlans plans;
  std::optional<Error> error = caught(writer.comm.rank(), [&] {
    if (step.failure) throw Error(*step.failure);
    place(step);
    reserve(step);
    plans = plans_of(step);
    // Others write at the same time; afterwards all wait for rank 0.
    if (writer.comm.is_root()) prepare(step);
  });
  return move_bytes(step, plans, error);
}

}  // namespace quire
