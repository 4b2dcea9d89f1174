#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/format/engine.hpp"
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

/// What a describer may use besides the bytes of its file.
struct DescribeContext {
  std::string path;                           ///< for messages, and what the file is called among those beside it
  std::uint64_t memory_budget = 64ULL << 20;  ///< for anything the file announces, beyond the file's own size
  /// The bytes of another file that this one refers to (an include, an external link), by the name written in the
  /// file; nothing if there is no such file.
  std::function<std::shared_ptr<ByteSource>(const std::string& name)> neighbour;
  /// The same of another file of a set, which stands beside its first one and nowhere else. That is this file, or the
  /// `neighbour` of this name.
  std::function<std::shared_ptr<ByteSource>(const std::string& neighbour, const std::string& name)> member{};
  /// The names of all that stands in the directory of this file, for formats whose index may have forgotten some.
  std::function<std::vector<std::string>()> beside{};
  /// Whether a writer has this file open: then what is not published yet is no leftover. None: not known.
  std::function<bool()> is_being_written{};
};

/// Reads the structure of one file. Lives on the rank that describes; the others receive what it answers.
class Describer {
 public:
  virtual ~Describer() = default;

  [[nodiscard]] virtual const FileDescription& file() const = 0;

  /// How many whole steps there are. May look through the file once; `step` alone looks only as far as it must. Where
  /// steps are found each by itself (Format::finds_steps_alone()) those that cannot be read count, too.
  [[nodiscard]] virtual std::uint64_t steps() = 0;
  /// The number of step `index`, cheaper than its layout where the format allows. Numbers rise with the index.
  [[nodiscard]] virtual std::int64_t step_number(std::uint64_t index) = 0;
  /// Step `index` in file order (numeric order where the file has none), or nothing beyond the last one.
  /// Damage throws bad_file errors; the steps before it stay readable.
  [[nodiscard]] virtual std::optional<StepLayout> step(std::uint64_t index) = 0;

  /// Whether small steps that follow one another take less time when they are described in one go, before the values of
  /// the first one are read. Only for formats that need not look through one step to find the next.
  [[nodiscard]] virtual bool looks_ahead() const { return false; }

  /// The same, after a look at every value where step() trusts the outline of the data. Damage found so counts as if
  /// step() had seen it.
  [[nodiscard]] virtual std::optional<StepLayout> verified(std::uint64_t index);

  /// For runs marked opaque: rows of one column (field component) of a step through the format itself. `object` is the
  /// name of the column or field, a column's behind that of its table and a slash if the table has a name.
  virtual void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                           const View& out);

  /// Streams of step `index` in the order in which they are wanted. Throws missing errors that name the first one that
  /// the step does not have, and usage errors for a rank that several streams have.
  [[nodiscard]] virtual std::vector<StreamLayout> streams(std::uint64_t index, StreamsBy by,
                                                          std::span<const std::int64_t> wanted);

  /// Before read_opaque() on a rank that has not described step `index` itself: what the describing one found.
  virtual void adopt(std::uint64_t index, const StepLayout& layout);

  /// Bytes of an attachment of the file, from `offset` on. Throws missing errors, and usage errors beyond its end.
  virtual void read_attachment(const std::string& name, std::uint64_t offset, std::span<std::byte> out);

  /// Steps that could be saved although the file is damaged behind or inside them: a last page cut in the middle, with
  /// its complete rows. Nothing where there is no such thing. Called after step() has thrown for `index`.
  [[nodiscard]] virtual std::optional<StepLayout> salvage(std::uint64_t index);

  /// Acts that make the file whole again for readers that know nothing of interrupted publications: finish one whose
  /// journal is complete, drop what an unfinished step left behind the published end. Nothing for a tidy file.
  [[nodiscard]] virtual Publication repair();
  /// The same, and acts that take steps out of the file of which nothing need be readable. Only of formats that find
  /// steps alone; throws unsupported errors where it cannot be done in place.
  [[nodiscard]] virtual Publication drop(std::span<const std::int64_t> numbers);
};

/// How much a rank's part of a step takes in the file, in slots that are summed over ranks. What a slot means is the
/// format's own affair; the number of slots depends only on the structure of the step, not on values or rows.
using Measure = std::vector<std::uint64_t>;

/// One rank's part of a field.
struct FieldPart {
  Selection selection;           ///< in the extents of the description
  std::vector<ConstView> views;  ///< one for each component
  MemorySelection memory;        ///< which elements of the views these are; the same number, in the same order
  /// The selection as a box if its values come in parts once the step is placed: then the views are empty.
  std::optional<Box> declared{};
};

