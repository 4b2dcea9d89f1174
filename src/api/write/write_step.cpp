#include <utility>

#include "api/root.hpp"
#include "api/write/agree_on_step.hpp"
#include "api/write/chosen_rows.hpp"
#include "api/write/in_flight.hpp"
#include "api/write/limits.hpp"
#include "api/write/publish_step.hpp"
#include "api/write/remarks.hpp"
#include "api/write/step_size.hpp"
#include "api/write/step_state.hpp"
#include "api/write/transfer.hpp"
#include "api/write/write_blocks.hpp"
#include "api/write/write_groups.hpp"
#include "api/write/write_parts.hpp"
#include "api/write/write_streams.hpp"

namespace quire {
namespace {

using State = WriteStep::State;

/// Collective, at the beginning of the collective calls of a step: publishes the step in flight. Others may still wait
/// for this rank in a step that it has left; this takes part in their collective. If either fails, this step fails,
/// too, and all throw the same error.
void enter(State& next, Call call) {
  Writer::State& writer = *next.writer;
  writer.require_open();
  next.call = call;
  if (const auto error = caught([&] { publish_in_flight(writer); })) {
    next.finish(false);
    throw Error(*error);
  }
  if (!writer.has_left_places()) return;
  const auto error = caught(writer.comm.rank(), [&] { answer_for_left_step(writer); });
  next.finish(false);
  if (error) throw Error(*error);
}

/// A step of streams: their places, their bytes, and their use.
void commit_streams(State& step) {
  if (step.is_unplaced()) {
    place_streams(step);
    write_streams(step);
  }
  finish_streams(step);
  end_commit(step);
}

void open_step(State& step) {
  enter(step, Call::open);
  if (StreamPlanner* planner = step.writer->capabilities().streams; planner != nullptr) {
    if (planner->merges()) {
      throw Error(ErrorKind::unsupported,
                  "merged streams are written at once: the place of a piece depends on all others")
          .advise("commit without open(), or do not merge");
    }
    place_streams(step);
    write_streams(step);
    step.phase = State::Phase::placed;
    return;
  }
  agree_on_step(step);
  if (!step.failure) {
    step.failure = caught(step.writer->comm.rank(), [&] {
      place(step);
      reserve(step);
      for (StepPlans plans = plans_of(step); !plans.is_done();) {
        step.writer->transport->run_alone(next_plan(step, plans));
      }
      complete_limits(step);
    });
  }
  step.phase = State::Phase::placed;
}

void commit_step(State& step) {
  Writer::State& writer = *step.writer;
  enter(step, Call::commit);
  if (writer.capabilities().streams != nullptr) return commit_streams(step);
  std::optional<Error> error = step.failure;
  if (step.is_unplaced()) {
    agree_on_step(step);
    error = transfer(step);
  }
  if (!error) {
    error = caught(writer.comm.rank(), [&] {
      if (step.builder.is_streamed()) {
        complete_zones(step, [&](std::size_t table, auto columns) { write_block(step, table, 0, columns); });
      }
      require_all_rows(step);
      require_all_parts(step);
    });
  }
  if (!error) error = caught(writer.comm.rank(), [&] { writer.sync_step(); });
  const bool is_closed = publish_together(step, error);
  keep_layout(step);
  end_commit(step);
  if (is_closed) return;
  const auto failure = close_here(writer);
  agree(writer.comm, failure ? std::optional(writer.placed(*failure)) : std::nullopt);
}

}  // namespace

Error State::placed(Error error) const {
  if (error.file().empty()) error.in_file(path);
  return error;
}

void State::require_filling(const char* what) const {
  if (is_unplaced()) return;
  throw placed(Error(ErrorKind::usage, std::string(what) + " comes too late: the step is already " +
                                           (phase == Phase::done ? "finished" : "placed")));
}

void State::require_unweighed(const char* what) const {
  require_filling(what);
  if (part == nullptr) return;
  throw placed(
      Error(ErrorKind::usage, std::string(what) + " comes too late: the ranks have agreed on the step, or weighed it")
          .advise("describe the whole step before agree_on_rows(), weigh() and weigh_field()"));
}

void State::require_placed(const char* what, std::string_view object) const {
  if (phase == Phase::placed) return;
  const bool is_late = phase == Phase::done;
  throw placed(
      Error(ErrorKind::usage, std::string(what) + (is_late ? " comes too late: the step is finished" : " before open"))
          .on(std::string(object))
          .advise(is_late ? "write all of a step before its commit" : "every rank calls open() first"));
}

void State::accept(StepPart& brought) {
  if (table_names.empty()) {
    for (const Table& table : brought.description.tables) table_names.push_back(table.name);
  }
  if (field_names.empty()) {
    for (std::size_t f = 0; f < brought.fields.size(); ++f) {
      const Field& field = brought.description.fields[f];
      field_names.push_back(field.name);
      auto& parts = declared.emplace_back();
      if (const auto& box = brought.fields[f].declared) {
        const auto components = static_cast<std::size_t>(field.components);
        const BoxCover nothing(*box);
        parts.emplace(DeclaredField{field.type, components, nothing, nothing, std::vector<std::uint64_t>(components)});
      }
    }
  }
  for (const Table& table : brought.description.tables) require_size(table, table.rows);
  for (const Field& field : brought.description.fields) require_size(field);
  accepted = writer->planner->accept(brought.description, writer->options.lossy);
  remark_on_attributes(*writer, brought.description);
}

std::size_t State::find_table(std::string_view table) {
  if (const auto found = table_index.find(table_names, table)) return *found;
  return accepted.find_table(std::string(table));
}

void State::finish(bool published) {
  phase = Phase::done;
  publication.reset();
  if (!published) writer->lose_step();
  for (const auto& stream : streams) stream->finished = true;
  if (writer->open_step == this) writer->open_step = nullptr;
  if (writer->sums != nullptr) published ? writer->sums->keep() : writer->sums->drop();
  if (!published && part != nullptr) writer->planner->advance(*part, total, false);
  if (published) {
    keep_limits(*this);
    remark_on_number(*writer, accepted.number);
  }
}

WriteStep::WriteStep(std::unique_ptr<State> state) : state_(std::move(state)) {}
WriteStep::WriteStep(WriteStep&&) noexcept = default;
WriteStep& WriteStep::operator=(WriteStep&& other) noexcept {
  // The step of this object is left without commit.
  const WriteStep old(std::move(*this));
  state_ = std::move(other.state_);
  return *this;
}

WriteStep::~WriteStep() {
  if (!state_ || state_->phase == State::Phase::done) return;
  const std::shared_ptr<Writer::State> writer = state_->writer;
  writer->leave("a step was left without commit");
  writer->lose_step();
  writer->pending_exchanges += pending_exchanges(*state_);
  writer->open_step = nullptr;
  for (const auto& stream : state_->streams) stream->finished = true;
  if (state_->phase == State::Phase::weighing) writer->planner->advance(*state_->part, {}, false);
  if (state_->phase != State::Phase::placed) return;
  // The file owns the step now, and must not be owned by it.
  state_->writer = std::shared_ptr<Writer::State>(std::shared_ptr<void>(), writer.get());
  writer->departure->step = std::move(state_);
}

void take_back_left_step(Writer::State& writer) {
  if (!writer.has_left_places()) return;
  Departure& left = *writer.departure;
  const auto step = std::exchange(left.step, nullptr);
  take_back(*step, Error(ErrorKind::aborted, left.reason).from_rank(writer.comm.rank()));
}

void answer_for_left_step(Writer::State& writer) {
  if (!writer.has_left_places()) return;
  const auto error = caught(writer.comm.rank(), [&] { take_back_left_step(writer); });
  writer.departure.reset();
  if (error) throw Error(*error);
}

void take_back_open_step(Writer::State& writer, const Error& why) {
  if (State* step = writer.placed_step()) take_back(*step, why);
}

void WriteStep::agree_on_rows() {
  state_->require_filling("agree_on_rows");
  in_file(*state_->writer, [&] {
    enter(*state_, Call::rows);
    if (state_->writer->capabilities().encodes_together()) quire::agree_on_rows(*state_);
  });
}

void begin_weighing(State& step) {
  if (step.writer->background.in_flight) {
    throw Error(ErrorKind::usage, "values are weighed while another step is in flight")
        .advise("call Writer::wait() before WriteStep::weigh() and weigh_field()");
  }
  StepPart& part = step.builder.finish();
  // If the step fails, the planner drops its weights.
  step.part = &part;
  if (std::exchange(step.phase, State::Phase::weighing) == State::Phase::weighing) return;
  step.writer->describe_file();
  if (!step.writer->capabilities().holds_constants) step.builder.spread_constants();
  step.accept(part);
  step.weighed_rows.resize(part.tables.size(), 0);
  part.weights.tables.resize(part.tables.size(), 0);
}

void WriteStep::weigh(std::string_view table, std::span<const ConstView> columns) {
  State& step = *state_;
  step.require_filling("weigh");
  Writer::State& writer = *step.writer;
  if (step.failure || step.builder.error()) return;
  const PlannerCapabilities can = writer.capabilities();
  if (can.encodes_together()) {
    step.failure = caught(writer.comm.rank(), [&] { weigh_groups(step, table, columns); });
    return;
  }
  if (can.weigher == nullptr) return;
  step.failure = caught(writer.comm.rank(), [&] {
    begin_weighing(step);
    StepPart& part = *step.part;
    const std::size_t index = step.find_table(table);
    check_block(step.accepted.tables[index], rows_of_rank(part, step.accepted, index), step.weighed_rows[index],
                columns);
    StepPart block;
    block.description = step.accepted;
    block.tables.resize(part.tables.size());
    block.tables[index].assign(columns.begin(), columns.end());
    can.weigher->weigh(block, writer.options.lossy);
    part.weights.tables[index] += block.weights.tables[index];
    step.weighed_rows[index] += columns.empty() ? 0 : columns.front().count;
  });
}

void WriteStep::open() {
  state_->require_filling("open");
  in_file(*state_->writer, [&] { open_step(*state_); });
}

void WriteStep::write(std::string_view table, std::uint64_t first, std::span<const ConstView> columns) {
  State& step = *state_;
  step.require_placed("write");
  if (step.failure) return;
  step.failure = caught(step.writer->comm.rank(), [&] { write_block(step, step.find_table(table), first, columns); });
}

void WriteStep::commit() {
  require_committable();
  in_file(*state_->writer, [&] { commit_step(*state_); });
}

void WriteStep::commit_async(const AsyncCommit& how) {
  require_committable();
  const std::shared_ptr<Writer::State> writer = state_->writer;
  in_file(*writer, [&] {
    if (!state_->is_unplaced() || !overlaps(*writer)) return commit_step(*state_);
    auto flight = std::make_shared<StepInFlight>(*writer);
    auto finished = std::make_unique<State>(writer, state_->builder.number());
    finished->phase = State::Phase::done;
    // The caller's object must not keep the file open, and the step in flight.
    finished->writer.reset();
    state_->is_lent = how.borrow;
    enter(*state_, Call::commit);
    agree_on_step(*state_);
    launch(std::move(flight), std::exchange(state_, std::move(finished)), how.borrow);
  });
}

void WriteStep::require_committable() const {
  if (!state_) throw Error(ErrorKind::usage, "the step has been moved to another object");
  if (state_->phase == State::Phase::done) throw state_->placed(Error(ErrorKind::usage, "the step is finished"));
  state_->writer->require_own_calls();
}

void WriteStep::abort(const std::string& reason) {
  if (!state_) return;  // it has been moved to another object
  State& step = *state_;
  if (step.phase == State::Phase::done) return;
  Writer::State& writer = *step.writer;
  if (writer.life.has_ended()) return step.finish(false);
  // Ranks that commit the step throw this error, and drop the step as well.
  if (const auto lost = caught([&] { publish_in_flight(writer); })) {
    writer.background.lost = lost;
    return step.finish(false);
  }
  const Error error = Error(ErrorKind::aborted, "the step was aborted: " + reason).from_rank(writer.comm.rank());
  static_cast<void>(caught(writer.comm.rank(), [&] {
    enter(step, Call::commit);
    if (step.phase == State::Phase::placed) {
      take_back(step, error);
    } else {
      if (step.has_agreed_on_rows()) {
        step.failure = error;
        static_cast<void>(regroup(step));
      }
      static_cast<void>(propose_call(writer, {.failed = true}));
      require_same_file(step, error);
      fail_together(step, error);
    }
  }));
}

}  // namespace quire
