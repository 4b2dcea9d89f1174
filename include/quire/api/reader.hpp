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
#include "quire/comm/comm.hpp"
#include "quire/format/options.hpp"
#include "quire/model/description.hpp"
#include "quire/model/selection.hpp"
#include "quire/model/type.hpp"
#include "quire/model/value.hpp"
#include "quire/spi/base/endian.hpp"
#include "quire/spi/plan/plan.hpp"
#include "quire/spi/plan/sieve.hpp"

namespace quire {

struct ReadOptions {
  std::string format;  ///< by name; empty: by content
  std::string transport = "posix";
  bool lossy = false;
  bool tolerant = false;  ///< read the intact parts of files that are refused otherwise, where the format can
  Deadline deadline;
  SieveLimits sieve;                          ///< when selections with gaps are read including the gaps
  std::uint64_t memory_budget = 64ULL << 20;  ///< in addition to the file's size, for any size stated in the file
  /// Bytes that each rank may receive for the places of the blocks of a step's expansions; the same on every rank. With
  /// longer lists, read_elements_all() sends each rank its share only, and a rank that reads rows describes the file
  /// itself.
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

/// Where the values of a column or of one component of a field are stored, for programs that read them themselves.
struct Location {
  std::string path;           ///< inside the file, where it is a container with paths (HDF5); empty elsewhere
  Type type = Type::float64;  ///< as stored
  bool contiguous = false;    ///< the values are stored consecutively, as in memory, and `offset` is known
  std::uint64_t offset = 0;   ///< of the first value, in the file that holds it
  ByteOrder order = native_order;
  std::uint64_t values = 0;
  std::vector<std::uint64_t> chunk{};  ///< the shape in which values are encoded together; empty: not chunked
  std::string member{};                ///< in a set of files, the name of the one with the values; empty: the first
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

  /// Independent, whatever the transport. Rows of several columns in one pass over the file.
  void read(const std::string& table, const Slice& rows, std::vector<ReadColumn> columns) const;
  /// The same for a selection of rows: regular blocks, or a list in any order. An unsorted list needs memory for a copy
  /// of its values. Throws usage errors for rows beyond the table.
  void read(const std::string& table, const RowSelection& rows, std::vector<ReadColumn> columns) const;
  /// Independent, whatever the transport. A selection of a field (a box, a hyperslab, several of them), one view per
  /// component: elements in C order or, with `memory`, at the places that it selects. Each view then has as many values
  /// as `memory` has elements in its extents.
  void read_field(const std::string& field, const Selection& selection, std::vector<View> components,
                  const MemorySelection& memory = {}) const;

  /// Collective. As read(), by collective transfers if the transport has them. Ranks may read different rows, columns
  /// and tables, or no rows, and some may read a field by read_field_all(). All ranks return, or all throw the error of
  /// the lowest rank that failed; the memory of the others may then be filled.
  void read_all(const std::string& table, const Slice& rows, std::vector<ReadColumn> columns) const;
  void read_all(const std::string& table, const RowSelection& rows, std::vector<ReadColumn> columns) const;
  /// Collective. As read_field(), with the ranks together as in read_all().
  void read_field_all(const std::string& field, const Selection& selection, std::vector<View> components,
                      const MemorySelection& memory = {}) const;
  /// Collective. Replaces read_all() or read_field_all() on a rank that cannot state its request: all ranks throw this
  /// error.
  [[noreturn]] void refuse_read(const Error& why) const;
  /// Independent. The plan that read() would execute, for printing. Memory need not exist.
  [[nodiscard]] std::vector<Extent> plan(const std::string& table, const Slice& rows,
                                         const std::vector<std::string>& columns) const;

  /// Collective. Elements of the step's expansions with their coefficients, for a restart on any number of ranks. Each
  /// rank reads a share of the ids, and a rank that requests an element asks the rank that holds its id: no rank has a
  /// table of all. Then each rank reads its coefficients; blocks without addressable elements are read by one rank,
  /// which scatters them. Throws missing errors for variables that no block has, conflict errors if the ranks request
  /// in different ways, and a `refusal` of a rank that cannot state its request, on all ranks.
  [[nodiscard]] Elements read_elements_all(const ElementRequest& request,
                                           const std::optional<Error>& refusal = {}) const;

