#include <string>
#include <utility>

#include "api/checksums.hpp"
#include "api/neighbour.hpp"
#include "api/publication.hpp"
#include "api/read/compressed.hpp"
#include "api/root.hpp"
#include "api/transport_source.hpp"
#include "api/write/new_file.hpp"
#include "api/write/proposal.hpp"
#include "api/write/series.hpp"
#include "api/write/transport_knobs.hpp"
#include "api/write/writer_state.hpp"
#include "api/writer_locks.hpp"
#include "comm/agreement.hpp"
#include "quire/api/writer.hpp"
#include "quire/format/format.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/format/planner.hpp"
#include "transport/replacement.hpp"

// Opens a writer: ranks agree on a new file, or on one that is continued.

namespace quire {
namespace {

Choice choice_of(const std::string& path, const WriteOptions& options, std::optional<std::int64_t> after, Later later) {
  Choice appended = choice_of(path, options);
  if (after) add_word(appended, "after", std::to_string(*after));
  if (later == Later::drop) add_word(appended, "later", "drop");
  return appended;
}

std::shared_ptr<Writer::State> new_state(const std::string& path, Comm comm, const WriteOptions& options) {
  comm.set_deadline(options.deadline);
  return std::make_shared<Writer::State>(Writer::State{.path = path, .comm = std::move(comm), .options = options});
}

/// The data that the other ranks need to continue a file.
struct Resumption {
  std::string format;
  std::vector<std::byte> state;
  template <class Archive>
  void archive(Archive& a) {
    a(format, state);
  }
};

Writer create_file(std::shared_ptr<Writer::State> state) {
  NewFile file(*state);
  const Agreed agreed = agree_on_choice(state->comm, file.choice(), file.error(), [&] { return file.make(); });
  if (const auto error = file.settle(agreed.answer)) state->leave(error->what());
  return Writer(std::move(state));
}

/// Collective. Creates the file as create() does, for a step that ranks cannot agree on together with its file.
void make_before_step(Writer::State& state, NewFile& file) {
  std::optional<Error> error = file.error();
  const Proposal mine{.failed = error.has_value(), .call = Call::make, .structure = hash_of(file.choice())};
  const Consensus all = propose(state.comm, mine, [&](const Consensus& known) {
    std::optional<Error> ignored;
    const bool goes_on = known.goes_on(Call::make, ignored) && known.same_structure;
    return goes_on ? file.make() : std::vector<std::byte>();
  });
  if (!all.goes_on(Call::make, error) || !all.same_structure) {
    file.require_alike(file.error());
    agree(state.comm, error);
  }
  if (const auto failure = file.settle(all.answer)) state.leave(failure->what());
  state.life.open();
}

/// Marks a state while its step is being filled.
class Filling {
 public:
  explicit Filling(Writer::State& state) : state_(state) { state_.is_filling = true; }
  Filling(const Filling&) = delete;
  Filling& operator=(const Filling&) = delete;
  ~Filling() { state_.is_filling = false; }

