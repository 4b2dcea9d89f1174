#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/in_file.hpp"
#include "api/write/proposal.hpp"
#include "api/write/put_elements.hpp"
#include "api/write/row_groups.hpp"
#include "api/write/step_builder.hpp"
#include "api/write/write_target.hpp"
#include "plan/box_cover.hpp"
#include "quire/api/writer.hpp"
#include "quire/format/format.hpp"
#include "quire/format/streams.hpp"
#include "quire/transport/transport.hpp"
#include "transport/summed.hpp"
#include "transport/write_lock.hpp"

namespace quire {

class NewFile;

/// Everything of a file that is being written.
struct Writer::State {
  std::string path;
  Comm comm;
  WriteOptions options{};
  WriteTarget target{};
  std::string first_file{};  ///< what is opened: the target, or a file in that directory
  WriteLock lock{};          ///< rank 0: no second writer
  std::unique_ptr<Transport> transport{};
  SummedTransport* sums = nullptr;          ///< what moves the bytes, if their checksums are kept
  std::unique_ptr<WritePlanner> planner{};  ///< may read through the transport until its end
  std::unique_ptr<StepEngine> engine{};     ///< moves the bytes in the transport's place, if the planner has one
  FileDescription file{};
  NameIndex attribute_index{};        ///< of the attributes of the file
  bool holds_one_step = false;        ///< no second one may follow
  bool has_step = false;              ///< one was committed
  bool has_failed_step = false;       ///< one was begun, and is not in the file
  bool file_described = false;             ///< the planner knows the file's attributes
  std::shared_ptr<NewFile> unmade{};  ///< of write_file(), until its ranks agree on it together with its step:
  bool closes_with_step = false;      ///< whose commit closes it, too,
  bool closed_with_step = false;      ///< and has: nobody waits for another to close it
  bool is_filling = false;            ///< in write_file(), which leaves all else than the step to nobody
  bool is_given_up_whole = false;     ///< write_file() has failed: without its step the file takes no place
  bool closed = false;
  bool is_closed_here = false;           ///< this rank's side is,
  std::optional<Error> close_failure{};  ///< which has failed so
  bool overwriting = false;  ///< a publication has begun to change bytes of earlier steps: it cannot be taken back
  bool broken = false;       ///< and was interrupted: no further steps
  std::vector<std::string> remarks{};  ///< rank 0: what was asked for and could not be done
  StepDescription schema{};
  bool given_up = false;                     ///< closed by abort()
  std::optional<std::string> abandoned{};    ///< a step was left without commit or abort: votes in the next agreement
  std::shared_ptr<WriteStep::State> left{};  ///< that step, if its places were agreed on: others may commit it
  WriteStep::State* open_step = nullptr;     ///< a step that is there and neither committed nor aborted

  bool has_leftovers = false;  ///< rank 0: maybe, of a step that nobody has published before this writer

  std::size_t pending_exchanges = 0;  ///< it was left when the others expected so often something of this rank

  Timing timing{};

  /// Independent. A transport as the options have it, of a file that `ranks` open together. Throws its errors.
  [[nodiscard]] std::unique_ptr<Transport> opened(const std::string& where, Access access, const Comm& ranks) const;
  /// Independent. The same around another: what the options wrap transports in knows this rank among all that write.
  [[nodiscard]] std::unique_ptr<Transport> wrapped(std::unique_ptr<Transport> inner, const std::string& where) const;
  /// Whether the new file takes the place of the old one with its only step, not when it is closed.
  [[nodiscard]] bool completes_with_step() const noexcept {
    return holds_one_step && engine == nullptr && target.replaces_whole();
  }
  /// Whether the bytes of a step are durable before it is told to be there.
  [[nodiscard]] bool syncs_steps() const noexcept { return options.durable || completes_with_step(); }
  /// Independent. Makes durable what this rank has written, where steps are. Who has written nothing opens no file only
  /// for that a file is replaced.
  void sync_step();
  /// Rank 0: lets the new file, which is durable, take the place of the old one. Throws; once files move it is
  /// `overwriting`, and `recover` finishes it.
  void replace_old();
  void describe_file();
  /// Independent. Lets the transport reach the further members of a set, if the format makes one.
  void find_members();
  /// Whether the only step of the file was begun, and is not in it.
  [[nodiscard]] bool lacks_failed_step() const noexcept { return holds_one_step && !has_step && has_failed_step; }
  /// Throws usage errors for a file that is closed.
  void require_open() const;
  /// Throws usage errors in what fills the step of write_file().
  void require_own_calls() const;
  /// Throws usage errors unless the file can be described: not once the ranks have agreed on an open step.
  void require_settable() const;
  /// Throws usage errors unless a step, or anything that is published, may be begun.
  void require_between_steps() const;
  /// The open step, if its places were agreed on.
  [[nodiscard]] WriteStep::State* placed_step() const noexcept;
  /// Collective. Rank 0 hands an attachment to the planner, or, without bytes, drops one.
  void attach(const std::string& name, std::optional<std::vector<std::byte>> bytes, bool replace,
              std::optional<Error> refusal);
  /// Rank 0: carries out the acts in order.
  void carry_out(const Publication& acts);
  /// Rank 0: takes back what an unfinished step left in the file.
  void roll_back();
  /// Rank 0: takes away what stands where data of the next step may begin, if that is in another file of a set.
  void drop_leftovers();
  [[nodiscard]] Error placed(Error error) const;
};

/// A field of a step whose values come part by part.
struct DeclaredField {
  Type type;  ///< of the values
  std::size_t components;
  BoxCover weighed;
  BoxCover written;
  std::vector<std::uint64_t> positions;  ///< in each component's text, where the last part ended
};

class FieldEncoding;

/// Everything of a step that is being written.
struct WriteStep::State {
  explicit State(std::shared_ptr<Writer::State> file, std::int64_t number) : writer(std::move(file)), builder(number) {}

