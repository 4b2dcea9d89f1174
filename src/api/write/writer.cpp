#include "quire/api/writer.hpp"

#include <xxhash.h>

#include <filesystem>
#include <utility>

#include "api/file_sets.hpp"
#include "api/root.hpp"
#include "api/write/in_flight.hpp"
#include "api/write/remarks.hpp"
#include "api/write/series.hpp"
#include "api/write/step_state.hpp"
#include "api/write/write_groups.hpp"
#include "api/write/write_streams.hpp"
#include "api/writer_locks.hpp"
#include "comm/agreement.hpp"
#include "quire/format/format.hpp"

namespace quire {
namespace {

Error step_in_the_way() { return {ErrorKind::usage, "another step is still open"}; }

Error step_taken_back() {
  return Error(ErrorKind::usage, "a file is attached or dropped while a step is open: the open step was taken back")
      .advise("commit the step first, or attach before it is opened");
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

/// Calls `work`. If it throws, aborts `written`, a step or a file, for this reason, and throws the same exception.
void call_or_abort(auto& written, const std::function<void()>& work) {
  const auto abort = [&](const std::string& reason) { static_cast<void>(caught([&] { written.abort(reason); })); };
  try {
    work();
  } catch (const std::exception& error) {
    abort(error.what());
    throw;
  } catch (...) {
    abort("an exception was thrown that is no std::exception");
    throw;
  }
}

WriteStep filled_step(Writer& writer, std::int64_t number, const std::function<void(WriteStep&)>& fill) {
  WriteStep step = writer.step(number);
  call_or_abort(step, [&] { fill(step); });
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

void Writer::close() { close_writer(*state_, Incomplete::kept); }

void Writer::close_after(const std::function<void()>& write) {
  call_or_abort(*this, write);
  close();
}

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
