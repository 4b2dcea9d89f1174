#include "api/write/in_flight.hpp"

#include <algorithm>
#include <utility>

#include "api/root.hpp"
#include "api/write/limits.hpp"
#include "api/write/new_file.hpp"
#include "api/write/publish_step.hpp"
#include "api/write/put_elements.hpp"
#include "api/write/transfer.hpp"
#include "api/write/transport_knobs.hpp"
#include "quire/spi/base/checked.hpp"
#include "transport/alignment.hpp"
#include "transport/write_pieces.hpp"

namespace quire {
namespace {

/// Copies what a plan writes to buffers of the pool, and waits for the oldest if they are all in use.
void copy(StepInFlight& flight, const WritePlan& plan, const TransportLimits& limits) {
  TransportCounters counters;
  WritePieces pieces(plan, limits, Gather::all, counters);
  for (bool goes_on = true; goes_on;) {
    const auto buffer = flight.writer.background.pool->take();
    WritePlan batch;
    for (const WritePiece& piece : pieces.next_batch(buffer->provide(limits.staging))) {
      batch.add(piece.offset, piece.bytes);
    }
    goes_on = !batch.extents.empty() && flight.writes.add([&transport = *flight.writer.transport, buffer,
                                                           moved = std::move(batch)] { transport.run_alone(moved); });
  }
  flight.writer.timing.encode += counters.encode_seconds;
}

/// The arrays may change from now on.
void copy_all(StepInFlight& flight) {
  Writer::State& writer = flight.writer;
  TransportLimits limits = limits_of(writer.options.options);
  limits.staging = static_cast<std::size_t>(round_up(limits.staging, page_bytes));
  if (!writer.background.pool) {
    const std::size_t buffers = limits.pool / limits.staging;
    writer.background.pool = std::make_shared<BufferPool>(std::max<std::size_t>(buffers, 1));
  }
  for (StepPlans plans = plans_of(*flight.step); !plans.is_done();) {
    WritePlan plan = next_plan(*flight.step, plans);
    follow_writes(plan, *flight.step);
    copy(flight, plan, limits);
  }
  complete_limits(*flight.step);
}

void lend_all(StepInFlight& flight) {
  complete_limits(*flight.step);
  flight.plans = plans_of(*flight.step);
  flight.writes.add([&flight] {
    while (!flight.plans.is_done()) flight.writer.transport->run_alone(flight.plans.next());
  });
}

/// An error of the call that publishes the step names that step.
Error about_step(Error error, std::int64_t number) {
  if (error.object().empty()) error.on("step " + std::to_string(number));
  return error;
}

/// What failed on this rank, after its bytes are written or dropped.
std::optional<Error> failure_of(StepInFlight& flight) {
  const Writer::State& writer = flight.writer;
  if (writer.life.is_given_up()) {
    flight.writes.drop();
    return Error(ErrorKind::aborted, writer.departure->reason).from_rank(writer.comm.rank());
  }
  const auto error = flight.writes.wait();
  return flight.failure ? flight.failure : error;
}

}  // namespace

bool overlaps(const Writer::State& writer) {
  if (writer.open_step != nullptr && writer.open_step->builder.is_streamed()) return false;
  return moves_in_background(writer.options.transport) && !writer.has_members &&
         writer.capabilities().streams == nullptr;
}

void launch(std::shared_ptr<StepInFlight> flight, std::unique_ptr<WriteStep::State> committed, bool borrows) {
  Writer::State& writer = flight->writer;
  WriteStep::State& step = *committed;
  // The file owns the step now, and must not be owned by it.
  step.writer = std::shared_ptr<Writer::State>(std::shared_ptr<void>(), &writer);
  writer.open_step = nullptr;
  flight->step = std::move(committed);
  flight->counters = writer.transport->counters();
  flight->failure = caught(writer.comm.rank(), [&] {
    // The ranks have agreed on the elements, also if one of them fails now.
    keep_layout(step);
    if (step.failure) throw Error(*step.failure);
    place(step);
    reserve(step);
    // The planner may read the file.
    if (writer.comm.is_root()) prepare(step);
    borrows ? lend_all(*flight) : copy_all(*flight);
    flight->writes.add([&writer] { writer.sync_step(); });
  });
  writer.background.in_flight = std::move(flight);
}

bool publish_in_flight(Writer::State& writer, bool waits) {
  if (!writer.background.in_flight) return true;
  const auto flight = std::exchange(writer.background.in_flight, nullptr);
  WriteStep::State& step = *flight->step;
  try {
    const bool is_written = waits || flight->writes.is_done();
    const auto error = is_written ? failure_of(*flight) : std::nullopt;
    while (!publish_if_written(step, error, is_written)) {
      if (waits) continue;
      writer.background.in_flight = flight;
      return false;
    }
  } catch (const Error& error) {
    if (step.phase != WriteStep::State::Phase::done) step.finish(false);
    throw about_step(error, step.accepted.number);
  }
  end_commit(step);
  return true;
}

bool complete_in_flight(Writer::State& writer, bool waits) {
  const bool is_done = publish_in_flight(writer, waits);
  if (const auto lost = std::exchange(writer.background.lost, std::nullopt)) throw Error(*lost);
  return is_done;
}

}  // namespace quire
