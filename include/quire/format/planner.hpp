#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/format/describer.hpp"
#include "quire/format/step_part.hpp"
#include "quire/format/streams.hpp"
#include "quire/model/description.hpp"
#include "quire/model/view.hpp"
#include "quire/plan/byte_source.hpp"
#include "quire/plan/chunks.hpp"
#include "quire/plan/plan.hpp"
#include "quire/plan/record.hpp"

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
  /// Adds one attribute, to an existing file or at any later time; it is written with the next publication, of a step
  /// or at close. Throws unsupported errors if the format cannot add attributes later, conflict errors for one that the
  /// existing file has, unless the options allow replacing it.
  virtual void add_to_file(const Attribute& attribute);

  /// The part as this format will store it: types widened, names checked, consistent with the steps already written.
  /// Throws type (unless `lossy`), unsupported and conflict errors that name the object.
  [[nodiscard]] virtual StepDescription accept(const StepDescription& step, bool lossy) const = 0;

  /// Throws unsupported errors, with advice, unless every row of a table of an accepted step has an offset in the file
  /// that depends only on its number: only such rows can be chosen.
  virtual void require_row_places(const StepDescription& step, std::size_t table) const;

  /// Whether a step can only be placed after inspecting its values, because their types and the bytes of strings do not
  /// determine their size.
  [[nodiscard]] virtual bool weighs_values() const { return false; }
  /// Pure. Adds the size of the values of the views to the weights of an accepted part: all of them, or in a streamed
  /// step one block after another. Cached results are dropped by advance(). Throws type errors (unless `lossy`) and
  /// unsupported errors.
  virtual void weigh(StepPart& part, bool lossy) const;

  /// Whether rows of a step may be encoded in groups, or fields in chunks; the same on all ranks and constant while the
  /// file is open. Such steps need some more collectives.
  [[nodiscard]] virtual bool groups_rows() const { return false; }
  /// Pure. The groups of rows of a table of an accepted step, the same on all ranks. A group belongs to the rank that
  /// holds its first row (open rows belong to rank 0); weights are not used; the runs of a placement are opaque, one
  /// for each column, and contain the groups of this rank consecutively.
  [[nodiscard]] virtual Grouping grouping(const StepDescription& step, std::size_t table) const;
  /// Pure. Encodes values of one column, as accepted, contiguous and in native byte order: a group, or the beginning of
  /// the last one.
  [[nodiscard]] virtual PackedGroup pack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                               std::span<const std::byte> values) const;
  /// Rank 0. The extent of the group that holds the open rows of a column, and the inverse of pack_group().
  [[nodiscard]] virtual Extent open_group(const StepDescription& step, std::size_t table, std::size_t column) const;
  [[nodiscard]] virtual std::vector<std::byte> unpack_group(const StepDescription& step, std::size_t table,
                                                            std::size_t column, std::span<const std::byte> bytes) const;

  /// Pure. The shape of the chunks in which elements of a field of an accepted step are encoded, the same on all ranks;
  /// empty: the field is not chunked. A chunk belongs to the rank that writes its first element, or else to the lowest
  /// rank that writes any; elements that no rank writes are zeros, chunks without elements are not stored. The runs of
  /// a placement are opaque then, one for each component, and contain all its chunks consecutively.
  [[nodiscard]] virtual std::vector<std::uint64_t> chunk_shape(const StepDescription& step, std::size_t field) const;
  /// Pure. Encodes the elements of a whole chunk of a field, as accepted, in native byte order.
  [[nodiscard]] virtual PackedGroup pack_chunk(const StepDescription& step, std::size_t field,
                                               std::span<const std::byte> values) const;
  /// Pure. The extents of an existing field that a step enlarges; empty if there is none. Chunks with elements inside
  /// and outside of them are encoded again.
  [[nodiscard]] virtual std::vector<std::uint64_t> held_extents(const StepDescription& step, std::size_t field) const;
  /// Rank 0. The location of a chunk of such a field, by its index in the new extents.
  [[nodiscard]] virtual Chunk held_chunk(const StepDescription& step, std::size_t field, std::size_t component,
                                         std::uint64_t index) const;
  /// The inverse of pack_chunk().
  [[nodiscard]] virtual std::vector<std::byte> unpack_chunk(const StepDescription& step, std::size_t field,
                                                            const Chunk& chunk, std::span<const std::byte> bytes) const;

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
  /// format whose next offset only rank 0 knows sends it through state(); otherwise `self_advancing` is true.
  virtual void advance(const StepPart& mine, const Measure& total, bool published) = 0;
  /// The size of the file without the unfinished step, to which a failed commit returns.
  [[nodiscard]] virtual std::uint64_t published_size() const = 0;
  /// The smallest offset at which the data of the next step may begin: in a set of files possibly in another file.
  [[nodiscard]] virtual std::uint64_t data_begin() const { return published_size(); }

  /// Rank 0. Keeps an attachment until the next publication, of a step or at close, writes it; without `bytes` the
  /// attachment of this name is deleted. Throws unsupported errors if the format has no attachments, usage errors for
  /// invalid names, conflict errors for a name in use (unless `replace`), missing errors for a missing one.
  virtual void attach(const std::string& name, std::optional<std::vector<std::byte>> bytes, bool replace);

  /// The planner of streams, if the format holds streams; lives as long as this planner. Such a step is not measured
  /// and placed by the functions above, but accepted, published and advanced by them.
  [[nodiscard]] virtual StreamPlanner* streams() { return nullptr; }

  /// Rank 0, at close: actions that make a file without steps valid, or clean up.
  [[nodiscard]] virtual Publication finish() = 0;

  /// Whether further steps may follow in a format that holds one step, because they make the file grow.
  [[nodiscard]] virtual bool grows() const { return false; }

  // If the output is a directory, or a set of files (quire/plan/member.hpp):
  /// The name of member 0 inside the created directory; empty if the path itself is member 0.
  [[nodiscard]] virtual std::string entry() const { return {}; }
  /// The name of a member in the directory of member 0, whose name is `first`. Empty for formats of one file, and after
  /// the last possible member.
  [[nodiscard]] virtual std::string member_name(const std::string& first, std::uint64_t member) const;
  /// Whether a file in the directory of `first` may belong to such a set, by its name: a new set removes it first.
  [[nodiscard]] virtual bool is_member(const std::string& first, std::string_view name) const;
  /// Whether the name alone determines that. Otherwise only files named by an existing first file
  /// (Format::named_members) are removed or replaced; any other file with the name of a new member is an error.
  [[nodiscard]] virtual bool names_determine_members() const { return true; }
};

}  // namespace quire
