#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/write/limits.hpp"
#include "api/write/proposal.hpp"
#include "api/write/put_elements.hpp"
#include "api/write/row_groups.hpp"
#include "api/write/step_builder.hpp"
#include "api/write/writer_state.hpp"
#include "api/write/zones.hpp"
#include "plan/box_cover.hpp"

namespace quire {

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
  /// A step is weighed, or its rows are agreed on, only if its encoded size is not known before.
  enum class Phase : std::uint8_t {
    filling,         ///< its description and its values are passed
    weighing,        ///< the planner has weighed values of a streamed step
    agreed_on_rows,  ///< the ranks know which rows and elements they encode together
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
  std::optional<StepLimits> limits;                    ///< if the step has any
  std::size_t words_of_limits = 0;                     ///< of propose_limits(), if the file may have limits
  bool is_lent = false;                                ///< it is written from the arrays of the caller, in flight
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

/// This rank's own preparation before the collective: converts its part to what the format will hold, or returns why it
/// cannot.
[[nodiscard]] std::optional<Error> accept_step(WriteStep::State& step);
/// Independent. Before the planner weighs values of a streamed step: accepts the part.
void begin_weighing(WriteStep::State& step);
/// Collective, for the step that is still open, if its places were agreed on: rolls it back because of `why`. Throws
/// the error that all ranks throw.
void take_back_open_step(Writer::State& writer, const Error& why);
/// Collective, after a failure anywhere: every rank throws the same error.
[[noreturn]] void fail_together(WriteStep::State& step, const std::optional<Error>& mine);
/// Collective, after the ranks have found that they write different steps.
[[noreturn]] void fail_for_structure(WriteStep::State& step);

}  // namespace quire
