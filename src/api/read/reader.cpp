#include "quire/api/reader.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "api/checksums.hpp"
#include "api/file_sets.hpp"
#include "api/neighbour.hpp"
#include "api/read/piece_lists.hpp"
#include "api/read/reader_state.hpp"
#include "api/read/step_numbers.hpp"
#include "api/root.hpp"
#include "api/transport_source.hpp"
#include "api/writer_locks.hpp"
#include "base/attempts.hpp"
#include "base/stopwatch.hpp"
#include "comm/agreement.hpp"
#include "format/chunk_cache_option.hpp"
#include "quire/format/format.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/format/describer_capabilities.hpp"
#include "transport/file_system.hpp"
#include "transport/replacement.hpp"

namespace quire {

namespace {

/// An answer of rank 0, with the warnings of the file that the others do not have yet.
template <class Value>
struct Answered {
  Value value{};
  std::vector<std::string> warnings;
  template <class Archive>
  void archive(Archive& a) {
    a(value, warnings);
  }
};

struct Opening {
  std::string format;
  FileDescription file;
  std::optional<InflationSurvey> inflation;
  std::vector<std::string> of_entry;  ///< options of a directory for its reader, names and values alternating
  template <class Archive>
  void archive(Archive& a) {
    a(format, file, inflation, of_entry);
  }
};

struct PackedReport {
  std::vector<std::int64_t> numbers;
  bool damaged = false;
  std::vector<std::byte> damage;
  std::vector<std::int64_t> damaged_numbers;
  std::vector<std::vector<std::byte>> damages;  ///< of each of these
  bool salvageable = false;
  std::vector<std::string> warnings;
  bool undecoded = false;
  bool being_written = false;
  template <class Archive>
  void archive(Archive& a) {
    a(numbers, damaged, damage, damaged_numbers, damages, salvageable, warnings, undecoded, being_written);
  }
};

const Attachment& attachment_of(const FileDescription& file, const std::string& name) {
  std::vector<std::string> names;
  for (const Attachment& attachment : file.attachments) {
    if (attachment.name == name) return attachment;
    names.push_back(attachment.name);
  }
  throw Error(ErrorKind::missing, "there is no attachment \"" + name + "\"" + nearest_names(name, names));
}

/// Rank 0: warnings found since the file was described; some concern bytes after the last step.
std::vector<std::string> late_warnings(Reader::State& state) {
  std::vector<std::string> late;
  const std::vector<std::string>& reported = state.file.warnings;
  const std::vector<std::string>& all = state.own_describer().file().warnings;
  if (all.empty()) return late;
  const std::set<std::string_view> known(reported.begin(), reported.end());
  std::ranges::copy_if(all, std::back_inserter(late), [&](const std::string& one) { return !known.contains(one); });
  return late;
}

void add_warnings(Reader::State& state, const std::vector<std::string>& late) {
  state.file.warnings.insert(state.file.warnings.end(), late.begin(), late.end());
}

/// Rank 0: examines the file by `look`. A step that a writer has not completed yet needs no repair.
template <class Look>
auto beside_writers(const Reader::State& state, Look&& look) {
  try {
    return look();
  } catch (Error& error) {
    if (error.kind() != ErrorKind::bad_file || !is_being_written(state.first_file)) throw;
    throw error.advise("a writer has the file open: read it again when the writer has completed the step");
  }
}

/// Collective. The answer of rank 0; every rank receives new warnings of the file.
template <class Answer>
auto answer_of_root(Reader::State& state, Answer&& answer) {
  using Value = decltype(answer(state.own_describer()));
  synchronize_readers(state);
  auto answered = unpack<Answered<Value>>(from_root(state.comm, [&] {
    Answered<Value> mine{beside_writers(state, [&] { return answer(state.own_describer()); }), {}};
    mine.warnings = late_warnings(state);
    return pack(mine);
  }));
  add_warnings(state, answered.warnings);
  return std::move(answered.value);
}

/// Collective. Throws a conflict error on all ranks if one asks for something else: rank 0 answers for all, and what it
/// has described ahead is not asked for again.
void agree_on_request(Reader::State& state, const std::string& request) {
  if (state.comm.size() == 1) return;
  in_file(state, [&] {
    synchronize_readers(state);
    agree_on_call(state.comm, request);
  });
}

/// Rank 0: options for the reader of a directory, in addition to the file that is opened for it.
std::vector<std::string> options_of_entry(const Reader::State& state) {
  std::vector<std::string> options;
  std::error_code ignored;
  if (state.format->entry_options == nullptr) return options;
  if (state.first_file == state.path || !std::filesystem::is_directory(state.path, ignored)) return options;
  std::vector<std::string> names = names_in(state.path);
  if (state.entry_damage) std::erase(names, std::filesystem::path(state.entry_damage->file()).filename().string());
  for (const auto& [name, value] : state.format->entry_options(names)) {
    options.push_back(name);
    options.push_back(value);
  }
  return options;
}

void adopt_options(Reader::State& state, const std::vector<std::string>& given) {
  for (std::size_t i = 0; i + 1 < given.size(); i += 2) state.options.options.emplace(given[i], given[i + 1]);
}

/// Rank 0: describes the file, after checking whether its bytes are compressed.
Opening describe_file(Reader::State& state, const Options& inflation) {
  std::vector<std::byte> head(recognised_bytes);
  head.resize(state.transport->get(0, head));
  state.inflation =
      inflate_if_compressed(state.transport, state.path, head, survey_options(inflation, state.options.memory_budget));
  const auto describe = [&] {
    const std::string& name = state.options.format;
    state.format =
        name.empty() ? &recognise(head, std::make_shared<TransportSource>(*state.transport)) : &format_named(name);
    if (state.options.tolerant) state.options.options.merge(Options(state.format->tolerant_options));
    const std::vector<std::string> of_entry = options_of_entry(state);
    adopt_options(state, of_entry);
    return Opening{std::string(state.format->name), state.own_describer().file(), state.inflation, of_entry};
  };
  if (!state.inflation) return describe();
  refuse_tolerances(*state.inflation, state.options.options);
  Opening opening = with_damage_reported(*state.inflation, describe);
  describe_compression(opening.file, *state.inflation);
  return opening;
}

/// Rank 0: the same; errors in the first file of a directory name that file.
Opening describe_first(Reader::State& state, const Options& inflation) {
  try {
    return describe_file(state, inflation);
  } catch (Error& error) {
    std::error_code ignored;
    if (error.kind() != ErrorKind::bad_file || !std::filesystem::is_directory(state.path, ignored)) throw;
    if (error.file().empty()) error.in_file(state.first_file);
    if (error.file() != state.first_file) throw;
    throw error.advise("quire recover --rows uses the other files of the directory, as far as these suffice");
  }
}

/// Opens a file. Other places are searched only if it is not at its path, because a directory may have many parts.
std::unique_ptr<Transport> opened_transport(const std::string& transport, const std::string& path, const Comm& comm) {
  try {
    return open_transport(transport, path, Access::read, comm, {});
  } catch (const Error& error) {
    const std::string place = error.kind() == ErrorKind::missing ? where_it_is(path) : path;
    if (place == path) throw;
    return open_transport(transport, place, Access::read, comm, {});
  }
}

std::unique_ptr<Transport> wrapped_transport(const Reader::State& state, const std::string& path, const Comm& comm) {
  const ReadOptions& options = state.options;
  auto transport = opened_transport(options.transport, path, comm);
  return options.wrapper ? options.wrapper(std::move(transport), path, state.comm.rank()) : std::move(transport);
}

/// Whether a truncated step has anything to recover.
bool holds_something(const StepLayout& cut) {
  const auto& tables = cut.description.tables;
  return cut.description.streams > 0 ||
         std::any_of(tables.begin(), tables.end(), [](const Table& table) { return table.rows > 0; });
}

/// Whether any values of a step go through filters.
bool has_filters(const StepLayout& layout) {
  const auto is_filtered = [](const Place& place) {
    return std::ranges::any_of(place.runs, [](const Run& run) { return run.chunks && !run.chunks->filters.empty(); });
  };
  return std::ranges::any_of(layout.tables, is_filtered) || std::ranges::any_of(layout.fields, is_filtered);
}

/// Errors that concern a single step, next to which others can be read.
bool hides_no_other(ErrorKind kind) {
  return kind == ErrorKind::bad_file || kind == ErrorKind::missing || kind == ErrorKind::unsupported ||
         kind == ErrorKind::io || kind == ErrorKind::memory;
}

PackedReport examine_steps(Describer& describer, bool found_alone) {
  PackedReport report;
  for (std::uint64_t index = 0;; ++index) {
    try {
      const auto layout = verified_step(describer, index);
      if (!layout) return report;
      report.numbers.push_back(layout->description.number);
      report.undecoded = report.undecoded || has_filters(*layout);
      for (const std::string& warning : layout->description.warnings) {
        report.warnings.push_back("step " + std::to_string(layout->description.number) + ": " + warning);
      }
    } catch (const Error& error) {
      if (!report.damaged) report.damage = error.pack();
      report.damaged = true;
      if (found_alone && hides_no_other(error.kind()) && index < describer.steps()) {
        report.damaged_numbers.push_back(describer.step_number(index));
        report.damages.push_back(error.pack());
        continue;
      }
      const auto cut = salvaged_step(describer, index);
      report.salvageable = cut && holds_something(*cut);
      return report;
    }
  }
}

/// Of a directory whose first file cannot be read, but others can: it is unknown whether these are all.
PackedReport damaged_entry(const Error& damage, Describer& describer, const PackedReport& found) {
  PackedReport report;
  report.damaged = true;
  report.damage = damage.pack();
  const auto cut = found.numbers.empty() ? std::nullopt : salvaged_step(describer, 0);
  report.salvageable = cut && holds_something(*cut);
  report.warnings = found.warnings;
  return report;
}

/// A step that a writer has not completed yet must not be recovered or removed.
void advise_nothing(CheckReport& report) {
  report.is_being_written = true;
  report.salvageable = false;
  if (report.damage) report.damage->advise({});
  for (DamagedStep& step : report.damaged) step.damage.advise({});
}

}  // namespace

std::string Reader::State::find_first_file() {
  std::string first = first_file_of(path, options.format, options.options);
  std::error_code ignored;
  if (!options.tolerant || first == path || !std::filesystem::is_directory(path, ignored)) return first;
  try {
    ReadOptions alone = options;
    alone.tolerant = false;
    alone.wrapper = {};
    open(first, Comm::self(), alone).close();
    return first;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file) throw;
    entry_damage = error;
  }
  std::vector<std::string> names = names_in(path);
  std::erase(names, std::filesystem::path(first).filename().string());
  for (const Format* candidate : formats()) {
    if (!options.format.empty() && candidate->name != options.format) continue;
    const std::string entry = entry_of(*candidate, names);
    if (entry.empty()) continue;
    entry_damage->in_file(first);
    return (std::filesystem::path(path) / entry).string();
  }
  entry_damage.reset();
  return first;
}

