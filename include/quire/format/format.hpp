#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/format/fit.hpp"
#include "quire/format/options.hpp"
#include "quire/format/streams.hpp"
#include "quire/model/description.hpp"
#include "quire/model/selection.hpp"
#include "quire/model/slice.hpp"
#include "quire/model/view.hpp"
#include "quire/plan/byte_source.hpp"
#include "quire/plan/chunks.hpp"
#include "quire/plan/plan.hpp"
#include "quire/plan/record.hpp"
#include "quire/plan/stream.hpp"

namespace quire {

/// What a describer may use in addition to the bytes of its file.
struct DescribeContext {
  std::string path;                           ///< for messages, and the name of the file in its directory
  std::uint64_t memory_budget = 64ULL << 20;  ///< for anything whose size the file states, beyond the file's own size
  /// The bytes of another file to which this one refers (an include, an external link), by the name in the file; null
  /// if there is no such file.
  std::function<std::shared_ptr<ByteSource>(const std::string& name)> neighbour;
  /// The bytes of another file of a set, which must be in the directory of the first one: of this file, or of the
  /// `neighbour` with this name.
  std::function<std::shared_ptr<ByteSource>(const std::string& neighbour, const std::string& name)> member{};
  /// The names of all entries of the directory of this file, for formats whose index may be incomplete.
  std::function<std::vector<std::string>()> beside{};
  /// Whether a writer has this file open: then unpublished data are not leftovers. Unset: unknown.
  std::function<bool()> is_being_written{};
};

/// Reads the structure of one file. Used on one rank, which sends the results to the others.
class Describer {
 public:
  virtual ~Describer() = default;

  [[nodiscard]] virtual const FileDescription& file() const = 0;

  /// The number of complete steps. May scan the file once; `step` reads only as far as necessary. If steps are located
  /// independently (Format::finds_steps_alone()), unreadable ones count, too.
  [[nodiscard]] virtual std::uint64_t steps() = 0;
  /// The number of step `index`, cheaper than its layout if the format allows. Numbers rise with the index.
  [[nodiscard]] virtual std::int64_t step_number(std::uint64_t index) = 0;
  /// Step `index` in file order (numeric order if the file has none), or no value after the last one. Throws bad_file
  /// errors for damage; the steps before it stay readable.
  [[nodiscard]] virtual std::optional<StepLayout> step(std::uint64_t index) = 0;

  /// Whether consecutive small steps are faster to describe together, before the values of the first one are read. Only
  /// for formats that find a step without reading the one before it.
  [[nodiscard]] virtual bool looks_ahead() const { return false; }

  /// The same, after checking every value where step() relies on the structure of the data alone. Damage is reported as
  /// by step().
  [[nodiscard]] virtual std::optional<StepLayout> verified(std::uint64_t index);

  /// For opaque runs: reads rows of one column (field component) of a step through the format itself. `object` is the
  /// name of the column or field, for a named table as "table/column".
  virtual void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                           const View& out);

  /// Streams of step `index` in the requested order. Throws missing errors that name the first one that the step does
  /// not have, and usage errors for a rank that several streams have.
  [[nodiscard]] virtual std::vector<StreamLayout> streams(std::uint64_t index, StreamsBy by,
                                                          std::span<const std::int64_t> wanted);

  /// Must be called before read_opaque() on a rank that has not described step `index` itself, with the received
  /// layout.
  virtual void adopt(std::uint64_t index, const StepLayout& layout);

  /// Reads bytes of an attachment of the file, from `offset` on. Throws missing errors, and usage errors past its end.
  virtual void read_attachment(const std::string& name, std::uint64_t offset, std::span<std::byte> out);

  /// The readable part of step `index` of a damaged file: a last page that was truncated, with its complete rows. No
  /// value if nothing can be recovered. Called after step() has thrown for `index`.
  [[nodiscard]] virtual std::optional<StepLayout> salvage(std::uint64_t index);

  /// Actions that make the file valid for readers without support for interrupted publications: complete one whose
  /// journal is complete, remove data of an unfinished step after the published end. Empty for a valid file.
  [[nodiscard]] virtual Publication repair();
  /// The same, and actions that remove steps from the file, which may be unreadable. Only for formats that locate steps
  /// independently; throws unsupported errors if this cannot be done in place.
  [[nodiscard]] virtual Publication drop(std::span<const std::int64_t> numbers);
};