  /// Independent. Where the values of a column, or of one component of a field, are stored. Throws missing errors.
  [[nodiscard]] Location locate(const std::string& table, const std::string& column) const;
  [[nodiscard]] Location locate_field(const std::string& field, std::uint64_t component = 0) const;

  /// Collective. The streams that this rank requests, in its order: any number of them, by the ranks of the tasks that
  /// wrote them or by their indices (0 to description().streams - 1). No rank receives information about streams that
  /// it did not request. Throws missing errors, on every rank, if a requested one does not exist. A rank that cannot
  /// state its request passes a `refusal` instead, which all ranks throw.
  [[nodiscard]] std::vector<StreamReader> streams(const std::vector<std::int64_t>& wanted,
                                                  StreamsBy by = StreamsBy::rank,
                                                  const std::optional<Error>& refusal = {}) const;

  struct State;
  explicit ReadStep(std::shared_ptr<const State> state);

 private:
  std::shared_ptr<const State> state_;
};

/// A step that cannot be read, in a file with others that can.
struct DamagedStep {
  std::int64_t number = 0;
  Error damage;
};

/// The result of check(): whole steps, and the damage after or between them.
struct CheckReport {
  std::uint64_t whole_steps = 0;
  std::vector<std::int64_t> numbers;
  std::optional<Error> damage;  ///< the first defect, if any
  /// In files whose steps are found independently: the steps that cannot be read. Whole ones may follow them.
  std::vector<DamagedStep> damaged;
  bool salvageable = false;  ///< rows, or bytes of streams, of the damaged step can be recovered
  bool is_changed = false;   ///< the structure is valid, but the bytes differ from the stored checksums
  std::vector<std::string> warnings;
  /// Values are compressed, or have checksums, in pieces that were not decoded: damage in them is found when they are
  /// read.
  bool is_undecoded = false;
  /// A writer has the file open. Reported damage may be a step that it has not completed, so no advice is given.
  bool is_being_written = false;
};

/// A file that is being read by the ranks of a communicator: a sequence of steps.
class Reader {
 public:
  [[nodiscard]] const FileDescription& description() const;
  /// Collective. The number of whole steps; may scan the file once. With finds_steps_alone(), steps that cannot be read
  /// are counted as well.
  [[nodiscard]] std::uint64_t size() const;
  /// Independent. Whether steps are found independently: a step below size() for which at() or try_at() throws may be
  /// followed by readable ones.
  [[nodiscard]] bool finds_steps_alone() const;
  /// Collective. The numbers of all steps, in ascending order.
  [[nodiscard]] std::vector<std::int64_t> numbers() const;
  /// Collective. The numbers of at most `count` steps from index `first` on; fewer at the end of the file. Throws
  /// conflict errors if ranks ask for others.
  [[nodiscard]] std::vector<std::int64_t> numbers(std::uint64_t first, std::uint64_t count) const;
  /// Collective. Step `index` (0 is the first). Throws missing errors, and conflict errors if ranks ask for others.
  [[nodiscard]] ReadStep at(std::uint64_t index) const;
  /// Collective. No value after the last step: for iterating without counting first, the same on all ranks. Throws
  /// conflict errors if ranks ask for others.
  [[nodiscard]] std::optional<ReadStep> try_at(std::uint64_t index) const;
  /// Collective. The step of this number. Throws the same; missing errors name the nearest numbers.
  [[nodiscard]] ReadStep step(std::int64_t number) const;
  /// Independent. What the file declares about all its steps, stored apart from them, as a step without rows and
  /// elements whose attributes have no values (see without_values()); no value if it declares nothing.
  [[nodiscard]] std::optional<ReadStep> declared() const;
  /// Collective. The complete rows of a truncated step, where the format can find them. Throws conflict errors if ranks
  /// ask for others.
  [[nodiscard]] std::optional<ReadStep> salvage(std::uint64_t index) const;
  /// Independent. The bytes of an attachment (see description().attachments). Throws missing errors that list them, and
  /// memory errors for one larger than the memory budget, which must be read in parts.
  [[nodiscard]] std::vector<std::byte> attachment(const std::string& name) const;
  /// Independent. A part of an attachment, from byte `offset` on. Throws missing errors, and usage errors beyond its
  /// end.
  void read_attachment(const std::string& name, std::uint64_t offset, std::span<std::byte> out) const;