std::unique_ptr<Describer> Reader::State::new_describer() {
  DescribeContext context = context_of(first_file, options.memory_budget);
  context.is_being_written = [first = first_file] { return is_being_written(first); };
  auto made = format->describe(std::make_shared<TransportSource>(*transport), context,
                               CheckedOptions(format->read_options, options.options));
  if (inflation && inflation->damage) return describer_before_damage(std::move(made), *inflation);
  return made;
}

Describer& Reader::State::own_describer() {
  if (!describer) describer = new_describer();
  return *describer;
}

void Reader::State::find_members() {
  if (file.members.empty()) return;
  transport = with_members(std::move(transport), first_file, file, [this](const std::string& member) {
    return wrapped_transport(*this, member, Comm::self());
  });
}

OpaqueReader& Reader::State::opaque_reader(std::uint64_t index, const StepLayout& layout, std::uint64_t serial) {
  // The format may have a cache of its own for what it reads itself.
  if (cache) cache->leave_half();
  OpaqueReader* const own = own_describer().capabilities().opaque;
  if (own == nullptr) throw Error(ErrorKind::internal, "this format has no opaque objects");
  if (comm.is_root() || serial == adopted) return *own;
  own->adopt(index, layout);
  adopted = serial;
  return *own;
}

bool Reader::State::withholds(const StepLayout& layout) const {
  return comm.size() > 1 && list_bytes(layout) > options.list_budget;
}

