#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quire/api/elements.hpp"
#include "quire/api/streams.hpp"
#include "quire/api/writer.hpp"
#include "quire/format/records.hpp"

namespace quire {

struct ReadOptions {
  std::string format;  ///< by name; empty: by content
  std::string transport = "posix";
  bool lossy = false;
  bool tolerant = false;  ///< what is whole of files that are refused otherwise, where the format can tell
  Deadline deadline;
  SieveLimits sieve;                          ///< when selections with gaps are read gaps and all
  std::uint64_t memory_budget = 64ULL << 20;  ///< beyond the file's size, for anything the file announces
  /// What each rank may be told of where the blocks of a step's expansions stand, in bytes; the same on every rank. Of
  /// lists that take more read_elements() lets ranks know their share, and a rank that reads rows describes the file
  /// by itself.
  std::uint64_t list_budget = 4ULL << 20;
  /// Of the format's reader, and those of common_read_options().
  Options options;
  TransportWrapper wrapper;  ///< for tests
};

/// A column to read and the memory for its values: as many as there are rows.
struct ReadColumn {
  std::string name;
  View out;
};

/// Where the values of a column or of one component of a field stand, for programs that read them by themselves.
struct Location {
  std::string path;           ///< inside the file, where it is a container with paths (HDF5); empty elsewhere
  Type type = Type::float64;  ///< as stored
  bool contiguous = false;    ///< the values stand one behind the other as they are in memory, `offset` is known
  std::uint64_t offset = 0;   ///< of the first value, in the file that it stands in
  ByteOrder order = native_order;
  std::uint64_t values = 0;
  std::vector<std::uint64_t> chunk{};  ///< the shape in which values are encoded together; empty: they are not
  std::string member{};  ///< of a set of files the name of the one with the values, beside the first; empty: the first
};

/// One step of an open file. A cheap handle that keeps the file open.
class ReadStep {
 public:
  [[nodiscard]] std::int64_t number() const;
  [[nodiscard]] const StepDescription& description() const;
  /// Independent. Throws missing errors that name the nearest attributes.
  [[nodiscard]] const Attribute& attribute(const std::string& name) const;
  /// Independent. Whether the step has this attribute.
  [[nodiscard]] bool has_attribute(const std::string& name) const;

  /// Independent, or collective if Reader::reads_together(). Rows of several columns in one pass over the file. Where
  /// another library reads, ranks that read together ask for the same columns, or all throw usage errors.
  void read(const std::string& table, const Slice& rows, std::vector<ReadColumn> columns) const;
  /// The same for a selection of rows: regular blocks, or a list in any order. A list that does not rise takes memory
  /// for its values once more. Throws usage errors for rows beyond the table.
  void read(const std::string& table, const RowSelection& rows, std::vector<ReadColumn> columns) const;
  /// Independent, or collective if Reader::reads_together(). A selection of a field (a box, a hyperslab, several of
  /// them), one view per component: elements in C order or, with `memory`, where that puts them. Each view then has as
  /// many values as `memory` has elements in its extents.
  void read_field(const std::string& field, const Selection& selection, std::vector<View> components,
                  const MemorySelection& memory = {}) const;
  /// Collective with collective transports, else without effect. What a rank calls in place of a read that cannot say
  /// what it wants: the others read what they ask for, and need not wait for it.
  void read_nothing() const;
  /// Collective with collective transports, else `mine`. How often the ranks read that read block by block: the most
  /// that any of them does. The others call read_nothing() for what they have less. All ranks throw a `refusal`.
  [[nodiscard]] std::uint64_t agree_on_reads(std::uint64_t mine, const std::optional<Error>& refusal = {}) const;
  /// Independent. The plan that read() would run: for printing. Memory need not exist.
  [[nodiscard]] std::vector<Extent> plan(const std::string& table, const Slice& rows,
                                         const std::vector<std::string>& columns) const;