/// Rows of a table that a rank has chosen, instead of bringing those behind the rows of the lower ranks.
struct ChosenRows {
  SelectionWalk walk;       ///< in the order of the file, in which the views hold their values
  bool leaves_gaps = true;  ///< there may be rows that no rank brings: they are zeros
};

/// What values take in the file that have no size before they are written: text.
struct Weights {
  std::vector<std::uint64_t> tables;               ///< this rank's rows of each table
  std::vector<std::vector<std::uint64_t>> fields;  ///< this rank's part of each component of each field
};

/// How rows of a table are encoded together that have no places of their own in the file: chunks that are compressed.
struct Grouping {
  std::uint64_t rows = 0;  ///< of a group; 0: every row has its own place
  /// How many rows are in the file already, in a last group that they do not fill: they are encoded again together with
  /// the first new ones.
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
  std::uint64_t place = 0;   ///< how many bytes stand before it, of chunks with lower indices
  std::uint64_t length = 0;  ///< bytes in the file
  std::vector<std::byte> bytes{};
  template <class Archive>
  void archive(Archive& a) {
    a(index, place, length);
  }
};
/// The chunks of each component of each field, by rising indices.
using PackedFields = std::vector<std::vector<std::vector<PackedChunk>>>;

/// What one rank brings to a step. Rows in the description's tables are this rank's own; extents of fields are global.
/// Of a table whose rows are chosen no rank has rows of its own at first, and when the step is placed each has all.
struct StepPart {
  StepDescription description;
  std::vector<std::vector<ConstView>> tables;  ///< a view for each column of each table
  std::vector<FieldPart> fields;
  std::vector<std::optional<ChosenRows>> chosen{};  ///< for each table, where any is chosen
  /// Bytes of the strings of each string column on this rank, table by table, as declared for a streamed step or
  /// counted from the views; 0 for other columns.
  std::vector<std::vector<std::uint64_t>> string_bytes;
  Weights weights;  ///< where the planner weighs values: see WritePlanner::weigh()
  /// Where rows are encoded in groups: those whose first row this rank holds.
  PackedTables groups{};
  /// Rank 0, for publish(): those of all ranks, without their bytes.
  PackedTables all_groups{};
  /// Where fields are encoded in chunks: those that belong to this rank, and on rank 0 all of them without their bytes.
  PackedFields chunks{};
  PackedFields all_chunks{};

  /// The rows that were chosen of a table; null where they are simply this rank's.
  [[nodiscard]] const ChosenRows* rows_chosen_of(std::size_t table) const noexcept {
    return table < chosen.size() && chosen[table] ? &*chosen[table] : nullptr;
  }
};

/// Makes the bytes of rows that are in no run, for many of them are compressed together, and only weighing has told how
/// much that takes.
class WeighedRows {
 public:
  virtual ~WeighedRows() = default;
  /// Adds to a plan the bytes that are complete with further rows of a table, those behind the rows of earlier calls: a
  /// view for each column, read until the plan has been run. Throws usage errors for rows that are not those weighed.
  virtual void add(WritePlan& plan, std::size_t table, std::span<const ConstView> columns, bool lossy) = 0;
};

/// Where a rank's part of a step goes.
struct Placement {
  std::vector<std::vector<Run>> tables;  ///< for each table the runs that hold this rank's rows
  /// For each field and component one run of all its elements, in which this rank's selection is found; or where
  /// records have no fixed size, one run of just this rank's elements.
  std::vector<std::vector<Run>> fields;
  WritePlan title;  ///< rank 0: header and attributes; empty on the others
  /// Where all rows of tables are weighed and have no runs: what makes those bytes that the title does not hold.
  std::shared_ptr<WeighedRows> weighed{};
  std::uint64_t end = 0;     ///< the size of the file when the data of the step are in it
  bool is_in_sight = false;  ///< readers see the bytes as they arrive: the file must not be made longer before
};

/// Plans the bytes of a file that is being written: one object on every rank, all going through the same states.
class WritePlanner {
 public:
  virtual ~WritePlanner() = default;

  /// Before anything else where the file stands; of one opened for append on rank 0, with how those beside it are read,
  /// which of a new one nobody knows. Throws usage errors for names that a new one cannot have.
  virtual void introduce(const DescribeContext& /*context*/) {}
  /// Rank 0 of a file opened for append, before anything else: learns from the existing file, of which steps up to and
  /// including `after` are kept (all steps if nothing). What must happen to the file first (dropping later steps) is
  /// returned. `drop` false and later steps present: a conflict error. The planner may keep `existing` and read from it
  /// later, as long as it lives: bytes that it has handed out as a Publication it never asks for again.
  [[nodiscard]] virtual Publication resume(std::shared_ptr<ByteSource> existing, std::optional<std::int64_t> after,
                                           bool drop) = 0;
  /// What other ranks must know of that, and of each published step: sent from rank 0 to the rest.
  [[nodiscard]] virtual std::vector<std::byte> state() const = 0;
  virtual void adopt(std::span<const std::byte> state) = 0;

