#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/api/elements.hpp"
#include "quire/api/streams.hpp"
#include "quire/comm/comm.hpp"
#include "quire/format/options.hpp"
#include "quire/model/description.hpp"
#include "quire/model/selection.hpp"
#include "quire/model/value.hpp"
#include "quire/spi/transport/transport.hpp"

namespace quire {

/// How a file is written. Unknown format options are usage errors.
struct WriteOptions {
  std::string format;  ///< by name; empty: by the suffix of the path, for append by content
  std::string transport = "posix";
  bool durable = false;  ///< commit returns when the step would survive a power cut
  bool lossy = false;    ///< allow conversions that change values
  Deadline deadline;     ///< of every wait for other ranks
  /// Of the format's writer, and those of common_write_options().
  Options options;
  TransportWrapper wrapper;  ///< for tests
};

/// Time spent on this rank, in seconds.
struct Timing {
  double plan = 0;
  double wait = 0;
  double encode = 0;
  double transfer = 0;
  double metadata = 0;
};

class Writer;

/// How commit_async() treats the arrays of the caller.
struct AsyncCommit {
  /// The arrays are not copied: they must stay valid and unchanged until the step is published.
  bool borrow = false;
};

/// One step while it is being written. The caller's arrays are only read when commit() runs, so they must stay valid
/// until then.
class WriteStep {
 public:
  WriteStep(WriteStep&&) noexcept;
  WriteStep& operator=(WriteStep&&) noexcept;
  ~WriteStep();

  /// Independent. An attribute of the step. Every rank passes the same value, otherwise commit() throws a conflict
  /// error that names the attribute.
  WriteStep& set(std::string name, Value value, std::string unit = {});
  template <class Number>
  requires requires { TypeOf<Number>::value; }
  WriteStep& set(std::string name, Number number, std::string unit = {}) {
    return set(std::move(name), Value(number), std::move(unit));
  }
  WriteStep& set(std::string name, const char* text) { return set(std::move(name), Value(text)); }
  WriteStep& set(Attribute attribute);

  /// Independent. Names the table of the following rows() and put() calls; the unnamed table is the only or first one.
  WriteStep& table(std::string name = {});
  /// Independent. Declares that the rows of the named table are coefficients on elements (see put_elements()).
  WriteStep& expansion(Expansion expansion);
  /// Independent. The number of rows of this rank. Optional before put(), which uses the length of its array.
  WriteStep& rows(std::uint64_t count);
  /// Independent. The rows of the named table that hold this rank's values, before put(): a slice, regular blocks of
  /// rows, or a list in any order without repetitions; the empty selection is valid. Either every rank chooses rows of
  /// a table or none does. Selections of different ranks are disjoint: if two ranks write the same row, its values, and
  /// those of as many unwritten rows, are undefined. Otherwise rows that no rank writes are 0. `total` is the number of
  /// rows of the table, the same on all ranks that pass it; without it the table ends with the greatest row of all
  /// ranks. Only tables whose rows have fixed places can be written so: commit() throws unsupported errors for text,
  /// strings and compressed chunks.
  WriteStep& rows_at(RowSelection rows, std::optional<std::uint64_t> total = {});
  /// Independent. This rank's values of a column. The view's memory must stay valid until commit().
  WriteStep& put(std::string name, ConstView values, std::string unit = {});
  WriteStep& put(Column column, ConstView values);
  /// Independent. A column with the same number in every row of the named table on all ranks: the value of the
  /// attribute. The table has rows by rows() or its other columns. Formats without constants (Format::holds_constants)
  /// store it in every row; there it is an unsupported error in a step in parts.
  WriteStep& put_constant(Attribute constant);
  WriteStep& put_constant(std::string name, Value value, std::string unit = {});
  template <class Number>
  requires requires { TypeOf<Number>::value; }
  WriteStep& put_constant(std::string name, Number number, std::string unit = {}) {
    return put_constant(std::move(name), Value(number), std::move(unit));
  }

  /// Independent. This rank's selection of a field (a box, a hyperslab, several of them), one view per component:
  /// elements in C order or, with `memory`, those that it selects from a larger array, so that ghost cells need no
  /// copy. Every rank passes the same field. Selections of different ranks are disjoint: if two ranks write the same
  /// element, either value may be stored. Elements that no rank puts are 0.
  WriteStep& put_field(Field field, Selection selection, std::vector<ConstView> components,
                       MemorySelection memory = {});

