#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/in_file.hpp"
#include "api/write/file_life.hpp"
#include "api/write/proposal.hpp"
#include "api/write/put_elements.hpp"
#include "api/write/row_groups.hpp"
#include "api/write/step_builder.hpp"
#include "api/write/write_target.hpp"
#include "api/write/zones.hpp"
#include "plan/box_cover.hpp"
#include "quire/api/writer.hpp"
#include "quire/spi/format/planner_capabilities.hpp"
#include "quire/spi/format/streams.hpp"
#include "quire/spi/transport/transport.hpp"
#include "transport/summed.hpp"
#include "transport/write_lock.hpp"

namespace quire {

class BufferPool;
struct Series;
struct StepInFlight;

/// What has become of the steps that this writer has begun.
enum class Steps : std::uint8_t {
  none,         ///< none was begun
  failed,       ///< none is in the file
  committed,    ///< one or several are in the file
  interrupted,  ///< the publication of the last one was interrupted, and cannot be rolled back: none may follow
};

/// This rank's side of a file after it is closed.
struct ClosedSide {
  std::optional<Error> failure{};  ///< of closing it
};

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
  std::unique_ptr<WritePlanner> planner{};  ///< may read through the transport until its end
  FileDescription file{};
  NameIndex attribute_index{};  ///< of the attributes of the file
  bool holds_one_step = false;  ///< no other one may follow
  Steps steps = Steps::none;
  bool file_described = false;  ///< the planner has the attributes of the file
  FileLife life{};
  std::optional<ClosedSide> closed_side{};
  bool is_filling = false;             ///< in write_file(), which allows only calls that fill the step
  std::shared_ptr<Series> series{};    ///< if it has a file for each step
  std::vector<std::string> remarks{};  ///< rank 0: requests that could not be met
  StepDescription schema{};
  std::optional<Departure> departure{};
  WriteStep::State* open_step = nullptr;  ///< the step that is neither committed nor aborted

  bool has_leftovers = false;  ///< rank 0: the file may have data of an unpublished step before this writer

  std::size_t pending_exchanges = 0;  ///< exchanges that the others still make with this rank in a step that it left

  BackgroundSteps background{};

  Timing timing{};

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
  /// Whether the commit of the step of write_file() has closed the file: no rank waits for another to close it.
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

/// A field of a step whose values are passed part by part.
struct DeclaredField {
  Type type;  ///< of the values
  std::size_t components;
  BoxCover weighed;
  BoxCover written;
  std::vector<std::uint64_t> positions;  ///< in each component's text: the end of the last part
};

class FieldEncoding;

/// The state of a step that is being written.
struct WriteStep::State {
  explicit State(std::shared_ptr<Writer::State> file, std::int64_t number)
      : path(file->path), writer(std::move(file)), builder(number) {}

  std::string path;                       ///< of the file
  std::shared_ptr<Writer::State> writer;  ///< null after commit_async()
  StepBuilder builder;
  /// A step that is not weighed, or whose ranks do not agree on its rows before, is placed from the beginning.
  enum class Phase : std::uint8_t {
    filling,         ///< its description and its values are passed
    weighing,        ///< the planner has weighed values of a streamed step
    agreed_on_rows,  ///< the ranks have, before they encode them in groups
    placed,
    done,  ///< published, or failed
  } phase = Phase::filling;
  StepPart* part = nullptr;                    ///< after it was finished, to be weighed or placed
  std::vector<std::vector<std::byte>> packed;  ///< fields that had to be copied out of larger arrays
  StepDescription accepted;
  std::vector<std::string> table_names;     ///< as the caller put them: a format may hold its table without a name
  std::vector<std::string> field_names;     ///< the same for fields
  NameIndex table_index;                    ///< of table_names
  NameIndex field_index;                    ///< of field_names
  std::vector<std::uint64_t> weighed_rows;  ///< of each table
  std::vector<std::uint64_t> written_rows;  ///< the same for those that are in the file
  Measure total;                            ///< of all ranks,
  Measure before;                           ///< and of the lower ones
  Placement placement;
  std::uint64_t plans = 0;                             ///< number of plans that all ranks run together
  std::vector<std::vector<std::uint64_t>> positions;   ///< in each table's runs: the end of the last block
  std::vector<std::optional<DeclaredField>> declared;  ///< for each field
  std::optional<Error> failure;                        ///< of a streamed block; reported in the next collective
  std::optional<Publication> publication;              ///< rank 0: publishes the step, after it is prepared
  std::optional<PendingElements> elements;             ///< whose tables are put at the commit
  std::vector<OwnZone> zones;                          ///< that are recorded
  Call call = Call::commit;                            ///< the collective call of this rank

