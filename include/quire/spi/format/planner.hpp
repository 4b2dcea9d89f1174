#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/model/description.hpp"
#include "quire/model/value.hpp"
#include "quire/spi/format/describer.hpp"
#include "quire/spi/format/step_part.hpp"
#include "quire/spi/format/streams.hpp"
#include "quire/spi/plan/byte_source.hpp"
#include "quire/spi/plan/plan.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire {

/// The size of a rank's part of a step in the file, in slots that are summed over ranks. The format defines the slots;
/// their number depends only on the structure of the step, not on values or rows.
using Measure = std::vector<std::uint64_t>;

/// Produces the bytes of rows that belong to no run, because many of them are compressed together and their size is
/// only known after weighing.
class WeighedRows {
 public:
  virtual ~WeighedRows() = default;
  /// Adds to a plan the bytes that further rows of a table complete; the rows follow those of earlier calls. One view
  /// for each column, read until the plan has been run. Throws usage errors for rows that differ from the weighed ones.
  virtual void add(WritePlan& plan, std::size_t table, std::span<const ConstView> columns, bool lossy) = 0;
};

/// The location of a rank's part of a step.
struct Placement {
  std::vector<std::vector<Run>> tables;  ///< for each table the runs that contain this rank's rows
  /// For each field and component one run of all its elements, which includes this rank's selection; or, if records
  /// have no fixed size, one run of just this rank's elements.
  std::vector<std::vector<Run>> fields;
  WritePlan title;  ///< rank 0: header and attributes; empty on the others
  /// If all rows of tables are weighed and have no runs: produces the bytes that are not part of the title.
  std::shared_ptr<WeighedRows> weighed{};
  std::uint64_t end = 0;     ///< the size of the file after the data of the step are written
  bool is_in_sight = false;  ///< readers see the bytes at once: the file must not be extended in advance
};

class ValueWeigher;
class RowGroupCodec;
class FieldChunkCodec;
class RowPlacer;
class ZoneRecorder;
class AttributeAdder;
class AttachmentWriter;
class FileSetNames;

/// What only some planners do (quire/spi/format/planner_capabilities.hpp, quire/spi/format/streams.hpp). Null: this one
/// does not.
struct PlannerCapabilities {
  /// Whether further steps may follow in a format that holds one step, because they make the file grow.
  bool grows = false;
  bool holds_constants = false;  ///< of tables; otherwise they are written as columns of equal values
  const ValueWeigher* weigher = nullptr;
  const RowGroupCodec* row_groups = nullptr;  ///< rows of a step may be encoded in groups
  const FieldChunkCodec* field_chunks = nullptr;
  const RowPlacer* row_places = nullptr;
  const ZoneRecorder* zones = nullptr;        ///< the rows of each rank are recorded as a zone
  AttributeAdder* late_attributes = nullptr;  ///< otherwise attributes of the file are written with its first step
  AttachmentWriter* attachments = nullptr;
  /// Texts of a column are stored with the size of the longest one on any rank (Column::text_bytes), which may have so
  /// many bytes; 0: texts have any size. The size is known when a step is placed, not when it is accepted or measured.
  std::uint64_t longest_padded_text = 0;
  const FileSetNames* file_set = nullptr;  ///< the output is a directory, or may be several files
  /// The planner of streams. Such a step is not measured and placed by the functions of WritePlanner, but accepted,
  /// published and advanced by them.
  StreamPlanner* streams = nullptr;

  /// Whether steps need some more collectives, because ranks encode rows or elements of each other.
  [[nodiscard]] bool encodes_together() const noexcept { return row_groups != nullptr || field_chunks != nullptr; }
};

/// Plans the bytes of a file that is being written: one object on every rank, all in the same state.
class WritePlanner {
 public:
  virtual ~WritePlanner() = default;

  /// Called first, with the location of the file; for append on rank 0 also with access to the files in its directory.
  /// Throws usage errors for names that a new file cannot have.
  virtual void introduce(const DescribeContext& /*context*/) {}
  /// Rank 0 of a file opened for append, called next: reads the existing file, whose steps up to and including `after`
  /// are kept (all steps without a value). Returns the actions that the file needs first (to remove later steps).
  /// Throws a conflict error if `drop` is false and there are later steps. The planner may keep `existing` and read
  /// from it later, except for bytes that the returned Publication has changed.
  [[nodiscard]] virtual Publication resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after,
                                           bool drop) = 0;
  /// What other ranks must know of the existing file and of each published step: sent from rank 0.
  [[nodiscard]] virtual std::vector<std::byte> state() const = 0;
  virtual void adopt(std::span<const std::byte> state) = 0;

  /// Attributes and texts of the file; before the first step. Throws an error if the format can only write them once.
  virtual void set_file(const FileDescription& file) = 0;
  /// The part as this format will store it: types widened, names checked, consistent with the steps already written.
  /// Throws type (unless `lossy`), unsupported and conflict errors that name the object.
  [[nodiscard]] virtual StepDescription accept(const StepDescription& step, bool lossy) const = 0;

  /// Rank 0, first for each step: bytes that prevent readers from using the region until it is published.
  [[nodiscard]] virtual WritePlan guard(const StepPart& mine) = 0;

  /// Pure. This rank's sizes; with `root` including what rank 0 alone writes.
  [[nodiscard]] virtual Measure measure(const StepPart& mine, bool root) const = 0;

  /// Pure. This rank's location, from the sums over the lower ranks and over all. The part of rank 0 alone must be
  /// taken from `total`: in `before` it may be that of an earlier step.
  [[nodiscard]] virtual Placement place(const StepPart& mine, const Measure& before, const Measure& total,
                                        bool root) const = 0;

  /// Rank 0, after all data are in the file: the actions that publish the step.
  [[nodiscard]] virtual Publication publish(const StepPart& mine, const Measure& total) = 0;
  /// Every rank, after the publication has been executed or, with `published` false, after the step has failed. A
  /// format whose next offset only rank 0 knows sends it through state().
  virtual void advance(const StepPart& mine, const Measure& total, bool published) = 0;
  /// The size of the file without the unfinished step, to which a failed commit returns.
  [[nodiscard]] virtual std::uint64_t published_size() const = 0;
  /// The smallest offset at which the data of the next step may begin: in a set of files possibly in another file.
  [[nodiscard]] virtual std::uint64_t data_begin() const { return published_size(); }

  /// Rank 0, at close: actions that make a file without steps valid, or clean up.
  [[nodiscard]] virtual Publication finish() = 0;

  /// What only some planners do; constant while the file is open.
  [[nodiscard]] virtual PlannerCapabilities capabilities() { return {}; }
};

}  // namespace quire
