#include "quire/api/writer.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <utility>

#include "api/checksums.hpp"
#include "api/file_sets.hpp"
#include "api/publication.hpp"
#include "api/root.hpp"
#include "api/write/in_flight.hpp"
#include "api/write/remarks.hpp"
#include "api/write/series.hpp"
#include "api/write/step_state.hpp"
#include "api/write/write_groups.hpp"
#include "api/write/write_streams.hpp"
#include "api/writer_locks.hpp"
#include "base/attempts.hpp"
#include "base/stopwatch.hpp"
#include "comm/agreement.hpp"
#include "quire/format/format.hpp"
#include "quire/spi/base/archive.hpp"

namespace quire {
namespace {

Error step_in_the_way() { return {ErrorKind::usage, "another step is still open"}; }

Error step_taken_back() {
  return Error(ErrorKind::usage, "a file is attached or dropped while a step is open: the open step was taken back")
      .advise("commit the step first, or attach before it is opened");
}

/// Ends the open steps of this rank: ranks that commit a step that this rank has left after open() receive the error
/// there. Returns whether a step was left that was not reported to any rank.
bool end_steps(Writer::State& state) {
  const bool is_reported = state.has_left_places() || state.placed_step() != nullptr;
  static_cast<void>(caught(state.comm.rank(), [&] {
    take_back_left_step(state);
    if (state.placed_step() == nullptr) return;
    if (!state.life.is_given_up()) state.leave("the file was closed before a step was committed");
    take_back_open_step(state, Error(ErrorKind::aborted, state.departure->reason).from_rank(state.comm.rank()));
  }));
  const bool is_unreported = state.departure.has_value() && !is_reported;
  finish_pending_exchanges(state);
  return is_unreported;
}

/// Returns when every rank is in close(), with the `answer` of rank 0, given as soon as it knows that. Ranks that are
/// still in a commit receive the error that this one has left it: they throw, and close later. A step that was left
/// without commit fails there too.
Consensus leave_together(Writer::State& state, Proposal mine, const ConsensusAnswer& answer) {
  const auto size = static_cast<std::uint64_t>(state.comm.size());
  const auto all_leave = [size](const Consensus& all) { return all.failed == 0 && all.count(Call::close) == size; };
  while (true) {
    Consensus all = propose_call(state, mine, [&](const Consensus& known) {
      return all_leave(known) ? answer(known) : std::vector<std::byte>();
    });
    if (all_leave(all)) return all;
    std::optional<Error> error;
    if (mine.failed) error = Error(ErrorKind::aborted, state.departure->reason);
    // The error is that of the ranks that leave, not of those that stay.
    if (all.failed == 0) error = Error(ErrorKind::aborted, "this rank closes the file while others write a step");
    if (error) error = state.placed(error->from_rank(state.comm.rank()));
    static_cast<void>(caught(state.comm.rank(), [&] { agree(state.comm, error); }));
    mine.failed = false;
  }
}

/// Rank 0: throws a conflict error if the steps are no longer in the file that has the name. What replaces another file
/// as a whole is checked when it takes its place.
void require_own_file(const Writer::State& state) {
  if (state.target.replaces_whole()) return;
  const bool is_cut = state.lock.is_shorter_than(state.planner->published_size());
  if (!is_cut && !state.lock.is_lost()) return;
  throw Error(ErrorKind::conflict, std::string("another program has ") +
                                       (is_cut ? "truncated" : "removed or replaced") +
                                       " the file while this writer had it open: committed steps are lost")
      .in_file(state.first_file)
      .advise("write it again under a name that no other program writes");
}

/// Rank 0: makes a file without steps valid; durable if requested, or if the previous file is about to be removed.
void finish(Writer::State& state) {
  const bool root = state.comm.is_root();
  if (root) require_own_file(state);
  const bool wrote = root || state.transport->counters().bytes_written > 0;
  state.describe_file();
  const Stopwatch watch(state.timing.metadata);
  // A file without its only step must not look complete.
  const bool completes = state.steps != Steps::interrupted && !state.lacks_failed_step();
  if (root && completes) carry_out(state.planner->finish(), *state.transport, state.options.durable);
  if (root && state.lacks_failed_step() && !state.target.replaces_whole() && !state.target.is_compressed()) {
    state.remarks.emplace_back("the only step failed: readers refuse the incomplete file");
  }
  const bool replaces = state.target.replaces_whole() && !state.completes_with_step();
  if ((root && state.options.durable) || (wrote && replaces)) state.transport->sync(true);
}

}  // namespace

std::optional<Error> close_here(Writer::State& state) {
  if (!state.closed_side) {
    const auto error = caught(state.comm.rank(), [&] { finish(state); });
    // Closing may be collective: a rank that could not finish takes part all the same.
    const auto closing = caught(state.comm.rank(), [&] { state.transport->close(); });
    state.closed_side = ClosedSide{error ? error : closing};
  }
  return state.closed_side->failure;
}

namespace {

/// Collective. Whether a rank has left the file in the middle.
bool is_left_anywhere(Writer::State& state) {
  std::uint64_t reasons = state.is_left() ? 1 : 0;
  state.comm.sum(std::span(&reasons, 1));
  return reasons != 0;
}

/// Attributes of the file on which the ranks do not agree are not written: ranks that write together would hang.
void forget_file(Writer::State& state) {
  state.file_described = true;
  static_cast<void>(caught(state.comm.rank(), [&] { state.planner->set_file({}); }));
}

/// Collective. Throws what failed on any rank. Returns whether the ranks agree on the description of the file.
bool close_together(Writer::State& state) {
  const bool is_unreported = end_steps(state);
  std::optional<Error> error;
  // If closing is independent, rank 0 closes when all others have: one collective.
  const bool alone = !state.transport->is_collective();
  if (alone && !state.comm.is_root()) error = close_here(state);
  const Proposal mine{.failed = is_unreported,
                      .call = Call::close,
                      .unclosed = error.has_value(),
                      .structure = description_hash(state.file)};
  const auto close_agreed = [&](const Consensus& known) {
    if (!known.same_structure) forget_file(state);
    error = close_here(state);
  };
  const Consensus all = leave_together(state, mine, [&](const Consensus& known) {
    if (alone) close_agreed(known);
    return pack(known.unclosed != 0 || error.has_value());
  });
  if (!alone) close_agreed(all);
  if (!alone || unpack<bool>(all.answer)) {
    agree(state.comm, error ? std::optional(state.placed(*error)) : std::nullopt);
  }
  return all.same_structure;
}

/// Collective. Whether the new file lacks its only step: the older file stays. The commit failed, if there was one, so
/// no step is lost here.
bool lacks_only_step(Writer::State& state, const WriteLock& lock) {
  if (!state.target.replaces_whole() || !state.holds_one_step || state.steps == Steps::committed) return false;
  if (!state.comm.is_root()) return true;
  state.target.discard(lock);
  if (!state.is_left()) state.remarks.emplace_back("no step was written: the path is unchanged");
  return true;
}

/// The reason why the new file cannot replace the old one, if this rank has one.
std::optional<Error> reason_to_drop(const Writer::State& state) {
  if (!state.is_left()) return std::nullopt;
  const std::string reason = state.departure ? state.departure->reason : "the publication of a step was interrupted";
  return Error(ErrorKind::aborted, "the new file was not completed: " + reason)
      .in_file(state.path)
      .advise(
          "the new file and its committed steps are dropped, and the path is unchanged: write the "
          "file again, with replacement=direct if committed steps must stay when a rank fails");
}

/// Collective. Whether the older file stays because a rank has left the new one: the steps that were committed to the
/// new one are dropped, so every rank throws the same error. Ranks that abandoned the file return: they have the
/// reason.
bool was_given_up(Writer::State& state, const WriteLock& lock) {
  if (!state.target.counts_when_whole() || state.completes_with_step()) return false;
  const auto error = caught(state.comm.rank(), [&] { agree(state.comm, reason_to_drop(state)); });
  if (!error) return false;
  // An error of the communicator is not one of the file.
  if (error->kind() != ErrorKind::aborted) throw Error(*error);
  if (state.comm.is_root()) state.target.discard(lock);
  if (!state.life.is_given_up()) throw Error(*error);
  return true;
}

/// Collective. Whether there is nothing to compress: the old file stays.
bool has_nothing_to_compress(Writer::State& state, const WriteLock& lock) {
  if (!state.target.is_compressed() || !state.holds_one_step || state.steps == Steps::committed) return false;
  std::uint64_t failed = state.lacks_failed_step() ? 1 : 0;
  state.comm.sum(std::span(&failed, 1));
  if (failed == 0 || !state.comm.is_root()) return failed != 0;
  state.target.discard(lock);
  state.remarks.emplace_back("the only step failed: there is no new file, and the path is unchanged");
  return true;
}

/// Independent. On rank 0, removes a new file in which nothing is stored, because its only step failed.
void remove_empty(const Writer::State& state) {
  if (!state.comm.is_root() || !state.lacks_failed_step()) return;
  std::error_code ignored;
  const bool is_empty = std::filesystem::file_size(state.first_file, ignored) == 0;
  if (is_empty && !ignored) std::filesystem::remove(state.first_file, ignored);
}

/// Collective. Moves the file to its place, unless it is there already.
void put_in_place(Writer::State& state, const WriteLock& lock) {
  if (state.completes_with_step()) return;
  const auto open = [&state](const std::string& path, Access access) { return state.opened(path, access, state.comm); };
  auto remains = state.target.complete(state.comm, open, state.options.durable, lock, state.capabilities().file_set);
  std::ranges::move(remains, std::back_inserter(state.remarks));
}

}  // namespace

void Writer::State::leave(std::string reason) {
  if (!departure) departure.emplace();
  departure->reason = std::move(reason);
}

Error Writer::State::placed(Error error) const {
  if (error.file().empty()) error.in_file(path);
  return error;
}

void Writer::State::sync_step() {
  if (!syncs_steps()) return;
  const TransportCounters& mine = transport->counters();
  // With a collective transport a rank that has opened the file may have written data of other ranks.
  if (options.durable || mine.bytes_written > 0 || (transport->is_collective() && mine.opens > 0))
    transport->sync(false);
}

void Writer::State::describe_file() {
  if (file_described) return;
  planner->set_file(file);
  file_described = true;
  remark_on_file(*this);
}

void Writer::State::find_members() {
  const std::string name = std::filesystem::path(first_file).filename().string();
  const FileSetNames* const set = capabilities().file_set;
  if (member_name(set, name, 1).empty()) return;
  if (comm.is_root()) {
    for (const std::string& member : paths_of_members(first_file, set)) {
      lock.keep(lock_for_writing(member, true));
    }
  }
  has_members = true;
  transport = with_members(
      std::move(transport), first_file, [set, name](std::uint64_t member) { return set->member_name(name, member); },
      [this](const std::string& member) { return opened(member, Access::join, Comm::self()); });
}

void Writer::State::roll_back() {
  // The commit has failed already, and its error is the one to report; readers refuse what remains.
  static_cast<void>(caught(comm.rank(), [&] {
    // The first file is removed last, so that a kill in between leaves no raw data without it. Rank 0 may not have
    // opened files that other ranks have written.
    drop_leftovers();
    const std::uint64_t published = planner->published_size();
    // Of a set of files the first one may be empty when others are not.
    if (published == 0 || transport->size() > published) transport->resize(published);
  }));
}

void Writer::State::drop_leftovers() {
  has_leftovers = false;
  if (const std::uint64_t data = planner->data_begin(); data != planner->published_size()) transport->resize(data);
}

Writer::Writer(std::shared_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

Attribute attribute_of(std::string name, Value value, std::string unit) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.unit = std::move(unit);
  attribute.value = std::move(value);
  return attribute;
}

namespace {

/// Adds an attribute to a file whose attributes the planner has.
void add_late(Writer::State& state, const Attribute& attribute) {
  AttributeAdder* const late = state.capabilities().late_attributes;
  if (late != nullptr) return late->add_to_file(attribute);
  throw Error(
      ErrorKind::unsupported,
      "files of this format have their attributes from the first step on: none is added to an existing file, or "
      "after the first commit")
      .on(attribute.name)
      .advise("set it in the steps that are written, or in a new file before its first step");
}

}  // namespace

Writer& Writer::set(std::string name, Value value, std::string unit) {
  return set(attribute_of(std::move(name), std::move(value), std::move(unit)));
}

Writer& Writer::set(Attribute attribute) {
  attribute.type = attribute.value.type();
  // Files of a series that follow get the attribute when they are created.
  if (state_->series && state_->series->file) Writer(state_->series->file).set(attribute);
  in_file(*state_, [&] {
    state_->require_settable();
    if (state_->file_described) add_late(*state_, attribute);
  });
  std::vector<Attribute>& attributes = state_->file.attributes;
  if (const auto old = state_->attribute_index.find(attributes, attribute.name)) {
    attributes.erase(attributes.begin() + static_cast<std::ptrdiff_t>(*old));
    state_->attribute_index.clear();
  }
  attributes.push_back(std::move(attribute));
  return *this;
}

Writer& Writer::describe(std::string title, std::string contents) {
  in_file(*state_, [&] {
    state_->require_settable();
    if (state_->file_described) throw Error(ErrorKind::usage, "title and contents come too late: the file has them");
  });
  state_->file.title = std::move(title);
  state_->file.contents = std::move(contents);
  return *this;
}

Writer& Writer::declare(const StepDescription& step) {
  in_file(*state_, [&] {
    state_->require_settable();
    if (!format_named(state_->file.format).holds_declarations) {
      throw Error(ErrorKind::unsupported,
                  "a file of the format " + state_->file.format + " cannot declare the structure of its steps")
          .advise("put the columns, fields and attributes into a step");
    }
    if (state_->file_described) {
      throw Error(ErrorKind::usage, "the structure of steps is declared before the first one, and in a new file");
    }
  });
  state_->file.declared = without_values(step);
  return *this;
}

void Writer::State::require_open() const {
  if (life.has_ended()) throw placed(Error(ErrorKind::usage, "the file is closed"));
}

void Writer::State::require_own_calls() const {
  if (!is_filling) return;
  throw placed(Error(ErrorKind::usage, "this call is not allowed in the function that fills a step of write_file()")
                   .advise("fill the step and return, or throw to abandon the file; use create() for other calls"));
}

void Writer::State::require_settable() const {
  require_open();
  if (background.in_flight) {
    throw placed(Error(ErrorKind::usage, "the file is described while a step is in flight")
                     .advise("describe it before commit_async(), or after wait()"));
  }
  if (placed_step() == nullptr) return;
  throw placed(
      Error(ErrorKind::usage, "the ranks have agreed on the open step, and on the description of the file with it")
          .advise("describe the file before open(), or after commit()"));
}

void Writer::State::require_publishable() const {
  if (steps != Steps::interrupted) return;
  throw placed(Error(ErrorKind::usage, "the publication of a step was interrupted by an error")
                   .advise("close the file and run quire recover"));
}

void Writer::State::require_between_steps() const {
  require_open();
  require_publishable();
  if (open_step != nullptr) throw placed(step_in_the_way());
}

void Writer::attach(const std::string& name, std::span<const std::byte> bytes, bool replace,
                    const std::optional<Error>& refusal) {
  // Only rank 0 keeps a copy.
  if (!state_->comm.is_root()) bytes = {};
  state_->attach(name, std::vector<std::byte>(bytes.begin(), bytes.end()), replace, refusal);
}

void Writer::detach(const std::string& name, const std::optional<Error>& refusal) {
  state_->attach(name, std::nullopt, true, refusal);
}

void Writer::State::attach(const std::string& name, std::optional<std::vector<std::byte>> bytes, bool replace,
                           std::optional<Error> refusal) {
  in_file(*this, [&] {
    require_open();
    require_own_calls();
    publish_in_flight(*this);
    // Others may wait for this rank in a step that it has left, or that is still open.
    answer_for_left_step(*this);
    take_back_open_step(*this, step_taken_back());
    finish_pending_exchanges(*this);
    const auto left = std::exchange(departure, std::nullopt);
    if (!refusal && left) refusal = Error(ErrorKind::aborted, left->reason);
    if (!refusal) refusal = caught(comm.rank(), [&] { require_between_steps(); });
    const std::string call = (bytes ? "attaching \"" : "dropping \"") + name + "\"";
    // They may also commit one, or be in close() or abort() at the same time: all take part in this collective.
    const Consensus all = propose_call(
        *this,
        {.failed = refusal.has_value(), .call = Call::attach, .structure = XXH3_64bits(call.data(), call.size())});
    if (!all.goes_on(Call::attach, refusal)) {
      // The step of the others has ended.
      if (open_step != nullptr && all.fails_steps()) open_step->finish(false);
      agree(comm, refusal);
    }
    if (!all.same_structure) agree_on_call(comm, call);
    static_cast<void>(from_root(comm, [&] {
      AttachmentWriter* const attachments = capabilities().attachments;
      if (attachments == nullptr) {
        throw Error(ErrorKind::unsupported, "files of this format have no attachments").on(name);
      }
      attachments->attach(name, std::move(bytes), replace);
      return std::vector<std::byte>();
    }));
  });
}

WriteStep Writer::step(std::int64_t number) {
  if (state_->series) return next_in_series(*state_, number).step(number);
  state_->require_between_steps();
  auto step = std::make_unique<WriteStep::State>(state_, number);
  state_->open_step = step.get();
  return WriteStep(std::move(step));
}

bool Writer::weighs_values() const {
  const PlannerCapabilities can = state_->capabilities();
  return can.weigher != nullptr || can.encodes_together();
}

bool Writer::pads_texts() const { return state_->capabilities().longest_padded_text != 0; }

bool Writer::appears_at_close() const {
  if (state_->life.has_ended() || state_->is_complete()) return false;
  return state_->target.is_compressed() || state_->target.replaces_whole();
}

namespace {

WriteStep filled_step(Writer& writer, std::int64_t number, const std::function<void(WriteStep&)>& fill) {
  WriteStep step = writer.step(number);
  try {
    fill(step);
  } catch (const std::exception& error) {
    step.abort(error.what());
    throw;
  } catch (...) {
    step.abort("an exception was thrown that is no std::exception");
    throw;
  }
  return step;
}

}  // namespace

void Writer::write_step(std::int64_t number, const std::function<void(WriteStep&)>& fill) {
  filled_step(*this, number, fill).commit();
}

void Writer::write_step(std::int64_t number, const std::function<void(WriteStep&)>& fill, const AsyncCommit& how) {
  filled_step(*this, number, fill).commit_async(how);
}

bool Writer::overlaps() const {
  const Series* const series = state_->series.get();
  return quire::overlaps(series != nullptr && series->file ? *series->file : *state_);
}

void Writer::wait() {
  if (state_->series && state_->series->file) return Writer(state_->series->file).wait();
  state_->require_own_calls();
  in_file(*state_, [&] { static_cast<void>(complete_in_flight(*state_, true)); });
}

bool Writer::test() {
  if (state_->series && state_->series->file) return Writer(state_->series->file).test();
  state_->require_own_calls();
  return in_file(*state_, [&] { return complete_in_flight(*state_, false); });
}

namespace {

/// Collective. Writes the checksums of a complete file, if they were requested.
void keep_sums(Writer::State& state) {
  if (state.sums == nullptr || is_left_anywhere(state)) return;
  const std::string first = std::filesystem::path(state.first_file).filename().string();
  write_sums(state.comm, state.path, state.sums->extents(),
             [set = state.capabilities().file_set, first](std::uint64_t member) {
               return member == 0 ? first : member_name(set, first, member);
             });
}

/// Collective. Closes a file that is dropped. The reason why it was abandoned is the error to report.
void abandon(Writer::State& state, const WriteLock& lock) {
  if (!state.is_closed_with_step()) static_cast<void>(caught([&] { static_cast<void>(close_together(state)); }));
  if (state.comm.is_root()) state.target.discard(lock);
}

void close_file(Writer::State& state, Incomplete incomplete) {
  const WriteLock& lock = state.lock;
  // A file that is in its place with its step has replaced the old one already.
  if (incomplete == Incomplete::dropped && !state.is_complete()) return abandon(state, lock);
  const bool is_agreed = state.is_closed_with_step() || close_together(state);
  const Stopwatch watch(state.timing.metadata);
  if (lacks_only_step(state, lock) || was_given_up(state, lock)) return;
  if (has_nothing_to_compress(state, lock)) return;
  put_in_place(state, lock);
  remove_empty(state);
  keep_sums(state);
  // The steps are in the file, even if its attributes are not.
  if (!is_agreed && !is_left_anywhere(state)) fail_for_file(state);
}

/// Collective. The end of close() and abort().
void end_life(Writer::State& state, Incomplete incomplete) {
  if (state.series) {
    return close_series(state, state.departure ? std::optional(state.departure->reason) : std::nullopt);
  }
  in_file(state, [&] {
    Attempts attempts;
    const auto failure = caught([&] { static_cast<void>(complete_in_flight(state, true)); });
    attempts.attempt([&] {
      if (failure && !state.life.is_given_up()) throw Error(*failure);
    });
    attempts.attempt([&] { close_file(state, incomplete); });
    // Other writers stay locked out until the file has its final name, or an error states that it has not.
    const WriteLock released = std::move(state.lock);
    // Handles may keep this state, but not the communicator: MPI has a limited number of them.
    attempts.attempt([&] { state.comm.let_go(); });
    attempts.rethrow();
  });
}

}  // namespace

void close_writer(Writer::State& state, Incomplete incomplete) {
  if (state.life.has_ended()) return;
  state.require_own_calls();
  state.life.close();
  end_life(state, incomplete);
}

void abort_writer(Writer::State& state, const std::string& reason, Incomplete incomplete) {
  state.require_own_calls();
  if (state.life.has_ended()) return;
  if (!state.departure) state.leave(reason);
  state.life.give_up();
  end_life(state, incomplete);
}

void Writer::close() { close_writer(*state_, Incomplete::kept); }

void Writer::abort(const std::string& reason) { abort_writer(*state_, reason, Incomplete::kept); }

const StepDescription& Writer::schema() const {
  const Series* const series = state_->series.get();
  return series != nullptr && series->file ? series->file->schema : state_->schema;
}

Timing Writer::timing() const {
  if (state_->series) return state_->series->timing_so_far();
  Timing timing = state_->timing;
  if (!state_->transport) return timing;  // of a file that is not created yet
  const TransportCounters moved = counters();
  timing.encode += moved.encode_seconds;
  timing.transfer += moved.transfer_seconds;
  return timing;
}

TransportCounters Writer::counters() const {
  if (state_->series) return state_->series->counters_so_far();
  if (!state_->transport) return {};
  const StepInFlight* const in_flight = state_->background.in_flight.get();
  return in_flight != nullptr ? in_flight->counters : state_->transport->counters();
}

const std::vector<std::string>& Writer::remarks() const { return state_->remarks; }

Comm& Writer::comm() { return state_->comm; }

}  // namespace quire