  /// Collective. Elements of the step's expansions with their coefficients, for a restart on any number of ranks. Each
  /// rank reads a share of the ids, and who wants an element asks the rank that its id belongs to: no rank has a table
  /// of all. Then each rank reads its coefficients; of blocks that nobody can address, one rank reads all and hands
  /// them out. Throws missing errors for variables that no block has, conflict errors where ranks ask in other ways,
  /// and a `refusal` of a rank that cannot say what it wants, on all ranks.
  [[nodiscard]] Elements read_elements(const ElementRequest& request, const std::optional<Error>& refusal = {}) const;

  /// Independent. Where the values of a column stand, or those of one component of a field. Throws missing errors.
  [[nodiscard]] Location locate(const std::string& table, const std::string& column) const;
  [[nodiscard]] Location locate_field(const std::string& field, std::uint64_t component = 0) const;

  /// Collective. The streams that this rank asks for, in its order: any number of them, by the ranks of the tasks that
  /// wrote them or by their places (0 to description().streams - 1). No rank learns of streams that it has not asked
  /// for. Throws missing errors, on every rank, if one of them asks for what is not there. A rank that cannot say what
  /// it wants brings a `refusal` instead, which all ranks throw.
  [[nodiscard]] std::vector<StreamReader> streams(const std::vector<std::int64_t>& wanted,
                                                  StreamsBy by = StreamsBy::rank,
                                                  const std::optional<Error>& refusal = {}) const;

  struct State;
  explicit ReadStep(std::shared_ptr<const State> state);

 private:
  std::shared_ptr<const State> state_;
};

/// A step that cannot be read, beside others that can.
struct DamagedStep {
  std::int64_t number = 0;
  Error damage;
};

/// What check() finds: whole steps, and the damage behind or between them.
struct CheckReport {
  std::uint64_t whole_steps = 0;
  std::vector<std::int64_t> numbers;
  std::optional<Error> damage;  ///< the first defect, if any
  /// Where steps are found each by itself: those that cannot be read. Whole ones may stand behind them.
  std::vector<DamagedStep> damaged;
  bool salvageable = false;  ///< rows, or bytes of streams, of the damaged step can be saved
  bool is_changed = false;   ///< whole by its structure, but its bytes are not those whose checksums are kept
  std::vector<std::string> warnings;
  /// Values are compressed, or have checksums, in pieces of which none was decoded: damage of these shows when they are
  /// read.
  bool is_undecoded = false;
  /// A writer has the file open. What is reported as damage may be a step that it has not completed: nothing is
  /// advised.
  bool is_being_written = false;
};

/// A file that is being read by the ranks of a communicator: a sequence of steps.
class Reader {
 public:
  [[nodiscard]] const FileDescription& description() const;
  /// Collective. How many whole steps; may look through the file once. With finds_steps_alone() also those count that
  /// cannot be read.
  [[nodiscard]] std::uint64_t size() const;
  /// Independent. Whether a step that cannot be read hides no other: one that at() or try_at() throws for, at an index
  /// below size(), has others behind it.
  [[nodiscard]] bool finds_steps_alone() const;
  /// Collective. The numbers of all steps, which rise.
  [[nodiscard]] std::vector<std::int64_t> numbers() const;
  /// Collective. The numbers of at most `count` steps from index `first` on; fewer at the end of the file.
  [[nodiscard]] std::vector<std::int64_t> numbers(std::uint64_t first, std::uint64_t count) const;
  /// Collective. Step `index` (0 is the first). Throws missing errors.
  [[nodiscard]] ReadStep at(std::uint64_t index) const;
  /// Collective. Nothing beyond the last step: for walking through a file without counting it first.
  [[nodiscard]] std::optional<ReadStep> try_at(std::uint64_t index) const;
  /// Collective. The step of this number. Throws missing errors that name the nearest numbers.
  [[nodiscard]] ReadStep step(std::int64_t number) const;
  /// Independent. What the file says of all its steps, apart from them, as a step without rows and elements whose
  /// attributes have no values (see without_values()); nothing where it says nothing.
  [[nodiscard]] std::optional<ReadStep> declared() const;
  /// Collective. The complete rows of a step that is cut, where the format can tell.
  [[nodiscard]] std::optional<ReadStep> salvage(std::uint64_t index) const;
  /// Independent. The bytes of an attachment (see description().attachments). Throws missing errors that list them, and
  /// memory errors for one larger than the memory budget: read that in parts.
  [[nodiscard]] std::vector<std::byte> attachment(const std::string& name) const;
  /// Independent. A part of an attachment, from byte `offset` on. Throws missing errors, and usage errors beyond its
  /// end.
  void read_attachment(const std::string& name, std::uint64_t offset, std::span<std::byte> out) const;