  /// Collective. Called before ranks agree on something by comm(): throws an aborted error if others are in close() of
  /// a file with collective transfers, as every collective call of the file does.
  void synchronize() const;

  /// Collective. Checks the whole file.
  [[nodiscard]] CheckReport check() const;
  /// Collective. Closes the file; handles of steps must not be used afterwards. Unless the transport closes
  /// its file collectively, it does not wait for other ranks, so a rank that leaves with an error can finish.
  /// Consequence: ranks in a collective call of the file (at(), read_all(), check()) at that time or later wait for the
  /// ranks that have closed it, until their deadline.
  void close();

  /// Independent. The time spent on this rank so far, in seconds.
  [[nodiscard]] Timing timing() const;
  /// Independent. Calls and bytes of this rank so far.
  [[nodiscard]] TransportCounters counters() const;
  /// Independent. The ranks that read the file.
  [[nodiscard]] Comm& comm() const;

  struct State;
  explicit Reader(std::shared_ptr<State> state);

 private:
  /// The step at an index on which the ranks have agreed; no value after the last one.
  [[nodiscard]] std::optional<ReadStep> agreed_step(std::uint64_t index) const;

  std::shared_ptr<State> state_;
};

/// Independent. The options that open() understands for every format: `unconfirmed` reads bytes of damaged compressed
/// data that no checksum confirms, so that values may be wrong.
[[nodiscard]] const std::vector<Option>& common_read_options();

/// Collective. Opens a file for reading. The format is recognised by content, and so is compression of the whole file
/// (gzip, xz, lzma), which rank 0 then scans once. One rank reads the header. Offsets in errors and plans of compressed
/// files refer to the decompressed bytes.
[[nodiscard]] Reader open(const std::string& path, Comm comm = Comm::only_process(), const ReadOptions& options = {});

/// Collective. Replaces open(), create(), append(), repair() or finish_replacement() on a rank with invalid arguments:
/// all ranks throw this error, including those in the call itself, which would wait for this one.
[[noreturn]] void refuse_to_open(const std::string& path, Comm comm, const ReadOptions& options, Error why);

/// Independent. The names of the other files of the set whose first file is at `path`, whether they exist or not: those
/// next to it that are only useful together with it. Empty for other files, and if there is no file.
[[nodiscard]] std::vector<std::string> named_members(const std::string& path);

/// Independent. The members named by a first file that belong to no other set, according to their names. They are
/// removed when another file replaces it.
[[nodiscard]] std::vector<std::string> own_members(const std::string& path);

/// Collective. Finishes the interrupted replacement of a whole file, or removes what the writer left before that:
/// afterwards the file is the new one or the old one. Returns whether anything was done. Throws a conflict error while
/// a writer is still active.
bool finish_replacement(const std::string& path, Comm comm = Comm::only_process());

/// Collective. Repairs a file in place: finishes an interrupted replacement or publication, and drops the remains of an
/// unfinished step and the steps of these numbers (CheckReport::damaged), whose space is not reused. Returns whether
/// anything was done. Throws unsupported errors if steps cannot be dropped in place, and conflict errors while a writer
/// has the file open.
bool repair(const std::string& path, Comm comm = Comm::only_process(), const ReadOptions& options = {},
            const std::vector<std::int64_t>& dropped = {});

}  // namespace quire