  std::shared_ptr<Writer::State> writer;
  StepBuilder builder;
  enum class Phase : std::uint8_t { filling, placed, done } phase = Phase::filling;
  StepPart* part = nullptr;                    ///< once it was handed over, to be weighed or placed
  std::vector<std::vector<std::byte>> packed;  ///< fields that had to be copied out of larger arrays
  StepDescription accepted;
  std::vector<std::string> table_names;     ///< as the caller put them: a format may hold its table without a name
  std::vector<std::string> field_names;     ///< the same of fields
  NameIndex table_index;                    ///< of these names,
  NameIndex field_index;                    ///< and of these
  bool has_weighed = false;                 ///< the planner has seen values of a streamed step:
  std::vector<std::uint64_t> weighed_rows;  ///< of each table
  std::vector<std::uint64_t> written_rows;  ///< the same of those that are in the file
  Measure total;                            ///< of all ranks,
  Measure before;                           ///< and of the lower ones
  Placement placement;
  std::uint64_t plans = 0;                             ///< how many all ranks run together
  std::vector<std::vector<std::uint64_t>> positions;   ///< in each table's runs, where the last block ended
  std::vector<std::optional<DeclaredField>> declared;  ///< for each field
  std::optional<Error> failure;                        ///< of a streamed block; told at the next meeting
  std::optional<Publication> publication;              ///< rank 0: what makes the step visible, once it is known
  std::optional<PendingElements> elements;             ///< whose tables are put at the commit
  Call call = Call::commit;                            ///< in which this rank meets the others

  // Where rows are encoded in groups (api/write_groups.hpp), for each table:
  bool agreed_on_rows = false;
  std::vector<GroupedRows> grouped;         ///< empty if they are not
  std::vector<std::uint64_t> group_owners;  ///< the rank that has begun the group in which this rank's rows begin
  std::vector<RowGroups> groups;
  std::vector<std::vector<std::size_t>> groups_written;  ///< of each column of a streamed table

  // Where streams are written (api/write_streams.hpp):
  std::vector<std::shared_ptr<StreamWriter::State>> streams;
  std::map<std::uint64_t, StreamUse> merged;  ///< rank 0: of each that takes pieces of others, by its request

  // Where fields are encoded in chunks (api/write_chunks.hpp):
  std::shared_ptr<FieldEncoding> encoding;

  /// Throws usage errors once the step is placed.
  void require_filling(const char* what) const;
  /// The same, and once the planner has seen what the step is made of: what comes later would be in no account.
  void require_unweighed(const char* what) const;
  /// Throws usage errors unless the step is placed.
  void require_placed(const char* what, std::string_view object = {}) const;
  /// Takes the part as the format will hold it.
  void accept(StepPart& brought);
  /// The table that the caller calls so. Throws missing errors.
  [[nodiscard]] std::size_t find_table(std::string_view table);
  void finish(bool published);
};

inline WriteStep::State* Writer::State::placed_step() const noexcept {
  return open_step != nullptr && open_step->phase == WriteStep::State::Phase::placed ? open_step : nullptr;
}

/// An attribute whose only text is its unit.
[[nodiscard]] Attribute attribute_of(std::string name, Value value, std::string unit);

/// Collective where moving bytes is, else independent: this rank's side of the file. What failed, now or before.
[[nodiscard]] std::optional<Error> close_here(Writer::State& writer);
/// This rank's own share of the work before anyone is told: what it put, as the format will hold it; or why it cannot.
[[nodiscard]] std::optional<Error> accept_step(WriteStep::State& step);
/// Independent. Before the planner weighs values of a streamed step: the part as the format will hold it.
void begin_weighing(WriteStep::State& step);
/// Collective, before anything else is: this rank's part in taking back a step that it has left, if there is one.
/// Throws the error that all ranks throw.
void take_back_left_step(Writer::State& writer);
/// The same where the file goes on: then it is known to all that the step was left.
void answer_for_left_step(Writer::State& writer);
/// Collective, the same for a step that is still open and whose places were agreed on, for `why`.
void take_back_open_step(Writer::State& writer, const Error& why);
/// Collective, after a failure anywhere: every rank throws the same error.
[[noreturn]] void fail_together(WriteStep::State& step, const std::optional<Error>& mine);
/// Collective, after the ranks have found out that they write different steps.
[[noreturn]] void fail_for_structure(WriteStep::State& step);
/// Collective, the same if they describe the file differently.
void fail_for_file(Writer::State& writer);

}  // namespace quire
