#include <algorithm>
#include <utility>

#include "api/root.hpp"
#include "api/write/agree_on_step.hpp"
#include "api/write/chosen_rows.hpp"
#include "api/write/part_plan.hpp"
#include "api/write/remarks.hpp"
#include "api/write/step_size.hpp"
#include "api/write/write_blocks.hpp"
#include "api/write/write_groups.hpp"
#include "api/write/write_parts.hpp"
#include "api/write/write_streams.hpp"
#include "api/write/writer_state.hpp"
#include "base/stopwatch.hpp"
#include "quire/spi/base/archive.hpp"

namespace quire {
namespace {

using State = WriteStep::State;

/// The end of a publication: done, rolled back, or interrupted when it could not be rolled back.
enum class Ending : std::uint8_t { done, rolled_back, interrupted };

/// The outcome of the publication and the new state of the planner.
struct Outcome {
  Ending ending = Ending::done;
  std::vector<std::byte> state;
  bool unclosed = false;  ///< the step is published, but its file could not be closed with it
  template <class Archive>
  void archive(Archive& a) {
    a(ending, state, unclosed);
  }
};

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

/// The immediate writes of this rank: the title, and all columns and fields of a step that is not streamed.
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

/// Elements of fields and chosen rows that no rank has put are zeros, also at the end of the file.
void fill_end(const State& step) {
  Transport& transport = *step.writer->transport;
  const bool may_leave_gaps = !step.accepted.fields.empty() ||
                              std::ranges::any_of(step.part->chosen, [](const auto& rows) { return rows.has_value(); });
  if (!may_leave_gaps || transport.size() >= step.placement.end) return;
  transport.resize(step.placement.end);
}

/// Rank 0: plans the publication of the step.
void prepare(State& step) {
  Writer::State& writer = *step.writer;
  if (step.publication) return;
  const Stopwatch watch(writer.timing.plan);
  step.publication = writer.planner->publish(*step.part, step.total);
}

/// Rank 0: publishes the step, unless it has failed; then nothing of it stays.
Outcome publish(State& step, std::optional<Error>& error) {
  Writer::State& writer = *step.writer;
  const Stopwatch watch(writer.timing.metadata);
  writer.overwriting = false;
  Outcome outcome;
  if (!error) {
    error = caught(0, [&] {
      fill_end(step);
      prepare(step);
      writer.carry_out(*step.publication);
      if (writer.syncs_steps()) writer.transport->sync(true);
      if (writer.completes_with_step()) {
        drop_notes(step);  // their name depends on where the file was written
        writer.replace_old();
      }
      writer.planner->advance(*step.part, step.total, true);
      outcome.state = writer.planner->state();
    });
  }
  if (error) outcome.ending = writer.overwriting ? Ending::interrupted : Ending::rolled_back;
  return outcome;
}

/// After rank 0 has sent the end of the publication, and where the next step begins.
void settle(State& step, const Outcome& outcome, const std::optional<Error>& error) {
  Writer::State& writer = *step.writer;
  writer.broken = outcome.ending == Ending::interrupted;
  if (outcome.ending != Ending::done) fail_together(step, error);
  if (writer.comm.is_root()) return;
  writer.planner->advance(*step.part, step.total, true);
  if (!outcome.state.empty()) writer.planner->adopt(outcome.state);
}

/// Writes this rank's bytes, if it has not failed. Returns what failed here.
std::optional<Error> move_bytes(State& step, StepPlans& plans, std::optional<Error> error) {
  Writer::State& writer = *step.writer;
  // A rank that has failed, or has no more plans, still takes part in collective transfers, with empty plans.
  for (std::uint64_t done = 0; done < step.plans || (!error && !plans.is_done()); ++done) {
    WritePlan plan;
    if (!error && !plans.is_done()) error = caught(writer.comm.rank(), [&] { plan = next_plan(step, plans); });
    const auto failure = caught(writer.comm.rank(), [&] { writer.transport->run(error ? WritePlan{} : plan); });
    if (!error) error = failure;
    // A rank that missed one collective does not take part in the next.
    if (failure && failure->kind() == ErrorKind::deadline) break;
  }
  return error;
}

/// Places the step and writes this rank's bytes. Returns what failed here.
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

/// A collective in which rank 0 publishes: the time that this takes is not waiting time of this rank.
template <class Collective>
auto waiting(Writer::State& writer, Collective&& collective) {
  const double before = writer.timing.metadata;
  const Stopwatch watch(writer.timing.wait);
  auto result = collective();
  writer.timing.wait -= writer.timing.metadata - before;
  return result;
}

/// Collective 2, after this rank's bytes are written or have failed: if all are written, rank 0 runs `answer` and all
/// return its bytes.
std::vector<std::byte> agree_on_data(State& step, const std::optional<Error>& error, const RootAnswer& answer) {
  std::uint64_t failed = error ? 1 : 0;
  auto answered = waiting(*step.writer, [&] {
    return step.writer->comm.maximum_and_answer(std::span(&failed, 1),
                                                [&] { return failed == 0 ? answer() : std::vector<std::byte>(); });
  });
  if (failed != 0) fail_together(step, error);
  return answered;
}

/// Collective. Publishes the step if all ranks have written their bytes, in one collective. Returns whether the file is
/// closed as well, if it was to be.
bool publish_together(State& step, std::optional<Error> error) {
  Writer::State& writer = *step.writer;
  if (!error && writer.closes_with_step && !writer.comm.is_root()) error = close_here(writer);
  std::optional<Error> failure;
  const auto outcome = unpack<Outcome>(agree_on_data(step, error, [&] {
    Outcome mine = publish(step, failure);
    if (writer.closes_with_step && mine.ending == Ending::done) mine.unclosed = close_here(writer).has_value();
    return pack(mine);
  }));
  writer.closed_with_step = writer.closes_with_step && outcome.ending == Ending::done;
  settle(step, outcome, failure);
  return !outcome.unclosed;
}

/// The same after the bytes of streams are written.
void finish_streams(State& step) {
  std::optional<Error> failure;
  const auto answered = waiting(*step.writer, [&] {
    return collect_streams(step, [&](const std::optional<Error>& error) {
      failure = error;
      return pack(publish(step, failure));
    });
  });
  try {
    settle(step, unpack<Outcome>(answered), failure);
  } catch (const Error&) {
    if (!step.writer->broken) drop_notes(step);
    throw;
  }
  drop_notes(step);
}

/// Collective. Rolls back a placed step that the others commit. Every rank throws the error.
void take_back(State& step, const Error& error) {
  if (step.writer->capabilities().streams == nullptr) {
    static_cast<void>(agree_on_data(step, error, {}));
    return;
  }
  step.failure = error;
  finish_streams(step);
}

/// Collective, at the beginning of the collective calls of a step: others may still wait for this rank in a step that
/// it has left. This takes part in their collective; then all throw the same error.
void enter(State& next, Call call) {
  Writer::State& writer = *next.writer;
  writer.require_open();
  next.call = call;
  if (!writer.left) return;
  const auto error = caught(writer.comm.rank(), [&] { answer_for_left_step(writer); });
  next.finish(false);
  if (error) throw Error(*error);
}

/// After the step is published.
void end_commit(State& step) {
  Writer::State& writer = *step.writer;
  writer.has_step = true;
  step.finish(true);
  writer.schema = std::move(step.accepted);
}

/// A step of streams: their places, their bytes, and their use.
void commit_streams(State& step) {
  if (step.phase == State::Phase::filling) {
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
    });
  }
  step.phase = State::Phase::placed;
}