  /// Attributes and texts of the file; before the first step. Formats that can only write them once say so by an error.
  virtual void set_file(const FileDescription& file) = 0;
  /// The same of one attribute, of a file that exists or at any later time; it is written with the next publication, of
  /// a step or at close. Throws unsupported errors where files have their attributes once and for all, conflict errors
  /// for one that the existing file has, unless the options let it be replaced.
  virtual void add_to_file(const Attribute& attribute);

  /// The part as this format will hold it: types widened, names checked, against the steps already written.
  /// Throws type (unless `lossy`), unsupported and conflict errors that name the object.
  [[nodiscard]] virtual StepDescription accept(const StepDescription& step, bool lossy) const = 0;

  /// Throws unsupported errors, which say what would help, unless every row of a table of an accepted step has a place
  /// in the file that its number alone tells: only such rows can be chosen.
  virtual void require_row_places(const StepDescription& step, std::size_t table) const;

  /// Whether the values themselves must be seen before a step can be placed, for their types and the bytes of strings
  /// do not tell how much they take.
  [[nodiscard]] virtual bool weighs_values() const { return false; }
  /// Pure. Adds to the weights of an accepted part what the values take that its views hold: all of them, or in a
  /// streamed step one block after another. What a planner remembers of it goes with advance(). Throws type errors
  /// (unless `lossy`) and unsupported errors.
  virtual void weigh(StepPart& part, bool lossy) const;

  /// Whether rows of a step may be encoded in groups, or fields in chunks; the same on all ranks as long as the file is
  /// open. Such steps cost some more collectives.
  [[nodiscard]] virtual bool groups_rows() const { return false; }
  /// Pure. How rows of a table of an accepted step are grouped, the same on all ranks. A group belongs to
  /// the rank that holds its first row (open rows are rank 0's); weights play no role; the runs of a placement are
  /// opaque, one for each column: the groups of this rank one behind the other.
  [[nodiscard]] virtual Grouping grouping(const StepDescription& step, std::size_t table) const;
  /// Pure. Encodes values of one column, as accepted, one behind the other in native byte order: a group, or the
  /// beginning of the last one.
  [[nodiscard]] virtual PackedGroup pack_group(const StepDescription& step, std::size_t table, std::size_t column,
                                               std::span<const std::byte> values) const;
  /// Rank 0. Where the open rows of a column are: the group that holds them, and the inverse of pack_group().
  [[nodiscard]] virtual Extent open_group(const StepDescription& step, std::size_t table, std::size_t column) const;
  [[nodiscard]] virtual std::vector<std::byte> unpack_group(const StepDescription& step, std::size_t table,
                                                            std::size_t column, std::span<const std::byte> bytes) const;

  /// Pure. The shape of the chunks in which elements of a field of an accepted step are encoded, the same on all ranks;
  /// empty: every element has its own place. A chunk belongs to the rank that puts its first element, or else to the
  /// lowest that puts any; elements that nobody puts are zeros, chunks without elements are not made. The runs of a
  /// placement are opaque then, one for each component: all its chunks one behind the other.
  [[nodiscard]] virtual std::vector<std::uint64_t> chunk_shape(const StepDescription& step, std::size_t field) const;
  /// Pure. Encodes the elements of a whole chunk of a field, as accepted, in native byte order.
  [[nodiscard]] virtual PackedGroup pack_chunk(const StepDescription& step, std::size_t field,
                                               std::span<const std::byte> values) const;
  /// Pure. The extents that the file has of a field already, which a step makes larger; empty if there is none. Chunks
  /// with elements inside and outside of them are encoded again.
  [[nodiscard]] virtual std::vector<std::uint64_t> held_extents(const StepDescription& step, std::size_t field) const;
  /// Rank 0. Where a chunk of such a field stands, by its index in the new extents.
  [[nodiscard]] virtual Chunk held_chunk(const StepDescription& step, std::size_t field, std::size_t component,
                                         std::uint64_t index) const;
  /// The inverse of pack_chunk().
  [[nodiscard]] virtual std::vector<std::byte> unpack_chunk(const StepDescription& step, std::size_t field,
                                                            const Chunk& chunk, std::span<const std::byte> bytes) const;

