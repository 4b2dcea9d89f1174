#include "api/write/new_file.hpp"

#include <string>
#include <utility>

#include "api/checksums.hpp"
#include "api/file_sets.hpp"
#include "api/write/limits.hpp"
#include "api/write/write_streams.hpp"
#include "api/writer_locks.hpp"
#include "base/stopwatch.hpp"
#include "comm/agreement.hpp"
#include "format/format_names.hpp"
#include "quire/format/format.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/format/planner.hpp"
#include "transport/failure.hpp"
#include "transport/replacement.hpp"

namespace quire {
namespace {

const Format& chosen_format(const std::string& path, const WriteOptions& options) {
  if (!options.format.empty()) return format_named(options.format);
  if (const Format* format = format_for_suffix(without_end_separators(path))) return *format;
  throw Error(ErrorKind::usage, "no format has this suffix").in_file(path).advise("name the format: " + format_names());
}

/// Checksums of pieces that later steps may overwrite would become invalid.
void check_summed(const Format& format, bool grows) {
  if (format.holds_one_step && !grows) return;
  throw Error(ErrorKind::unsupported, "checksums are kept of files of one step that does not grow")
      .on("checksums")
      .advise("leave the option out: quire sum prints checksums of the values in any file");
}

/// Only a directory may have a name that ends with a separator.
void check_name(const std::string& path, const FileSetNames* set) {
  if (entry_of(set).empty() && path.ends_with('/')) throw system_error("create", EISDIR).in_file(path);
}

/// Compression applies to one complete file, not to a directory.
void check_compressed(const FileSetNames* set) {
  if (entry_of(set).empty()) return;
  throw Error(ErrorKind::usage, "a directory of files cannot be compressed")
      .on("compression")
      .advise("use a name without such a suffix, or compression=none");
}

/// Independent. Rank 0 creates the file now, the others open it at their first write.
void make_file(Writer::State& state) {
  state.transport = state.wrapped(
      make_transport(state.options.transport, state.first_file, Access::create, state.comm, transport_options(state)),
      state.first_file);
}

/// The message of rank 0 about the file that it has created.
struct Made {
  bool failed = false;
  bool replaces_whole = false;
  std::string target{};
  template <class Archive>
  void archive(Archive& a) {
    a(target, failed, replaces_whole);
  }
};

/// Independent. Throws usage errors.
NewFile::Asked take_options(Writer::State& state) {
  const std::string& path = state.path;
  const WriteOptions& options = state.options;
  Options of_format = options.options;
  static_cast<void>(limits_of(of_format));  // an invalid size is an error that all ranks agree on
  NewFile::Asked asked{.striping = striping_of(of_format)};
  state.target = WriteTarget(path, of_format);
  const Format& format = chosen_format(path, options);
  const CheckedOptions of_writer(format.write_options, of_format);
  state.planner = format.plan_writing(of_writer);
  const FileSetNames* const set = state.capabilities().file_set;
  check_name(path, set);
  if (state.target.keeps_sums()) check_summed(format, state.capabilities().grows);
  if (state.target.is_compressed()) check_compressed(set);
  if (makes_set(format, of_writer) && !format.holds_streams) state.target.require_place_for_set();
  asked.makes_set = makes_set(format, of_writer);
  state.holds_one_step = format.holds_one_step && !state.capabilities().grows;
  state.file.format = format.name;
  return asked;
}

/// Independent. Sets the place of the file. Ranks other than 0 create their side of it, without opening it yet.
void place(Writer::State& state) {
  state.first_file = first_file_for(state.target.written(), state.capabilities().file_set);
  state.planner->introduce({.path = state.first_file, .neighbour = {}});
  if (!state.comm.is_root()) make_file(state);
}

/// Rank 0: applies striping to all files that are known before they are written. One remark is enough for all.
void apply_to_set(Writer::State& state, const Striping& striping) {
  std::vector<std::string> paths = paths_of_members(state.first_file, state.capabilities().file_set);
  paths.push_back(state.first_file);
  std::string remark;
  for (const std::string& path : paths) {
    std::string message = apply_striping(path, striping);
    if (!message.empty()) remark = std::move(message);
  }
  if (!remark.empty()) state.remarks.push_back(std::move(remark));
}

/// Rank 0, when all ranks are known to create the same file: removes the previous file and locks out other writers.
void clear_place(Writer::State& state, const NewFile::Asked& asked) {
  state.lock = state.target.prepare(state.capabilities().file_set, state.holds_one_step, asked.makes_set);
  place(state);
  const bool replaces = state.target.replaces_whole();
  clear_members(state.target.written(), state.capabilities().file_set, state.options.durable || replaces);
  // The checksums of a file that is replaced when the new one is complete are kept until then.
  if (!replaces && !state.target.is_compressed()) remove_sums(state.path);
  if (asked.striping.is_asked_for()) apply_to_set(state, asked.striping);
  if (state.lock.is_held()) return;
  WriteLock mine = lock_for_writing(state.first_file, true);
  mine.keep(std::move(state.lock));
  state.lock = std::move(mine);
}

/// A rank other than 0 receives the place of the file.
void follow(Writer::State& state, const std::string& target) {
  state.target.replace_whole(target);
  place(state);
}

}  // namespace

void add_word(Choice& choice, const std::string& name, const std::string& value) {
  choice.options += (choice.options.empty() ? "" : ", ") + name + "=" + value;
}

Choice choice_of(const std::string& path, const WriteOptions& options) {
  Choice choice{.path = path, .transport = options.transport, .format = options.format};
  // They determine the number of collectives.
  for (const auto& [name, value] : options.options) {
    add_word(choice, name, value);
  }
  if (options.durable) add_word(choice, "durable", "true");
  if (options.lossy) add_word(choice, "lossy", "true");
  return choice;
}

TransportOptions transport_options(const Writer::State& state) {
  return {.limits = limits_of(state.options.options), .durable = state.options.durable};
}

namespace {

/// Whether a step needs no other collective before the one in which all propose its measure, and each rank writes its
/// own bytes.
bool agrees_once(Writer::State& state) {
  if (state.target.is_compressed()) return false;
  const PlannerCapabilities can = state.capabilities();
  const bool agrees_before = can.weigher != nullptr || can.encodes_together() || can.streams != nullptr;
  return !is_transport_collective(state.options.transport) && !agrees_before;
}

}  // namespace

NewFile::NewFile(Writer::State& state) : state_(state) {
  error_ = caught(state.comm.rank(), [&] {
    asked_ = take_options(state);
    place(state);
    joins_step_ = agrees_once(state);
  });
  choice_ = choice_of(state.path, state.options);
  choice_.compression = state.target.compression();
}

std::vector<std::byte> NewFile::make(const std::function<void()>& prepare) {
  const Stopwatch watch(state_.timing.metadata);
  failure_ = caught(0, [&] {
    clear_place(state_, asked_);
    make_file(state_);
    complete();
    if (prepare) prepare();
  });
  if (failure_) take_back();
  return pack(Made{failure_.has_value(), state_.target.replaces_whole(), state_.target.target()});
}

void NewFile::take_back() {
  // The error to report is known. Without its lock the place may be another writer's.
  if (state_.transport) {
    state_.roll_back();
    static_cast<void>(caught([&] { state_.transport->close(); }));
  }
  // A plain file next to a compressed one may be what an earlier run could not compress.
  const bool is_mine = state_.lock.is_held() && (state_.transport || !state_.target.is_compressed());
  if (is_mine) static_cast<void>(caught([&] { state_.target.discard(state_.lock); }));
}

void NewFile::complete() {
  state_.find_members();
  begin_limits(state_);
  if (!state_.target.keeps_sums()) return;
  // Ranks divide the rows of tables anywhere: the same rows are other pieces with another number of ranks.
  const std::uint64_t cell = format_named(state_.file.format).holds_tables ? sum_cell_bytes : 0;
  auto summed = std::make_unique<SummedTransport>(std::move(state_.transport), cell);
  state_.sums = summed.get();
  state_.transport = std::move(summed);
}

std::optional<Error> NewFile::settle(std::span<const std::byte> message) {
  const auto made = unpack<Made>(message);
  if (made.failed) agree(state_.comm, failure_);
  std::optional<Error> error;
  if (made.replaces_whole && !state_.target.replaces_whole()) {
    error = caught(state_.comm.rank(), [&] { follow(state_, made.target); });
  }
  if (!state_.comm.is_root()) complete();
  suit_machine(state_);
  return error;
}

void NewFile::require_alike(const std::optional<Error>& error) const {
  static_cast<void>(agree_on_choice(state_.comm, choice_, error));
}

}  // namespace quire