std::vector<StepLayout> Reader::State::layouts(const std::function<std::vector<StepLayout>(Describer&)>& describe,
                                               bool may_withhold) {
  require_open(*this);
  return in_file(*this, [&] {
    const Stopwatch watch(timing.metadata);
    std::vector<StepLayout> answer;
    if (comm.size() > 1) {
      std::map<std::size_t, StepLayout> kept;
      answer = answer_of_root(*this, [&](Describer& own) {
        std::vector<StepLayout> described = describe(own);
        for (std::size_t i = 0; i < described.size(); ++i) {
          if (!may_withhold || !withholds(described[i])) continue;
          StepLayout rest = without_lists(described[i]);
          kept.emplace(i, std::exchange(described[i], std::move(rest)));
        }
        return described;
      });
      for (auto& [i, layout] : kept) answer[i] = std::move(layout);
      return answer;
    }
    // A single process needs no message: packing it would take longer than the description.
    const auto look = [&] { return describe(own_describer()); };
    if (const auto error = caught(comm.rank(), [&] { answer = beside_writers(*this, look); })) throw Error(*error);
    add_warnings(*this, late_warnings(*this));
    return answer;
  });
}

const StepLayout& ReadStep::State::whole() const {
  if (described) return *described;
  if (!is_partial || reader->comm.is_root()) return layout;
  described = reader->new_describer()->step(index);
  if (!described) throw Error(ErrorKind::bad_file, "the step that rank 0 has found does not exist any more");
  return *described;
}