  /// Independent. Another stream of this rank, in a file of streams: a rank writes any number of them, or none.
  [[nodiscard]] StreamWriter stream(const StreamOptions& options);

  /// Collective. Writes all bytes of the step and only then publishes it. Every rank returns or every rank throws the
  /// same error. Two collectives; 5 more if rows are encoded in groups.
  void commit();

  /// Collective. As commit(), but the bytes are written by a thread in the background while the program continues, if
  /// Writer::overlaps(); steps in parts, and files that do not overlap, are committed as by commit(). Returns when the
  /// arrays may change: their bytes are copied to a pool (option `pool`), and if it is full, the call waits for the
  /// oldest of them to be written; with `borrow` when the step is agreed on. The step is then in flight, and not in the
  /// file. It is published, as a whole, by the next collective call of the file: Writer::wait(), Writer::test() as soon
  /// as all ranks have written their bytes, the calls for the next step, or close(). That call throws what failed, on
  /// all ranks; a call for the next step then takes that step back as well. One step is in flight at a time: a
  /// destroyed writer drops it, earlier steps stay. Two collectives, of which one is made by that later call.
  void commit_async(const AsyncCommit& how = {});

  /// Collective with the commit() of the others: they throw an aborted error that carries `reason`; this rank returns.
  void abort(const std::string& reason);

  // A step in parts, for data larger than memory: declare columns, rows and fields, agree_on_rows() and weigh() blocks
  // if the file requires it, open(), write() blocks, commit().
  /// Independent. A column whose values are passed later by write(). `column.text_bytes`: the bytes of this rank's
  /// longest string, needed where texts have a fixed size (Writer::pads_texts()). `string_bytes`: total bytes of this
  /// rank's strings.
  WriteStep& declare(Column column, std::uint64_t string_bytes = 0);
  /// Independent. A field whose values are passed later by write_field(): this rank's box of it, with the type and the
  /// components of `field`. Every rank declares it, also with an empty box; as for put_field(), boxes of different
  /// ranks are disjoint, and elements outside of all are 0. Data that cannot be written in parts, such as texts, are an
  /// unsupported error of the next collective call: agree_on_rows(), open() or commit().
  WriteStep& declare_field(Field field, Box mine);
  /// Independent. The shape of the chunks in which the elements of such a field are encoded in this step's file; empty:
  /// not chunked. Incomplete chunks stay in memory until further parts complete them and, if ranks share them, until
  /// open(); boxes and parts of whole chunks keep nothing in memory. Throws the errors of the format for the field.
  [[nodiscard]] std::vector<std::uint64_t> field_chunk(const Field& field) const;
  /// Collective. For files whose planner weighs values (Writer::weighs_values()), before weigh() and after everything
  /// that describes the step, which is a usage error afterwards: the rows that are encoded together depend on the rows
  /// of the lower ranks. Otherwise without effect.
  void agree_on_rows();
  /// Independent. Between declare() and open(), for files whose planner weighs values (Writer::weighs_values()): the
  /// blocks that will be passed to write(), each row once, because the size of a text is known only after printing. The
  /// blocks passed to write() must be the same: other values are refused, or ignored if the encoded blocks were kept.
  /// Otherwise without effect.
  void weigh(std::string_view table, std::span<const ConstView> columns);
  /// Independent. The same for a field: the parts of this rank's box, as passed to write_field().
  void weigh_field(std::string_view field, const Box& part, std::span<const ConstView> components);
  /// Collective. Places the step. Afterwards only write(), write_field(), commit() and abort() are allowed.
  void open();
  /// Independent. Rows [first, first + n) of this rank of one table: a view for every column in the declared order.
  /// Blocks of one table are passed in order.
  void write(std::string_view table, std::uint64_t first, std::span<const ConstView> columns);
  /// Independent. A part of this rank's box of a declared field: a box inside of it, in the extents of the field, and a
  /// view for each component, its elements in C order. Every element is passed once. The parts may have any order,
  /// except in files of text, where each part continues the previous one. commit() throws the usage errors of these
  /// calls; before open() and after the end of the step they are thrown immediately.
  void write_field(std::string_view field, const Box& part, std::span<const ConstView> components);

  struct State;