  /// Rank 0, before anything else of a step: bytes that make readers refuse the region until it is published.
  [[nodiscard]] virtual WritePlan guard(const StepPart& mine) = 0;

  /// Pure. This rank's sizes; `root` adds what rank 0 alone writes.
  [[nodiscard]] virtual Measure measure(const StepPart& mine, bool root) const = 0;

  /// Pure. The sums over the lower ranks and over all give this rank's places. What rank 0 adds must be taken from
  /// `total`: in `before` it may be that of an earlier step.
  [[nodiscard]] virtual Placement place(const StepPart& mine, const Measure& before, const Measure& total,
                                        bool root) const = 0;

  /// Rank 0, after all data are in the file: the acts that make the step visible.
  [[nodiscard]] virtual Publication publish(const StepPart& mine, const Measure& total) = 0;
  /// Every rank, after publish() has been carried out or, with `published` false, after the step has failed.
  /// A format whose next offset only rank 0 knows sends it through state(), otherwise `self_advancing` is true.
  virtual void advance(const StepPart& mine, const Measure& total, bool published) = 0;
  /// How large the file is without the unfinished step: what a failed commit returns to.
  [[nodiscard]] virtual std::uint64_t published_size() const = 0;
  /// Where the data of the next step may begin at the earliest: in a set of files maybe in another one.
  [[nodiscard]] virtual std::uint64_t data_begin() const { return published_size(); }

  /// Rank 0. Keeps an attachment until the next publication, of a step or at close, brings it into the file; an empty
  /// optional drops what the file has under this name. Throws unsupported errors where the format has no attachments,
  /// usage errors for names, conflict errors for a name that is taken (unless `replace`), missing errors for one that
  /// is not there.
  virtual void attach(const std::string& name, std::optional<std::vector<std::byte>> bytes, bool replace);

  /// Asked once, on every rank: what writes the steps in the place of a transport, if the options ask for such a thing.
  /// Then guard(), place(), publish(), state() of published steps and finish() are not called. The planner outlives it.
  [[nodiscard]] virtual std::unique_ptr<StepEngine> engine() { return nullptr; }

  /// How streams are placed, where the format holds streams; lives as long as the planner. Such a step is not measured
  /// and placed by the functions above, but it is accepted, published and advanced by them.
  [[nodiscard]] virtual StreamPlanner* streams() { return nullptr; }

  /// Rank 0, at close: acts that make a file without any step valid, or that tidy up.
  [[nodiscard]] virtual Publication finish() = 0;

  /// Whether further steps may follow where the format holds one: those by which the file grows.
  [[nodiscard]] virtual bool grows() const { return false; }

  // Where what is written is a directory, or a set of files (quire/plan/member.hpp):
  /// The name of member 0 inside the directory that is made; empty if the path itself is member 0.
  [[nodiscard]] virtual std::string entry() const { return {}; }
  /// The name of a member beside that of member 0, `first`. Empty for formats of one file, and behind the last member
  /// if there cannot be more.
  [[nodiscard]] virtual std::string member_name(const std::string& first, std::uint64_t member) const;
  /// Whether a file beside `first` may belong to such a set, by its name: a new one removes it first.
  [[nodiscard]] virtual bool is_member(const std::string& first, std::string_view name) const;
  /// Whether the name alone says that it does. Else only what an existing first file names (Format::named_members()) is
  /// removed or replaced, and anything else in the place of a new member is in the way.
  [[nodiscard]] virtual bool names_determine_members() const { return true; }
};

