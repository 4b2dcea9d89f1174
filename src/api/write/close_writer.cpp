// The end of a file that is written: by close() or abort().

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "api/checksums.hpp"
#include "api/file_sets.hpp"
#include "api/publication.hpp"
#include "api/root.hpp"
#include "api/write/in_flight.hpp"
#include "api/write/limits.hpp"
#include "api/write/series.hpp"
#include "api/write/step_state.hpp"
#include "api/write/write_groups.hpp"
#include "api/write/write_streams.hpp"
#include "base/attempts.hpp"
#include "base/stopwatch.hpp"
#include "quire/spi/base/archive.hpp"
#include "transport/replacement.hpp"

namespace quire {
namespace {

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
    // A file that took its place with its step may have another one there now.
    if (!state.completes_with_step()) remember_file(state);
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

/// The checksums of a file, between its end and its place.
struct Sums {
  std::vector<SummedExtent> shared{};
  std::optional<Error> failure{};  ///< the same on all ranks
};

NameOfMember names_of_members(const Writer::State& state) {
  return [set = state.capabilities().file_set, first = std::filesystem::path(state.first_file).filename().string()](
             std::uint64_t member) { return member == 0 ? first : member_name(set, first, member); };
}

/// Collective. The checksums of a file that is closed, and not compressed yet; nothing if none were requested.
std::optional<Sums> find_sums(Writer::State& state) {
  if (state.sums == nullptr || is_left_anywhere(state)) return std::nullopt;
  // With its only step the file has taken its place.
  const std::filesystem::path first = state.completes_with_step() ? target_of(state.path) : state.first_file;
  const auto open = [&](std::uint64_t member) {
    const auto path = member == 0 ? first : first.parent_path() / names_of_members(state)(member);
    return open_transport("posix", path.string(), Access::read, Comm::self(), {});
  };
  Sums sums;
  sums.failure =
      caught([&] { sums.shared = shared_sums(state.comm, state.sums->extents(), state.sums->cell(), open); });
  return sums;
}

/// Collective. Writes the checksums of a file in its place. Throws what failed before.
void keep_sums(Writer::State& state, const std::optional<Sums>& sums) {
  if (!sums) return;
  if (sums->failure) throw Error(*sums->failure);
  write_sums(state.comm, state.path, sums->shared, names_of_members(state));
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
  const std::optional<Sums> sums = find_sums(state);
  put_in_place(state, lock);
  remove_empty(state);
  keep_sums(state, sums);
  write_limits(state);
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

}  // namespace quire