 private:
  friend class Writer;
  friend void put_elements(WriteStep& step, std::span<const ElementPart> mine, const ElementLayout& layout);
  explicit WriteStep(std::unique_ptr<State> state);
  void require_committable() const;
  std::unique_ptr<State> state_;
};

/// A file that is being written by the ranks of a communicator. Steps are written one after another.
class Writer {
 public:
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  /// Independent. Releases the file; call close() to get errors. A file that appears at close (appears_at_close()) is
  /// then dropped. Other ranks are not notified, also not of an exception: their collective calls on the file wait for
  /// this rank until the deadline. close_after() and abort() notify them.
  ~Writer();

  /// Independent. An attribute of the file, before the first commit. Where the format allows adding attributes, also
  /// later and to an existing file: it is stored with the next committed step, or at close. A usage error between
  /// open() and the end of a step. Every rank passes the same value, as for attributes of steps, otherwise commit(), or
  /// close() if no step follows, throws a conflict error that names the attribute.
  Writer& set(std::string name, Value value, std::string unit = {});
  Writer& set(Attribute attribute);
  /// Independent. Title and contents of the file, before the first commit.
  Writer& describe(std::string title, std::string contents);
  /// Independent. Declares the structure of every step, before the first one: tables with columns, fields and
  /// attributes. Types and texts count, values do not. A file without steps then keeps these definitions, and every
  /// step must agree with them: commit() throws conflict and type errors that name the object. Every rank declares the
  /// same. Throws unsupported errors if files without steps hold no definitions (Format::holds_declarations), usage
  /// errors for files that are appended to or have a step.
  Writer& declare(const StepDescription& step);

  /// Collective. Stores a file inside this one, under a name that does not exist yet (unless `replace`). Rank 0's bytes
  /// are copied; they are in the file when the next step is committed, or after close(). Throws unsupported errors if
  /// the format has no attachments, usage errors for invalid names, conflict errors for a name that exists. A rank that
  /// cannot state what to attach passes a `refusal` instead, which all ranks throw.
  void attach(const std::string& name, std::span<const std::byte> bytes, bool replace = false,
              const std::optional<Error>& refusal = {});
  /// Collective. Drops an attachment, with the next commit or at close(). Throws missing errors, and a `refusal`.
  void detach(const std::string& name, const std::optional<Error>& refusal = {});

  /// Independent; collective for a series of files, whose next file is created. Begins the step of this number; at most
  /// one step is open at a time. Numbers are unique. Formats that
  /// store steps by name accept numbers in any order, those that count or chain them only rising ones.
  [[nodiscard]] WriteStep step(std::int64_t number);
  /// Independent. Whether a step in parts must be weighed before it is opened, as in a file of text.
  [[nodiscard]] bool weighs_values() const;
  /// Independent. Whether all texts of a column are stored with the size of the longest one, as in HDF5: a declared
  /// column needs the length of this rank's longest string.
  [[nodiscard]] bool pads_texts() const;
  /// Independent. Whether the file is complete at its path only after close(), which was not called yet: it is
  /// compressed, or replaces another one as a whole. Without close() the previous file stays.
  [[nodiscard]] bool appears_at_close() const;
  /// Collective. step(), `fill`, commit(); an exception of `fill` on any rank aborts the step on all ranks.
  void write_step(std::int64_t number, const std::function<void(WriteStep&)>& fill);
  /// Collective. The same with commit_async().
  void write_step(std::int64_t number, const std::function<void(WriteStep&)>& fill, const AsyncCommit& how);

  /// Independent. Whether WriteStep::commit_async() writes the open step, or the next one, in the background: with the
  /// transport posix, except for steps in parts, streams and files of several members.
  [[nodiscard]] bool overlaps() const;
  /// Collective if a step is in flight, otherwise without effect. Waits until all ranks have written the bytes of that
  /// step, and publishes it. All ranks throw the same error if it fails on any of them: then the step is not in the
  /// file. A rank in wait() waits for others in test().
  void wait();
  /// Collective if a step is in flight. The same without waiting: publishes the step if all ranks have written it.
  /// Returns whether no step is in flight afterwards, the same on all ranks.
  [[nodiscard]] bool test();

  /// Collective. Completes the file and closes it. Every rank throws the same error. Throws an aborted error if a rank
  /// has left a file with replacement=whole: its committed steps are dropped, and the previous file stays.
  void close();

