#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "api/in_file.hpp"
#include "api/write/file_life.hpp"
#include "api/write/limits.hpp"
#include "api/write/write_target.hpp"
#include "model/name_index.hpp"
#include "quire/api/writer.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/format/planner_capabilities.hpp"
#include "quire/spi/transport/transport.hpp"
#include "transport/summed.hpp"
#include "transport/write_lock.hpp"

namespace quire {

class BufferPool;
struct Series;
struct StepInFlight;

/// A step, or the file, that this rank has left without commit or close. It fails the next agreement of the ranks.
struct Departure {
  std::string reason{};
  std::shared_ptr<WriteStep::State> step{};  ///< if its places were agreed on: others may commit it
};

/// What is written by a thread while the program continues.
struct BackgroundSteps {
  std::shared_ptr<BufferPool> pool{};         ///< for copies of the arrays
  std::shared_ptr<StepInFlight> in_flight{};  ///< on all ranks
  std::optional<Error> lost{};                ///< what failed of an earlier one, not thrown yet on this rank
};

/// The state of a file that is being written.
struct Writer::State {
  std::string path;
  Comm comm;
  WriteOptions options{};

  WriteTarget target{};
  std::string first_file{};  ///< the opened file: the target, or a file in that directory
  WriteLock lock{};          ///< rank 0: against other writers
  std::unique_ptr<Transport> transport{};
  bool has_members = false;                 ///< the transport is one of a set of files
  SummedTransport* sums = nullptr;          ///< the transport, if checksums are kept
  std::optional<FileLimits> limits{};       ///< for the index, if it is made
  std::unique_ptr<WritePlanner> planner{};  ///< may read through the transport until its end
  std::shared_ptr<Series> series{};         ///< if it has a file for each step

  FileDescription file{};
  NameIndex attribute_index{};  ///< of the attributes of the file
  bool file_described = false;  ///< the planner has the attributes of the file
  bool holds_one_step = false;  ///< no other one may follow
  bool has_leftovers = false;   ///< rank 0: there may be data of an unpublished step before this writer
  StepDescription schema{};
  std::vector<std::string> remarks{};          ///< rank 0: requests that could not be met
  std::unordered_set<std::string> remarked{};  ///< rank 0: attributes of steps that were compared with the format
  Timing timing{};

  FileLife life{};
  std::optional<ClosedSide> closed_side{};
  bool is_filling = false;  ///< in write_file(), which allows only calls that fill the step

  Steps steps = Steps::none;
  WriteStep::State* open_step = nullptr;  ///< the step that is neither committed nor aborted
  std::optional<Departure> departure{};
  std::size_t pending_exchanges = 0;  ///< exchanges that the others still make with this rank in a step that it left
  BackgroundSteps background{};       ///< ends first: it uses the transport

  [[nodiscard]] PlannerCapabilities capabilities() const { return planner->capabilities(); }
  /// Independent. A transport by the options, for a file that `ranks` open together. Throws its errors.
  [[nodiscard]] std::unique_ptr<Transport> opened(const std::string& where, Access access, const Comm& ranks) const;
  /// Independent. Applies the wrapper of the options, which gets this rank's number among all writers.
  [[nodiscard]] std::unique_ptr<Transport> wrapped(std::unique_ptr<Transport> inner, const std::string& where) const;
  /// Whether the new file replaces the old one with its only step, not when it is closed.
  [[nodiscard]] bool completes_with_step() const noexcept { return holds_one_step && target.replaces_whole(); }
  /// Whether the bytes of a step are durable before it is published.
  [[nodiscard]] bool syncs_steps() const noexcept { return options.durable || completes_with_step(); }
  /// Independent. Makes durable what this rank has written to steps. A rank that has written nothing does not open the
  /// file for this if it is only required for a replacement.
  void sync_step();
  void describe_file();
  /// Independent. Gives the transport the further members of a set, if the format creates one.
  void find_members();
  /// Whether the only step of the file was begun, and is not in it.
  [[nodiscard]] bool lacks_failed_step() const noexcept {
    return holds_one_step && (steps == Steps::failed || steps == Steps::interrupted);
  }
  /// Whether the file is complete with its only step, which is in the file at its place.
  [[nodiscard]] bool is_complete() const noexcept { return steps == Steps::committed && completes_with_step(); }
  /// Before close(): whether the commit of the step of write_file() has closed the file on all ranks, so that none
  /// waits for another to close it.
  [[nodiscard]] bool is_closed_with_step() const noexcept { return closed_side && steps == Steps::committed; }
  /// Whether this rank has left the file, or a step, before its end.
  [[nodiscard]] bool is_left() const noexcept { return departure.has_value() || steps == Steps::interrupted; }
  /// A step was begun, and is not in the file.
  void lose_step() noexcept {
    if (steps == Steps::none) steps = Steps::failed;
  }
  /// This rank leaves a step, or the file.
  void leave(std::string reason);
  /// Whether this rank has left a step whose places were agreed on.
  [[nodiscard]] bool has_left_places() const noexcept { return departure && departure->step; }
  /// Throws usage errors for a file that is closed.
  void require_open() const;
  /// Throws usage errors in the function that fills the step of write_file().
  void require_own_calls() const;
  /// Throws usage errors unless the file can be described: not after the ranks have agreed on an open step.
  void require_settable() const;
  /// Throws usage errors after a publication was interrupted.
  void require_publishable() const;
  /// Throws usage errors unless a step, or another publication, may begin.
  void require_between_steps() const;
  /// The open step, if its places were agreed on.
  [[nodiscard]] WriteStep::State* placed_step() const noexcept;
  /// Collective. Rank 0 passes an attachment to the planner, or, without bytes, drops one.
  void attach(const std::string& name, std::optional<std::vector<std::byte>> bytes, bool replace,
              std::optional<Error> refusal);
  /// Rank 0: removes the data of an unfinished step from the file.
  void roll_back();
  /// Rank 0: removes data where the next step may begin, if that is in another file of a set.
  void drop_leftovers();
  [[nodiscard]] Error placed(Error error) const;
};

/// An attribute whose only text is its unit.
[[nodiscard]] Attribute attribute_of(std::string name, Value value, std::string unit);

/// Collective. Writer::close(), and Writer::abort() for a `reason`.
void close_writer(Writer::State& writer, Incomplete incomplete);
void abort_writer(Writer::State& writer, const std::string& reason, Incomplete incomplete);
/// Collective with a collective transport, otherwise independent: closes this rank's side of the file. Returns what
/// failed, now or before.
[[nodiscard]] std::optional<Error> close_here(Writer::State& writer);
/// Collective, first of all: this rank's part in rolling back a step that it has left, if there is one. Throws the
/// error that all ranks throw.
void take_back_left_step(Writer::State& writer);
/// The same if the file continues: then all ranks know that the step was left.
void answer_for_left_step(Writer::State& writer);
/// Collective, after the ranks have found that they describe the file differently: every rank throws what differs.
void fail_for_file(Writer::State& writer);

}  // namespace quire