void commit_step(State& step) {
  Writer::State& writer = *step.writer;
  enter(step, Call::commit);
  if (writer.capabilities().streams != nullptr) return commit_streams(step);
  std::optional<Error> error = step.failure;
  if (step.phase == State::Phase::filling) {
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
  if (!is_closed)
    agree(writer.comm, writer.close_failure ? std::optional(writer.placed(*writer.close_failure)) : std::nullopt);
}

}  // namespace

void State::require_filling(const char* what) const {
  if (phase == Phase::filling) return;
  throw writer->placed(Error(ErrorKind::usage, std::string(what) + " comes too late: the step is already " +
                                                   (phase == Phase::done ? "finished" : "placed")));
}

void State::require_unweighed(const char* what) const {
  require_filling(what);
  if (part == nullptr) return;
  throw writer->placed(
      Error(ErrorKind::usage, std::string(what) + " comes too late: the ranks have agreed on the step, or weighed it")
          .advise("describe the whole step before agree_on_rows(), weigh() and weigh_field()"));
}

void State::require_placed(const char* what, std::string_view object) const {
  if (phase == Phase::placed) return;
  const bool is_late = phase == Phase::done;
  throw writer->placed(
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
}

std::size_t State::find_table(std::string_view table) {
  if (const auto found = table_index.find(table_names, table)) return *found;
  return accepted.find_table(std::string(table));
}

void State::finish(bool published) {
  phase = Phase::done;
  publication.reset();
  writer->has_failed_step = writer->has_failed_step || !published;
  for (const auto& stream : streams) stream->finished = true;
  if (writer->open_step == this) writer->open_step = nullptr;
  if (writer->sums != nullptr) published ? writer->sums->keep() : writer->sums->drop();
  if (!published && part != nullptr) writer->planner->advance(*part, total, false);
  if (published) remark_on_number(*writer, accepted.number);
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
  writer->abandoned = "a step was left without commit";
  writer->has_failed_step = true;
  writer->pending_exchanges += pending_exchanges(*state_);
  writer->open_step = nullptr;
  for (const auto& stream : state_->streams) stream->finished = true;
  if (state_->phase == State::Phase::filling && state_->has_weighed) writer->planner->advance(*state_->part, {}, false);
  if (state_->phase != State::Phase::placed) return;
  // The file owns the step now, and must not be owned by it.
  state_->writer = std::shared_ptr<Writer::State>(std::shared_ptr<void>(), writer.get());
  writer->left = std::move(state_);
}

void take_back_left_step(Writer::State& writer) {
  const auto left = std::exchange(writer.left, nullptr);
  if (left) take_back(*left, Error(ErrorKind::aborted, *writer.abandoned).from_rank(writer.comm.rank()));
}

void answer_for_left_step(Writer::State& writer) {
  if (!writer.left) return;
  const auto error = caught(writer.comm.rank(), [&] { take_back_left_step(writer); });
  writer.abandoned.reset();
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
  StepPart& part = step.builder.finish();
  // If the step fails, the planner drops its weights.
  step.part = &part;
  if (std::exchange(step.has_weighed, true)) return;
  step.writer->describe_file();
  if (!step.writer->capabilities().holds_constants) step.builder.spread_constants();
  step.accept(part);
  step.weighed_rows.resize(part.tables.size(), 0);
  part.weights.tables.resize(part.tables.size(), 0);
}

void WriteStep::weigh(std::string_view table, std::span<const ConstView> columns) {
  State& step = *state_;
  Writer::State& writer = *step.writer;
  step.require_filling("weigh");
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
  if (!state_) throw Error(ErrorKind::usage, "the step has been moved to another object");
  State& step = *state_;
  if (step.phase == State::Phase::done) throw step.writer->placed(Error(ErrorKind::usage, "the step is finished"));
  step.writer->require_own_calls();
  in_file(*step.writer, [&] { commit_step(step); });
}

void WriteStep::abort(const std::string& reason) {
  if (!state_) return;  // it has been moved to another object
  State& step = *state_;
  if (step.phase == State::Phase::done) return;
  Writer::State& writer = *step.writer;
  if (writer.closed) return step.finish(false);
  const Error error = Error(ErrorKind::aborted, "the step was aborted: " + reason).from_rank(writer.comm.rank());
  static_cast<void>(caught(writer.comm.rank(), [&] {
    enter(step, Call::commit);
    if (step.phase == State::Phase::placed) {
      take_back(step, error);
    } else {
      if (step.agreed_on_rows) {
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