  /// Collective. Calls `write`, which writes the steps, and then close(). An exception of `write` on any rank ends the
  /// file there as abort() does, so that no other rank waits for it, and is thrown again on this rank, also if abort()
  /// fails.
  void close_after(const std::function<void()>& write);

  /// Collective. close() on a rank that cannot continue: ranks in a commit at that time throw an aborted error that
  /// carries `reason` and this rank, and close later. Committed steps stay, except for a step in flight. With
  /// replacement=whole they are dropped, and ranks that are in close() throw that error.
  void abort(const std::string& reason);

  /// Independent. The widened types and texts of the columns as of the first committed step; empty before.
  [[nodiscard]] const StepDescription& schema() const;
  /// Independent. The time spent on this rank so far, in seconds, without writing in the background for a step that is
  /// still in flight.
  [[nodiscard]] Timing timing() const;
  /// Independent. On rank 0, requests that could not be met although the file can be written, such as striping on a
  /// file system without it; from the first step on, texts and attributes that the format stores differently, or that
  /// other programs read differently. One sentence each.
  [[nodiscard]] const std::vector<std::string>& remarks() const;
  /// Independent. Calls and bytes of this rank so far, without those of a step that is still in flight.
  [[nodiscard]] TransportCounters counters() const;
  /// Independent. The ranks that write the file.
  [[nodiscard]] Comm& comm();

  struct State;
  explicit Writer(std::shared_ptr<State> state);

 private:
  std::shared_ptr<State> state_;
};

/// Independent. The options that create() accepts for every format: compression of the whole file, and its level.
[[nodiscard]] const std::vector<Option>& common_write_options();

/// Collective. A new file; an existing one is emptied, or replaced when the new one is complete (`replacement`). A
/// compressed file is written next to its target, as PATH.plain with the usual guarantees for steps, and moved to its
/// place at close(); until then readers find the previous file. A path whose name is a pattern such as run_%06T.h5
/// (Format::series_file) is a series with a file for each step; files of other steps stay.
[[nodiscard]] Writer create(const std::string& path, Comm comm = Comm::only_process(),
                            const WriteOptions& options = {});

/// Fills the step of write_file(), and may set attributes of the file. It must not commit the step, nor close, abort or
/// attach to the file, which are usage errors; if it throws, the file is abandoned on all ranks.
using FillFile = std::function<void(Writer& file, WriteStep& step)>;

/// Collective. A new file of one step, with the same bytes as by create(), write_step() and close(). If ranks can agree
/// on the step in one collective (numbers that are neither text nor compressed, each rank writing its own bytes), they
/// also agree on the file in it, and close it in the one that ends the step: two collectives instead of four, which
/// dominate a checkpoint of few bytes by many ranks (checksums, and a file of many steps that replaces another as a
/// whole, need a few more). After an error on any rank, including one in `fill`, all throw. The previous file then
/// stays if it would be replaced by the complete new one: files of one step, compressed files, or with the option
/// replacement=whole. Others are overwritten directly, and left as by create(), without steps.
/// @return the closed file, for its remarks, counters and timing
Writer write_file(const std::string& path, Comm comm, std::int64_t number, const FillFile& fill,
                  const WriteOptions& options = {});

/// What to do with steps after the one after which is appended.
enum class Later : std::uint8_t { refuse, drop };

/// Collective. Opens an existing file to write further steps after step `after` (after the last one if nothing).
[[nodiscard]] Writer append(const std::string& path, Comm comm = Comm::only_process(),
                            std::optional<std::int64_t> after = {}, Later later = Later::refuse,
                            const WriteOptions& options = {});

/// Locks out writers of a file during its lifetime, or until it is released. Readers need no lock.
class FileLock {
 public:
  /// Independent. Allows writers again.
  void release() noexcept { state_.reset(); }

  struct State;
  explicit FileLock(std::shared_ptr<State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<State> state_;
};

/// Collective. For programs that change or replace a file by other means than a writer. Finishes an interrupted
/// replacement as finish_replacement() does, and locks what exists at the path against writers of every format. Throws
/// conflict errors, on every rank, while a writer has the file open, or one that will replace it.
[[nodiscard]] FileLock lock_file(const std::string& path, Comm comm = Comm::only_process());

}  // namespace quire