/// The size of a rank's part of a step in the file, in slots that are summed over ranks. The format defines the slots;
/// their number depends only on the structure of the step, not on values or rows.
using Measure = std::vector<std::uint64_t>;

/// One rank's part of a field.
struct FieldPart {
  Selection selection;           ///< in the extents of the description
  std::vector<ConstView> views;  ///< one for each component
  MemorySelection memory;        ///< the elements of the views that are used; the same number, in the same order
  /// The selection as a box if its values are written in parts after the step is placed: then the views are empty.
  std::optional<Box> declared{};
};

/// The size in the file of values without a fixed size: text.
struct Weights {
  std::vector<std::uint64_t> tables;               ///< this rank's rows of each table
  std::vector<std::vector<std::uint64_t>> fields;  ///< this rank's part of each component of each field
};

/// How rows of a table without individual offsets are encoded together: in chunks that are compressed.
struct Grouping {
  std::uint64_t rows = 0;  ///< of a group; 0: every row has its own place
  /// The number of rows in an incomplete last group of the file: they are encoded again together with the first new
  /// ones.
  std::uint64_t open_rows = 0;
};

/// Values of one column that were encoded together.
struct PackedGroup {
  std::uint64_t length = 0;           ///< bytes in the file
  std::vector<std::byte> bytes = {};  ///< empty where only the length is wanted
  template <class Archive>
  void archive(Archive& a) {
    a(length);
  }
};
/// The groups of each column of each table, in the order of their rows.
using PackedTables = std::vector<std::vector<std::vector<PackedGroup>>>;

/// Elements of one component of a field that were encoded together: a box of the field.
struct PackedChunk {
  std::uint64_t index = 0;   ///< among the chunks that cover the field, in C order
  std::uint64_t place = 0;   ///< the bytes before it, of chunks with lower indices
  std::uint64_t length = 0;  ///< bytes in the file
  std::vector<std::byte> bytes{};
  template <class Archive>
  void archive(Archive& a) {
    a(index, place, length);
  }
};
/// The chunks of each component of each field, by rising indices.
using PackedFields = std::vector<std::vector<std::vector<PackedChunk>>>;

/// One rank's part of a step. Rows in the description's tables are this rank's own; extents of fields are global. A
/// table with chosen rows has no rows on any rank at first, and all rows on every rank when the step is placed.
struct StepPart {
  StepDescription description;
  std::vector<std::vector<ConstView>> tables;  ///< a view for each column of each table
  std::vector<FieldPart> fields;
  /// For each table, where any is chosen: the rows that this rank writes instead of those after the rows of the lower
  /// ranks, in the order of the file, in which the views hold their values.
  std::vector<std::optional<SelectionWalk>> chosen{};
  /// The number of bytes of each string column on this rank, table by table, as declared for a streamed step or counted
  /// from the views; 0 for other columns.
  std::vector<std::vector<std::uint64_t>> string_bytes;
  Weights weights;  ///< if the planner weighs values: see WritePlanner::weigh()
  /// If rows are encoded in groups: those whose first row is on this rank.
  PackedTables groups{};
  /// Rank 0, for publish(): the groups of all ranks, without their bytes.
  PackedTables all_groups{};
  /// If fields are encoded in chunks: those that belong to this rank, and on rank 0 all of them without their bytes.
  PackedFields chunks{};
  PackedFields all_chunks{};

  /// The chosen rows of a table; null if they are not chosen.
  [[nodiscard]] const SelectionWalk* rows_chosen_of(std::size_t table) const noexcept {
    return table < chosen.size() && chosen[table] ? &*chosen[table] : nullptr;
  }
};

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
  /// (Format::named_members()) are removed or replaced; any other file with the name of a new member is an error.
  [[nodiscard]] virtual bool names_determine_members() const { return true; }
};