Reader::Reader(std::shared_ptr<State> state) : state_(std::move(state)) {}

const FileDescription& Reader::description() const { return state_->file; }

std::uint64_t Reader::size() const {
  require_open(*state_);
  return in_file(*state_,
                 [&] { return answer_of_root(*state_, [](Describer& describer) { return describer.steps(); }); });
}

bool Reader::finds_steps_alone() const { return state_->format->finds_steps_alone; }

std::vector<std::int64_t> Reader::numbers() const { return numbers(0, std::numeric_limits<std::uint64_t>::max()); }

std::vector<std::int64_t> Reader::numbers(std::uint64_t first, std::uint64_t count) const {
  require_open(*state_);
  const bool are_all = count == std::numeric_limits<std::uint64_t>::max();
  const std::string wanted = are_all ? "all numbers" : std::to_string(count) + " numbers";
  agree_on_request(*state_, wanted + " of steps from index " + std::to_string(first) + " on");
  return in_file(*state_, [&] {
    return answer_of_root(*state_, [&](Describer& describer) { return some_numbers(describer, first, count); });
  });
}

std::optional<ReadStep> Reader::try_at(std::uint64_t index) const {
  require_open(*state_);
  agree_on_request(*state_, "the step at index " + std::to_string(index));
  return agreed_step(index);
}