/// One file format: the entry in the registry.
class Format {
 public:
  virtual ~Format() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view title() const = 0;  ///< one line for people
  [[nodiscard]] virtual std::vector<std::string_view> suffixes() const = 0;
  /// Suffixes that its files may bear as well, though a path that has one is given to another format of the same
  /// container.
  [[nodiscard]] virtual std::vector<std::string_view> shared_suffixes() const { return {}; }
  /// By content: `head` holds the first bytes of the file (up to 64 KiB).
  [[nodiscard]] virtual bool recognises(std::span<const std::byte> head, std::uint64_t size) const = 0;
  /// A second look, where several formats share a container that the first bytes tell: whether what is in the file is
  /// this format's. Asked only if recognises() said yes; a file that cannot be looked through belongs to the first one.
  [[nodiscard]] virtual bool owns(const std::shared_ptr<ByteSource>& bytes) const;
  /// Of the files in a directory, by their names, the one that is opened for the whole; empty if the directory is none
  /// of this format's.
  [[nodiscard]] virtual std::string entry_of(std::span<const std::string> names) const;
  /// What the reader of such a directory is told besides: options of its own, unless they are given.
  [[nodiscard]] virtual Options entry_options(std::span<const std::string> names) const;
  /// Paths of files that may be opened in the place of one that is missing, if the options of the reader ask for it.
  [[nodiscard]] virtual std::vector<std::string> stand_ins(const std::string& path, const Options& options) const;
  /// Whether a file is one step and no more: a second one is an unsupported error, and so is appending.
  [[nodiscard]] virtual bool holds_one_step() const { return false; }
  /// Whether a step is found without a look at those before it: one that cannot be read hides no other.
  [[nodiscard]] virtual bool finds_steps_alone() const { return false; }
  /// Whether what is written to such a file are streams, and nothing but streams.
  [[nodiscard]] virtual bool holds_streams() const { return false; }
  /// Whether what is written to such a file are elements with coefficients, and nothing else.
  [[nodiscard]] virtual bool holds_elements() const { return false; }
  /// Whether a step may have tables of any columns; otherwise only what the format is made for.
  [[nodiscard]] virtual bool holds_tables() const { return !holds_streams() && !holds_elements(); }

  [[nodiscard]] virtual const std::vector<Option>& read_options() const = 0;
  /// Options with which a reader gives what is whole of files that it refuses otherwise.
  [[nodiscard]] virtual Options tolerant_options() const { return {}; }
  [[nodiscard]] virtual const std::vector<Option>& write_options() const = 0;
  /// Whether what is written with these options are several files, or may be, that know each other by their names: only
  /// their writer can put them in the place of others.
  [[nodiscard]] virtual bool makes_set(const CheckedOptions& /*options*/) const { return holds_streams(); }
  /// The names of the other files of a set, as its first one says which is called `first`, be it damaged: whether they
  /// are there or not. None where names alone tell (WritePlanner::names_determine_members()).
  [[nodiscard]] virtual std::vector<std::string> named_members(ByteSource& bytes, const std::string& first) const;
  /// Options for each kind of file that the format can write, the presets first: what tests and benchmarks go through.
  /// Unless the format knows better, every combination of its text options that have choices.
  [[nodiscard]] virtual std::vector<Options> writing_variants() const;

  [[nodiscard]] virtual std::unique_ptr<Describer> describe(std::shared_ptr<ByteSource> bytes,
                                                            const DescribeContext& context,
                                                            const CheckedOptions& options) const = 0;
  [[nodiscard]] virtual std::unique_ptr<WritePlanner> plan_writing(const CheckedOptions& options) const = 0;
  /// Asked once, on every rank: what reads values in the place of a transport, if the options of the reader ask for
  /// such a thing.
  [[nodiscard]] virtual std::unique_ptr<ReadEngine> read_engine(const CheckedOptions& options) const;
  /// Options of the writer without which a file of this format takes no steps of such numbers, the lowest and the
  /// highest of them, though it can hold them.
  [[nodiscard]] virtual Options options_for_numbers(std::int64_t lowest, std::int64_t highest) const;
  /// Whether files of this format can keep attachments.
  [[nodiscard]] virtual bool holds_attachments() const { return false; }
  /// Whether a file without steps can say what they will have (FileDescription::declared).
  [[nodiscard]] virtual bool holds_declarations() const { return false; }
  /// What a file written with these options can hold.
  [[nodiscard]] virtual Fit fit(const FileDescription& file, const StepDescription& step,
                                const CheckedOptions& options) const = 0;
  /// The same with the presets.
  [[nodiscard]] Fit fit(const FileDescription& file, const StepDescription& step) const;
};

/// Independent. All formats of this build, in the order in which contents are tried.
[[nodiscard]] const std::vector<const Format*>& formats();
/// Independent. Throws usage errors that list the names.
[[nodiscard]] const Format& format_named(std::string_view name);
/// Independent. By content, or a bad_file error that lists what was looked for. `head` holds the first bytes of the
/// file (up to 64 KiB); more is read only of containers that several formats share.
[[nodiscard]] const Format& recognise(std::span<const std::byte> head, const std::shared_ptr<ByteSource>& bytes);
/// Independent. By the suffix of a path to be written, below that of a compression if it has one; nothing if no format
/// claims it.
[[nodiscard]] const Format* format_for_suffix(std::string_view path);
/// Independent. Whether files of a format may be called so: by one of its suffixes, or one that it shares.
[[nodiscard]] bool may_be_named(const Format& format, std::string_view path);

}  // namespace quire