  // If rows are encoded in groups (api/write_groups.hpp), for each table:
  std::vector<GroupedRows> grouped;         ///< empty if they are not
  std::vector<std::uint64_t> group_owners;  ///< the rank that has begun the group in which this rank's rows begin
  std::vector<RowGroups> groups;
  std::vector<std::vector<std::size_t>> groups_written;  ///< of each column of a streamed table

  // If streams are written (api/write_streams.hpp):
  std::vector<std::shared_ptr<StreamWriter::State>> streams;
  std::map<std::uint64_t, StreamUse> merged;  ///< rank 0: of each that takes pieces of others, by its request

  // If fields are encoded in chunks (api/write_chunks.hpp):
  std::shared_ptr<FieldEncoding> encoding;

  /// Names the file in an error that has none.
  [[nodiscard]] Error placed(Error error) const;
  [[nodiscard]] bool is_unplaced() const noexcept { return phase < Phase::placed; }
  [[nodiscard]] bool has_agreed_on_rows() const noexcept { return phase == Phase::agreed_on_rows; }
  /// Throws usage errors after the step is placed.
  void require_filling(const char* what) const;
  /// The same, and after the planner has weighed parts of the step: later parts would not be counted.
  void require_unweighed(const char* what) const;
  /// Throws usage errors unless the step is placed.
  void require_placed(const char* what, std::string_view object = {}) const;
  /// Accepts the part as the format will hold it.
  void accept(StepPart& brought);
  /// The table of this name. Throws missing errors.
  [[nodiscard]] std::size_t find_table(std::string_view table);
  void finish(bool published);
};

inline WriteStep::State* Writer::State::placed_step() const noexcept {
  return open_step != nullptr && open_step->phase == WriteStep::State::Phase::placed ? open_step : nullptr;
}

/// An attribute whose only text is its unit.
[[nodiscard]] Attribute attribute_of(std::string name, Value value, std::string unit);

/// What happens to a file that has not got its only step.
enum class Incomplete : std::uint8_t { kept, dropped };

/// Collective. Writer::close(), and Writer::abort() for a `reason`.
void close_writer(Writer::State& writer, Incomplete incomplete);
void abort_writer(Writer::State& writer, const std::string& reason, Incomplete incomplete);
/// Collective with a collective transport, otherwise independent: closes this rank's side of the file. Returns what
/// failed, now or before.
[[nodiscard]] std::optional<Error> close_here(Writer::State& writer);
/// This rank's own preparation before the collective: converts its part to what the format will hold, or returns why it
/// cannot.
[[nodiscard]] std::optional<Error> accept_step(WriteStep::State& step);
/// Independent. Before the planner weighs values of a streamed step: accepts the part.
void begin_weighing(WriteStep::State& step);
/// Collective, first of all: this rank's part in rolling back a step that it has left, if there is one. Throws the
/// error that all ranks throw.
void take_back_left_step(Writer::State& writer);
/// The same if the file continues: then all ranks know that the step was left.
void answer_for_left_step(Writer::State& writer);
/// Collective, the same for a step that is still open and whose places were agreed on, because of `why`.
void take_back_open_step(Writer::State& writer, const Error& why);
/// Collective, after a failure anywhere: every rank throws the same error.
[[noreturn]] void fail_together(WriteStep::State& step, const std::optional<Error>& mine);
/// Collective, after the ranks have found that they write different steps.
[[noreturn]] void fail_for_structure(WriteStep::State& step);
/// Collective, the same if they describe the file differently.
void fail_for_file(Writer::State& writer);

}  // namespace quire