std::optional<ReadStep> Reader::agreed_step(std::uint64_t index) const {
  auto layout = state_->ahead.take(index);
  if (!layout) {
    const bool is_next = state_->ahead.follows(index);
    layout = state_->ahead.keep(
        index, state_->layouts([&](Describer& describer) { return describe_ahead(describer, index, is_next); }, true));
  }
  if (!layout) return std::nullopt;
  const bool is_partial = state_->comm.is_root() ? state_->withholds(*layout) : are_lists_withheld(*layout);
  return ReadStep(std::make_shared<ReadStep::State>(
      ReadStep::State{state_, index, *std::move(layout), state_->next_serial(), is_partial}));
}

ReadStep Reader::at(std::uint64_t index) const {
  if (auto step = try_at(index)) return *std::move(step);
  throw state_->placed(Error(ErrorKind::missing, "there is no step at index " + std::to_string(index) +
                                                     ", the file has " + std::to_string(size())));
}

ReadStep Reader::step(std::int64_t number) const {
  require_open(*state_);
  agree_on_request(*state_, "step " + std::to_string(number));
  const auto found = in_file(*state_, [&] {
    return answer_of_root(*state_, [&](Describer& describer) { return find_number(describer, number); });
  });
  if (found.index) {
    if (auto step = agreed_step(*found.index)) return *std::move(step);
  }
  throw state_->placed(Error(ErrorKind::missing, "there is no step " + std::to_string(number))
                           .advise(nearest_numbers(found.neighbours, number)));
}

std::optional<ReadStep> Reader::salvage(std::uint64_t index) const {
  agree_on_request(*state_, "the complete rows of the step at index " + std::to_string(index));
  const auto salvage = [&](Describer& describer) {
    auto layout = salvaged_step(describer, index);
    std::vector<StepLayout> layouts;
    if (layout) layouts.push_back(*std::move(layout));
    return layouts;
  };
  // The other ranks could not describe it as a step themselves.
  auto found = state_->layouts(salvage, false);
  if (found.empty()) return std::nullopt;
  return ReadStep(std::make_shared<ReadStep::State>(
      ReadStep::State{state_, index, std::move(found.front()), state_->next_serial()}));
}

void Reader::read_attachment(const std::string& name, std::uint64_t offset, std::span<std::byte> out) const {
  require_open(*state_);
  in_file(*state_, [&] {
    const std::uint64_t bytes = attachment_of(state_->file, name).bytes;
    if (offset > bytes || out.size() > bytes - offset) {
      throw Error(ErrorKind::usage, "the requested part is beyond the end of the attachment").on(name);
    }
    AttachmentReader* const attachments = state_->own_describer().capabilities().attachments;
    if (attachments == nullptr) throw Error(ErrorKind::missing, "files of this format have no attachments").on(name);
    attachments->read_attachment(name, offset, out);
  });
}

std::vector<std::byte> Reader::attachment(const std::string& name) const {
  const std::uint64_t bytes = in_file(*state_, [&] {
    const Attachment& found = attachment_of(state_->file, name);
    if (found.bytes > state_->options.memory_budget) {
      throw Error(ErrorKind::memory, "the attachment is larger than the memory budget")
          .on(name)
          .advise("read it in parts, or open the file with a larger budget");
    }
    return found.bytes;
  });
  std::vector<std::byte> content(static_cast<std::size_t>(bytes));
  read_attachment(name, 0, content);
  return content;
}

void Reader::synchronize() const {
  require_open(*state_);
  in_file(*state_, [&] { synchronize_readers(*state_); });
}