 private:
  Writer::State& state_;
};

/// Collective, after an error that all ranks throw: closes the file, which replaces no other.
void leave_file(Writer::State& state) {
  const NewFile* const file = state.life.unmade();
  if (file == nullptr) return static_cast<void>(caught([&] { close_writer(state, Incomplete::dropped); }));
  if (state.departure) {
    // The others wait for the step that this rank has left.
    static_cast<void>(caught([&] {
      static_cast<void>(propose(state.comm, {.failed = true}));
      file->require_alike(Error(ErrorKind::aborted, state.departure->reason).from_rank(state.comm.rank()));
    }));
  }
  state.life.close();
  state.comm.let_go();
}

Writer append_file(std::shared_ptr<Writer::State> state, const std::string& path, std::optional<std::int64_t> after,
                   Later later, const WriteOptions& options) {
  const auto locking = caught(state->comm.rank(), [&] {
    static_cast<void>(limits_of(options.options));
    if (striping_of(options.options).is_asked_for()) {
      throw Error(ErrorKind::usage, "only a new file can be striped").in_file(path);
    }
    if (!state->comm.is_root()) return;
    // Otherwise the remains of an interrupted replacement would later replace this file.
    finish_replacing(path);
    state->lock = lock_for_writing(path);
  });
  agree_on_choice(state->comm, choice_of(path, options, after, later), locking);
  state->first_file = path;
  state->transport = state->opened(path, Access::update, state->comm);
  const auto plan_with = [&](const Format& format) {
    state->planner =
        format.plan_writing(CheckedOptions(format.write_options, without_transport_knobs(options.options)));
    state->file.format = format.name;
  };
  const auto message = from_root(state->comm, [&] {
    std::vector<std::byte> head(recognised_bytes);
    head.resize(state->transport->get(0, head));
    refuse_compressed(head, path);
    const auto existing = std::make_shared<TransportSource>(*state->transport);
    const Format& format = options.format.empty() ? recognise(head, existing) : format_named(options.format);
    plan_with(format);
    state->planner->introduce(context_of(path, DescribeContext().memory_budget));
    const Publication acts = state->planner->resume(existing, after, later == Later::drop);
    state->find_members();
    // They are those of the bytes before, of which some may change.
    remove_sums(path);
    carry_out(acts, *state->transport, options.durable);
    state->has_leftovers = true;
    return pack(Resumption{std::string(format.name), state->planner->state()});
  });
  const auto error = caught(state->comm.rank(), [&] {
    if (state->comm.is_root()) return;
    const auto resumption = unpack<Resumption>(message);
    plan_with(format_named(resumption.format));
    state->planner->adopt(resumption.state);
    state->find_members();
  });
  agree(state->comm, error);
  state->file_described = true;
  return Writer(std::move(state));
}

}  // namespace

std::unique_ptr<Transport> Writer::State::wrapped(std::unique_ptr<Transport> inner, const std::string& where) const {
  return options.wrapper ? options.wrapper(std::move(inner), where, comm.rank()) : std::move(inner);
}

std::unique_ptr<Transport> Writer::State::opened(const std::string& where, Access access, const Comm& ranks) const {
  return wrapped(open_transport(options.transport, where, access, ranks, transport_options(*this)), where);
}

std::shared_ptr<Writer::State> create_file(const std::string& path, const Comm& comm, const WriteOptions& options,
                                           const FileDescription& file) {
  auto state = new_state(path, comm, options);
  state->file = file;
  in_file(*state, [&] { static_cast<void>(create_file(state)); });
  return state;
}

Writer create(const std::string& path, Comm comm, const WriteOptions& options) {
  const auto state = new_state(path, std::move(comm), options);
  return in_file(*state, [&] {
    if (format_of_series(path, options.format) != nullptr) return Writer(open_series(state));
    return create_file(state);
  });
}

Writer write_file(const std::string& path, Comm comm, std::int64_t number, const FillFile& fill,
                  const WriteOptions& options) {
  const SeriesPlace place = place_in_series(path, options, number);
  const auto state = new_state(place.path, std::move(comm), place.options);
  return in_file(*state, [&] {
    Writer writer(state);
    const auto file = std::make_shared<NewFile>(*state);
    state->life.await(file);
    try {
      if (!file->joins_step()) make_before_step(*state, *file);
      writer.write_step(number, [&](WriteStep& step) {
        const Filling filling(*state);
        fill(writer, step);
      });
    } catch (...) {
      leave_file(*state);
      throw;
    }
    writer.close();
    return writer;
  });
}

Writer append(const std::string& path, Comm comm, std::optional<std::int64_t> after, Later later,
              const WriteOptions& options) {
  const auto state = new_state(path, std::move(comm), options);
  return in_file(*state, [&] { return append_file(state, path, after, later, options); });
}

}  // namespace quire