  /// Independent. Whether ReadStep::read() and ReadStep::read_field() are collective: by a collective transport, or
  /// where another library lets all ranks read together.
  [[nodiscard]] bool reads_together() const;
  /// Collective if reads_together(), else without effect. Before ranks agree on something by comm(): throws an aborted
  /// error where others are in close() meanwhile, as every collective call of the file does.
  void synchronize() const;

  /// Collective. Looks through the whole file.
  [[nodiscard]] CheckReport check() const;
  /// Collective. Closes; handles of steps must not be used afterwards. Unless ranks read together it waits for no other
  /// rank, so that one that leaves with an error comes to its end. The price: ranks that are, or later come, in a
  /// collective call of the file (at(), numbers(), check()) wait for those that have closed it, until their deadline.
  void close();

  /// Independent. Where the seconds of this rank went so far.
  [[nodiscard]] Timing timing() const;
  /// Independent. Calls and bytes of this rank so far.
  [[nodiscard]] TransportCounters counters() const;
  /// Independent. The ranks that read the file.
  [[nodiscard]] Comm& comm() const;

  struct State;
  explicit Reader(std::shared_ptr<State> state);

 private:
  std::shared_ptr<State> state_;
};

/// Independent. The options that open() understands for every format: `unconfirmed` reads bytes of damaged compressed
/// data that no checksum confirms, so that values may be wrong.
[[nodiscard]] const std::vector<Option>& common_read_options();

/// Collective. Opens a file for reading; the format is recognised by content, and so is a compression of the whole file
/// (gzip, xz, lzma), which rank 0 then looks through once. One rank reads the header. Offsets in errors and plans of
/// compressed files are those of the bytes without compression.
[[nodiscard]] Reader open(const std::string& path, Comm comm = Comm::self(), const ReadOptions& options = {});

/// Collective. What a rank calls in place of open(), create(), append(), repair() or finish_replacement() that was told
/// wrongly how to do it: all ranks throw this error, also those in the call itself, which would wait for this one.
[[noreturn]] void refuse_to_open(const std::string& path, Comm comm, const ReadOptions& options, Error why);

/// Independent. The names of the other files of a set that the file there says to be the first one of, whether they are
/// there or not: those beside it that only make sense together with it. None of other files, and where there is none.
[[nodiscard]] std::vector<std::string> named_members(const std::string& path);

/// Independent. Of the other files that a first one names those that nobody else can mean, as their names tell: they go
/// when anything takes the place of the file.
[[nodiscard]] std::vector<std::string> own_members(const std::string& path);

/// Collective. Finishes what a writer began that was to replace a file as a whole and was interrupted while it did so,
/// or drops what it left behind before that: afterwards the file is the new one or the old one. Returns whether
/// anything had to be done. A conflict error tells of a writer that is still at work.
bool finish_replacement(const std::string& path, Comm comm = Comm::self());

/// Collective. Makes a file whole again in place: finishes its replacement and a publication that were interrupted,
/// drops what an unfinished step left behind, and steps of these numbers (CheckReport::damaged), whose space is not
/// used again. Returns whether anything had to be done. Throws unsupported errors where steps cannot be dropped in
/// place, and conflict errors while a writer has the file open.
bool repair(const std::string& path, Comm comm = Comm::self(), const ReadOptions& options = {},
            const std::vector<std::int64_t>& dropped = {});

}  // namespace quire