CheckReport Reader::check() const {
  require_open(*state_);
  const PackedReport packed = answer_of_root(*state_, [&](Describer& describer) {
    const bool was_being_written = is_being_written(state_->first_file);
    PackedReport report = examine_steps(describer, state_->format->finds_steps_alone);
    report.being_written = was_being_written || is_being_written(state_->first_file);
    if (state_->entry_damage && !report.damaged) report = damaged_entry(*state_->entry_damage, describer, report);
    return report;
  });
  CheckReport report;
  report.whole_steps = packed.numbers.size();
  report.numbers = packed.numbers;
  if (packed.damaged) report.damage = state_->placed(Error::unpack(packed.damage));
  for (std::size_t i = 0; i < packed.damages.size(); ++i) {
    report.damaged.push_back({packed.damaged_numbers[i], state_->placed(Error::unpack(packed.damages[i]))});
  }
  report.salvageable = packed.salvageable;
  // The warnings of the file include those found after its last step, and those of the decompression.
  report.warnings = state_->file.warnings;
  report.warnings.insert(report.warnings.end(), packed.warnings.begin(), packed.warnings.end());
  if (report.damage) std::erase(report.warnings, report.damage->message());
  report.is_undecoded = packed.undecoded;
  if (packed.being_written) advise_nothing(report);
  if (report.damage || report.is_being_written) return report;
  const auto changed = find_changed_bytes(*state_);
  if (changed && changed->file() == sums_path(state_->path)) {
    report.warnings.push_back("no bytes were compared: " + changed->message() + ": " + changed->file());
  } else if (changed) {
    report.is_changed = true;
    report.damage = state_->placed(*changed);
    report.numbers.clear();
    report.whole_steps = 0;
  }
  return report;
}

void Reader::close() {
  if (state_->closed) return;
  state_->closed = true;
  state_->describer.reset();
  state_->cache.reset();
  in_file(*state_, [&] {
    Attempts attempts;
    attempts.attempt([&] { state_->transport->close(); });
    // Handles of steps may keep this state, but not the communicator: MPI has a limited number of them.
    attempts.attempt([&] { state_->comm.let_go(); });
    attempts.rethrow();
  });
}

Timing Reader::timing() const {
  Timing timing = state_->timing;
  timing.encode += state_->transport->counters().encode_seconds;
  timing.transfer += state_->transport->counters().transfer_seconds;
  return timing;
}

TransportCounters Reader::counters() const { return state_->transport->counters(); }

Comm& Reader::comm() const { return state_->comm; }

Reader open(const std::string& path, Comm comm, const ReadOptions& options) {
  comm.set_deadline(options.deadline);
  auto state =
      std::make_shared<Reader::State>(Reader::State{.path = path, .comm = std::move(comm), .options = options});
  Choice choice{.path = path, .transport = options.transport, .format = options.format};
  choice.options = in_words(options.options);
  const auto looking = caught(state->comm.rank(), [&] {
    if (state->comm.is_root()) choice.first_file = state->find_first_file();
  });
  state->first_file = agree_on_choice(state->comm, choice, looking).first_file;
  state->transport = wrapped_transport(*state, state->first_file, state->comm);
  in_file(*state, [&] {
    const Options mine = take_inflation_options(state->options.options);
    const auto look = [&] { return describe_first(*state, mine); };
    const auto opening = unpack<Opening>(from_root(state->comm, [&] { return pack(beside_writers(*state, look)); }));
    state->format = &format_named(opening.format);
    state->file = opening.file;
    adopt_options(*state, opening.of_entry);
    state->find_members();
    state->cache = make_chunk_cache(state->format->read_options, state->options.options);
    if (state->comm.is_root() || !opening.inflation) return;
    state->inflation = opening.inflation;
    inflate_as_surveyed(state->transport, path, *opening.inflation);
  });
  return Reader(std::move(state));
}

void refuse_to_open(const std::string& path, Comm comm, const ReadOptions& options, Error why) {
  comm.set_deadline(options.deadline);
  if (why.file().empty()) why.in_file(path);
  if (!why.rank()) why.from_rank(comm.rank());
  // This rank's part in the call until the ranks agree, which then throws.
  agree_on_choice(comm, {.path = path, .transport = options.transport, .format = options.format}, why);
  throw Error(ErrorKind::internal, "a refusal was not thrown").in_file(path);
}

}  // namespace quire
