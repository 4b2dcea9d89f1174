#include <string>
#include <utility>

#include "api/checksums.hpp"
#include "api/file_sets.hpp"
#include "api/neighbour.hpp"
#include "api/publication.hpp"
#include "api/read/compressed.hpp"
#include "api/root.hpp"
#include "api/transport_source.hpp"
#include "api/write/engine_steps.hpp"
#include "api/write/transport_knobs.hpp"
#include "api/write/write_streams.hpp"
#include "api/write/writer_state.hpp"
#include "format/format_names.hpp"
#include "quire/api/writer.hpp"
#include "quire/base/archive.hpp"
#include "quire/comm/agreement.hpp"
#include "transport/failure.hpp"
#include "transport/replacement.hpp"

// How a writer comes about: ranks agree on a new file, or on one that is continued.

namespace quire {
namespace {

const Format& chosen_format(const std::string& path, const WriteOptions& options) {
  if (!options.format.empty()) return format_named(options.format);
  if (const Format* format = format_for_suffix(without_end_separators(path))) return *format;
  throw Error(ErrorKind::usage, "no format has this suffix").in_file(path).advise("name the format: " + format_names());
}

void add_word(Choice& choice, const std::string& name, const std::string& value) {
  choice.options += (choice.options.empty() ? "" : ", ") + name + "=" + value;
}

Choice choice(const std::string& path, const WriteOptions& options) {
  Choice choice{.path = path, .transport = options.transport, .format = options.format};
  // They decide how often the ranks meet.
  for (const auto& [name, value] : options.options) {
    add_word(choice, name, value);
  }
  if (options.durable) add_word(choice, "durable", "true");
  if (options.lossy) add_word(choice, "lossy", "true");
  return choice;
}

Choice choice(const std::string& path, const WriteOptions& options, std::optional<std::int64_t> after, Later later) {
  Choice appended = choice(path, options);
  if (after) add_word(appended, "after", std::to_string(*after));
  if (later == Later::drop) add_word(appended, "later", "drop");
  return appended;
}

std::shared_ptr<Writer::State> new_state(const std::string& path, Comm comm, const WriteOptions& options) {
  comm.set_deadline(options.deadline);
  return std::make_shared<Writer::State>(Writer::State{.path = path, .comm = std::move(comm), .options = options});
}

/// Pieces that later steps may write over have no checksums that stay true.
void check_summed(const Format& format, bool has_engine) {
  if (format.holds_one_step() && !has_engine) return;
  throw Error(ErrorKind::unsupported, has_engine ? "what another library writes has no checksums here"
                                                 : "checksums are kept of files of one step")
      .on("checksums")
      .advise("leave the option out: quire sum tells checksums of the values in any file");
}

/// Only a directory can be named as one.
void check_name(const std::string& path, const WritePlanner& planner) {
  if (planner.entry().empty() && path.ends_with('/')) throw system_error("create", EISDIR).in_file(path);
}

/// One file is compressed when it is complete; a directory is not one.
void check_compressed(const WritePlanner& planner) {
  if (planner.entry().empty()) return;
  throw Error(ErrorKind::usage, "a directory of files cannot be compressed")
      .on("compression")
      .advise("give it a name without such an ending, or say compression=none");
}

/// What the other ranks must know to continue a file.
struct Resumption {
  std::string format;
  std::vector<std::byte> state;
  template <class Archive>
  void archive(Archive& a) {
    a(format, state);
  }
};

TransportOptions transport_options(const Writer::State& state) {
  return {.limits = limits_of(state.options.options), .durable = state.options.durable};
}

/// Independent. Rank 0 makes the file now, the others open it at their first write.
void make_file(Writer::State& state) {
  state.transport = state.wrapped(
      make_transport(state.options.transport, state.first_file, Access::create, state.comm, transport_options(state)),
      state.first_file);
}

/// What is said about a new file beside what its planner takes.
struct Asked {
  Striping striping{};
  bool makes_set = false;  ///< or may do so: of streams that is known when they are placed
};

/// What rank 0 tells the others about the file that it has made.
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
Asked take_options(Writer::State& state, const std::string& path, const WriteOptions& options) {
  Options of_format = options.options;
  static_cast<void>(limits_of(of_format));  // here a wrong size is an error that all ranks agree on
  Asked asked{.striping = striping_of(of_format)};
  state.target = WriteTarget(path, of_format);
  const Format& format = chosen_format(path, options);
  const CheckedOptions of_writer(format.write_options(), of_format);
  state.planner = format.plan_writing(of_writer);
  state.engine = state.planner->engine();
  if (state.engine) check_engine_options(options);
  check_name(path, *state.planner);
  if (state.target.keeps_sums()) check_summed(format, state.engine != nullptr);
  if (state.target.is_compressed()) check_compressed(*state.planner);
  if (format.makes_set(of_writer) && !format.holds_streams()) state.target.require_place_for_set();
  asked.makes_set = format.makes_set(of_writer);
  state.holds_one_step = format.holds_one_step() && !state.planner->grows();
  state.file.format = format.name();
  return asked;
}

/// Independent. Says where the file is written. Ranks other than 0 make their side of it, which touches no file yet.
void place(Writer::State& state) {
  state.first_file = first_file_for(state.target.written(), *state.planner);
  state.planner->introduce({.path = state.first_file, .neighbour = {}});
  if (!state.comm.is_root() && !state.engine) make_file(state);
}

/// Rank 0: to all files that are known before they are written. One remark is enough for all.
void apply_to_set(Writer::State& state, const Striping& striping) {
  std::vector<std::string> paths = paths_of_members(state.first_file, *state.planner);
  paths.push_back(state.first_file);
  std::string remark;
  for (const std::string& path : paths) {
    std::string told = apply_striping(path, striping);
    if (!told.empty()) remark = std::move(told);
  }
  if (!remark.empty()) state.remarks.push_back(std::move(remark));
}

/// Rank 0, when all ranks are known to make the same file: takes away what is in its place and keeps other writers out.
void clear_place(Writer::State& state, const Asked& asked) {
  state.lock = state.target.prepare(*state.planner, state.holds_one_step, asked.makes_set);
  place(state);
  const bool replaces = state.target.replaces_whole();
  clear_members(state.target.written(), *state.planner, state.options.durable || replaces);
  // Those of what is replaced when the new one is complete are kept until then.
  if (!replaces && !state.target.is_compressed()) remove_sums(state.path);
  if (asked.striping.is_asked_for()) apply_to_set(state, asked.striping);
  if (!state.lock.is_held()) state.lock = WriteLock(state.first_file, true);
}

/// A rank other than 0 hears where the file is written. What fails here fails the first step of all ranks.
void follow(Writer::State& state, const std::string& target) {
  const auto error = caught(state.comm.rank(), [&] {
    state.target.replace_whole(target);
    place(state);
  });
  if (error) state.abandoned = error->what();
}

Writer create_file(std::shared_ptr<Writer::State> state, const std::string& path, const WriteOptions& options) {
  Asked asked;
  const auto error = caught(state->comm.rank(), [&] {
    asked = take_options(*state, path, options);
    place(*state);
  });
  Choice mine = choice(path, options);
  mine.compression = state->target.compression();
  std::optional<Error> failure;
  const RootAnswer make = [&] {
    failure = caught(0, [&] {
      clear_place(*state, asked);
      if (!state->engine) make_file(*state);
    });
    const WriteTarget& target = state->target;
    return pack(Made{failure.has_value(), target.replaces_whole(), target.target()});
  };
  // All meet again in steps, and when they close the file.
  const Agreed agreed = agree_on_choice(state->comm, mine, error, make, Parting::said);
  const auto made = unpack<Made>(agreed.said);
  if (made.failed) agree(state->comm, failure);
  if (made.replaces_whole && !state->target.replaces_whole()) follow(*state, made.target);
  if (state->engine) {
    open_engine(*state, state->first_file, true);
    state->transport = state->opened(state->first_file, Access::update, state->comm);
  }
  state->find_members();
  suit_machine(*state);
  if (state->target.keeps_sums()) {
    auto summed = std::make_unique<SummedTransport>(std::move(state->transport));
    state->sums = summed.get();
    state->transport = std::move(summed);
  }
  return Writer(std::move(state));
}

Writer append_file(std::shared_ptr<Writer::State> state, const std::string& path, std::optional<std::int64_t> after,
                   Later later, const WriteOptions& options) {
  const auto locking = caught(state->comm.rank(), [&] {
    static_cast<void>(limits_of(options.options));
    if (striping_of(options.options).is_asked_for()) {
      throw Error(ErrorKind::usage, "only a new file gets stripes").in_file(path);
    }
    if (!state->comm.is_root()) return;
    // Else what an interrupted replacement left would later take the place of what is appended now.
    finish_replacing(path);
    state->lock = WriteLock(path, false);
  });
  agree_on_choice(state->comm, choice(path, options, after, later), locking);
  state->first_file = path;
  state->transport = state->opened(path, Access::update, state->comm);
  const auto plan_with = [&](const Format& format) {
    state->planner =
        format.plan_writing(CheckedOptions(format.write_options(), without_transport_knobs(options.options)));
    state->engine = state->planner->engine();
    if (state->engine) check_engine_options(options);
    state->file.format = format.name();
  };
  const auto message = from_root(state->comm, [&] {
    std::vector<std::byte> head(std::size_t{1} << 16);
    head.resize(state->transport->get(0, head));
    refuse_compressed(head, path);
    const auto existing = std::make_shared<TransportSource>(*state->transport);
    const Format& format = options.format.empty() ? recognise(head, existing) : format_named(options.format);
    plan_with(format);
    state->planner->introduce(context_of(path, DescribeContext().memory_budget));
    const Publication acts = state->planner->resume(existing, after, later == Later::drop);
    state->find_members();
    carry_out(acts, *state->transport, options.durable);
    state->has_leftovers = true;
    return pack(Resumption{std::string(format.name()), state->planner->state()});
  });
  const auto error = caught(state->comm.rank(), [&] {
    if (state->comm.is_root()) return;
    const auto resumption = unpack<Resumption>(message);
    plan_with(format_named(resumption.format));
    state->planner->adopt(resumption.state);
    state->find_members();
  });
  agree(state->comm, error);
  if (state->engine) open_engine(*state, path, false);
  state->file_told = true;
  return Writer(std::move(state));
}

}  // namespace

std::unique_ptr<Transport> Writer::State::wrapped(std::unique_ptr<Transport> inner, const std::string& where) const {
  return options.wrapper ? options.wrapper(std::move(inner), where, comm.rank()) : std::move(inner);
}

std::unique_ptr<Transport> Writer::State::opened(const std::string& where, Access access, const Comm& ranks) const {
  return wrapped(open_transport(options.transport, where, access, ranks, transport_options(*this)), where);
}

Writer create(const std::string& path, Comm comm, const WriteOptions& options) {
  const auto state = new_state(path, std::move(comm), options);
  return in_file(*state, [&] { return create_file(state, path, options); });
}

Writer append(const std::string& path, Comm comm, std::optional<std::int64_t> after, Later later,
              const WriteOptions& options) {
  const auto state = new_state(path, std::move(comm), options);
  return in_file(*state, [&] { return append_file(state, path, after, later, options); });
}

}  // namespace quire