/// One file format: the entry in the registry.
class Format {
 public:
  virtual ~Format() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view title() const = 0;  ///< one line, for display
  [[nodiscard]] virtual std::vector<std::string_view> suffixes() const = 0;
  /// Suffixes that its files may also have, although a path with one is assigned to another format of the same
  /// container.
  [[nodiscard]] virtual std::vector<std::string_view> shared_suffixes() const { return {}; }
  /// Recognises content: `head` holds the first bytes of the file (up to 64 KiB).
  [[nodiscard]] virtual bool recognises(std::span<const std::byte> head, std::uint64_t size) const = 0;
  /// A second check, if several formats share a container that the first bytes identify: whether the content belongs to
  /// this format. Called only if recognises() returned true; an unreadable file belongs to the first such format.
  [[nodiscard]] virtual bool owns(const std::shared_ptr<ByteSource>& bytes) const;
  /// The file, of those in a directory, that is opened for the whole; empty if the directory does not belong to this
  /// format.
  [[nodiscard]] virtual std::string entry_of(std::span<const std::string> names) const;
  /// Additional default options for the reader of such a directory.
  [[nodiscard]] virtual Options entry_options(std::span<const std::string> names) const;
  /// Paths of files that may be opened instead of a missing one, if the options of the reader allow it.
  [[nodiscard]] virtual std::vector<std::string> stand_ins(const std::string& path, const Options& options) const;
  /// Whether a file holds only one step: a second one is an unsupported error, and so is appending.
  [[nodiscard]] virtual bool holds_one_step() const { return false; }
  /// Whether steps are located independently: an unreadable step hides no other.
  [[nodiscard]] virtual bool finds_steps_alone() const { return false; }
  /// Whether such a file is written from streams only.
  [[nodiscard]] virtual bool holds_streams() const { return false; }
  /// Whether such a file is written from elements with coefficients only.
  [[nodiscard]] virtual bool holds_elements() const { return false; }
  /// Whether a step may have tables with any columns; otherwise only those of the format.
  [[nodiscard]] virtual bool holds_tables() const { return !holds_streams() && !holds_elements(); }

  [[nodiscard]] virtual const std::vector<Option>& read_options() const = 0;
  /// Options with which a reader returns the intact parts of files that it rejects otherwise.
  [[nodiscard]] virtual Options tolerant_options() const { return {}; }
  [[nodiscard]] virtual const std::vector<Option>& write_options() const = 0;
  /// Whether these options write several files, or may do so, that refer to each other by name: only their writer can
  /// replace others by them.
  [[nodiscard]] virtual bool makes_set(const CheckedOptions& /*options*/) const { return holds_streams(); }
  /// The names of the other files of a set, existing or not, from its possibly damaged first one, which is called
  /// `first`. None if names alone determine them (WritePlanner::names_determine_members()).
  [[nodiscard]] virtual std::vector<std::string> named_members(ByteSource& bytes, const std::string& first) const;
  /// Options for each kind of file that the format can write, the presets first, for tests and benchmarks. By default
  /// every combination of its text options that have choices.
  [[nodiscard]] virtual std::vector<Options> writing_variants() const;

  [[nodiscard]] virtual std::unique_ptr<Describer> describe(std::shared_ptr<ByteSource> bytes,
                                                            const DescribeContext& context,
                                                            const CheckedOptions& options) const = 0;
  [[nodiscard]] virtual std::unique_ptr<WritePlanner> plan_writing(const CheckedOptions& options) const = 0;
  /// Options of the writer that a file of this format needs for steps with numbers from `lowest` to `highest`.
  [[nodiscard]] virtual Options options_for_numbers(std::int64_t lowest, std::int64_t highest) const;
  /// Whether files of this format can keep attachments.
  [[nodiscard]] virtual bool holds_attachments() const { return false; }
  /// Whether a file without steps can declare their structure (FileDescription::declared).
  [[nodiscard]] virtual bool holds_declarations() const { return false; }
  /// The part of a step that a file written with these options can hold.
  [[nodiscard]] virtual Fit fit(const FileDescription& file, const StepDescription& step,
                                const CheckedOptions& options) const = 0;
  /// The same with the presets.
  [[nodiscard]] Fit fit(const FileDescription& file, const StepDescription& step) const;
};

/// Independent. All formats of this build, in the order in which they are tried for recognition.
[[nodiscard]] const std::vector<const Format*>& formats();
/// Independent. The format of this name. Throws usage errors that list the names.
[[nodiscard]] const Format& format_named(std::string_view name);
/// Independent. The format of a content, or a bad_file error that lists the formats. `head` holds the first bytes of
/// the file (up to 64 KiB); more is read only from containers that several formats share.
[[nodiscard]] const Format& recognise(std::span<const std::byte> head, const std::shared_ptr<ByteSource>& bytes);
/// Independent. The format for the suffix of a path, below that of a compression if present; null if no format has
/// it.
[[nodiscard]] const Format* format_for_suffix(std::string_view path);
/// Independent. Whether files of a format may have this name: by one of its suffixes, or a shared one.
[[nodiscard]] bool may_be_named(const Format& format, std::string_view path);

}  // namespace quire
