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
#include "quire/model/slice.hpp"
#include "quire/model/view.hpp"
#include "quire/transport/transport.hpp"

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

/// Where the time of a run went on this rank, in seconds.
struct Timing {
  double plan = 0;
  double wait = 0;
  double encode = 0;
  double transfer = 0;
  double metadata = 0;
};

class Writer;

/// One step while it is being written. put() only looks at the caller's arrays when commit() runs, so they must live
/// until then.
class WriteStep {
 public:
  WriteStep(WriteStep&&) noexcept;
  WriteStep& operator=(WriteStep&&) noexcept;
  ~WriteStep();

  /// Independent. An attribute of the step; every rank gives the same value: commit() throws a conflict error that
  /// names the attribute if they differ.
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
  /// Independent. Says that the rows of the named table are coefficients on elements (see put_elements()).
  WriteStep& expansion(Expansion expansion);
  /// Independent. How many rows this rank has. Optional before put(), which takes the length of its array.
  WriteStep& rows(std::uint64_t count);
  /// Independent. Which rows of the named table this rank's values are, before put(): a slice, regular blocks of rows,
  /// or a list in any order, in which no row comes twice; nothing of all that is an empty selection. Every rank chooses
  /// rows of a table or none does; those of different ranks are disjoint, or values of rows that two ranks bring,
  /// and of as many that nobody does, are undefined. Else rows that nobody brings are 0. `total` says how many rows the
  /// table has, the same on all ranks that say so; else it ends with the greatest row of all ranks. Only tables whose
  /// rows have places of their own can be written so: commit() throws unsupported errors for text, strings and
  /// compressed chunks.
  WriteStep& rows_at(RowSelection rows, std::optional<std::uint64_t> total = {});
  /// Independent. This rank's values of a column. The view's memory must stay valid until commit().
  WriteStep& put(std::string name, ConstView values, std::string unit = {});
  WriteStep& put(Column column, ConstView values);

  /// Independent. This rank's selection of a field (a box, a hyperslab, several of them), one view per component:
  /// elements in C order or, with `memory`, those that it selects of a larger array, so that ghost cells need no copy.
  /// Every rank gives the same field. Selections of different ranks are disjoint: what of two ranks writes an element
  /// last is undefined. Elements that nobody puts are 0.
  WriteStep& put_field(Field field, Selection selection, std::vector<ConstView> components,
                       MemorySelection memory = {});

  /// Independent. One more stream of this rank, in a file of streams: a rank writes any number of them, or none.
  [[nodiscard]] StreamWriter stream(const StreamOptions& options);

  /// Collective. Moves all bytes of the step and only then makes it visible. Every rank returns or every rank throws
  /// the same error. Two collectives; 5 more where rows are encoded in groups.
  void commit();

  /// Collective. Meets the commit() of the others: they throw an aborted error that carries `reason`; this rank
  /// returns.
  void abort(const std::string& reason);

  // A step in pieces, for data larger than memory: declare columns, rows and fields, agree_on_rows() and weigh() blocks
  // where the file asks for it, open(), write() blocks, commit().
  /// Independent. A column whose values come later by write(). `string_bytes`: total bytes of this rank's strings.
  WriteStep& declare(Column column, std::uint64_t string_bytes = 0);
  /// Independent. A field whose values come later by write_field(): this rank's box of it, with the type and the
  /// components that `field` says. Every rank declares it, also with an empty box; as for put_field(), boxes of
  /// different ranks are disjoint, and elements outside of all are 0. What cannot come in parts, as texts, is an
  /// unsupported error of the next call in which the ranks meet: agree_on_rows(), open() or commit().
  WriteStep& declare_field(Field field, Box mine);
  /// Independent. The shape of the chunks in which this step's file encodes the elements of such a field; empty: they
  /// have places of their own. Where there are chunks, those that are not complete wait in memory for further parts
  /// and, if ranks share them, for open(): boxes and parts of whole chunks leave nothing behind. Throws what the format
  /// has against the field.
  [[nodiscard]] std::vector<std::uint64_t> field_chunk(const Field& field) const;
  /// Collective. For files whose planner weighs values (Writer::weighs_values()), before weigh() and behind all that
  /// says what the step is made of, which is a usage error afterwards: which rows are encoded together depends on the
  /// rows of the lower ranks. Elsewhere without effect.
  void agree_on_rows();
  /// Independent. Between declare() and open(), for files whose planner weighs values (Writer::weighs_values()): the
  /// blocks that write() will get, each row once, for a text has no size before it is written. What write() gets then
  /// must be the same: other values are refused, or ignored where what was made of these was kept. Elsewhere without
  /// effect.
  void weigh(std::string_view table, std::span<const ConstView> columns);
  /// Independent. The same of a field: the parts of this rank's box, as write_field() takes them.
  void weigh_field(std::string_view field, const Box& part, std::span<const ConstView> components);
  /// Collective. Places the step; from here on only write(), write_field(), commit() and abort() are allowed.
  void open();
  /// Independent. Rows [first, first + n) of this rank of one table: a view for every column in the declared order.
  /// Blocks of one table come in order.
  void write(std::string_view table, std::uint64_t first, std::span<const ConstView> columns);
  /// Independent. A part of this rank's box of a declared field: a box inside of it, in the extents of the field, and a
  /// view for each component, its elements in C order. Every element comes once; the parts come in any order but in
  /// files of text, where each goes on behind the one before. commit() throws the usage errors of all that; before
  /// open() and after the end of the step they are thrown at once.
  void write_field(std::string_view field, const Box& part, std::span<const ConstView> components);

  struct State;

 private:
  friend class Writer;
  friend void put_elements(WriteStep& step, std::span<const ElementPart> mine, const ElementLayout& layout);
  explicit WriteStep(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A file that is being written by the ranks of a communicator. Steps are written one after another.
class Writer {
 public:
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  /// Releases; call close() to learn of errors. A file that appears at close (appears_at_close()) never does without.
  ~Writer();

  /// Independent. An attribute of the file, before the first commit; where the format lets them be added, also later
  /// and of an existing file: it is there with the next step that is committed, or at close; not while a step is open
  /// on which open() has agreed, which is a usage error. Every rank gives the same value, as for attributes of steps:
  /// commit(), or close() if no step follows, throws a conflict error that names the attribute if they differ.
  Writer& set(std::string name, Value value, std::string unit = {});
  Writer& set(Attribute attribute);
  /// Independent. Title and contents of the file, before the first commit.
  Writer& describe(std::string title, std::string contents);
  /// Independent. Declares what every step has, before the first one: tables with columns, fields and attributes, of
  /// which types and texts count and values do not. A file without steps then keeps these definitions, and every step
  /// must agree with them: commit() throws conflict and type errors that name the object. Every rank declares the same.
  /// Throws unsupported errors where files without steps hold no definitions (Format::holds_declarations()), usage
  /// errors for files that are appended to or have a step.
  Writer& declare(const StepDescription& step);

  /// Collective. Keeps a file inside this one, under a name that it does not have yet (unless `replace`). Rank 0's
  /// bytes are copied; they are in the file when the next step is committed, or after close(). Throws unsupported
  /// errors where the format has no attachments, usage errors for names that it cannot hold, conflict errors for a name
  /// that is taken. A rank that cannot say what to attach brings a `refusal` instead, which all ranks throw.
  void attach(const std::string& name, std::span<const std::byte> bytes, bool replace = false,
              const std::optional<Error>& refusal = {});
  /// Collective. Drops an attachment, with the next commit or at close(). Throws missing errors, and a `refusal`.
  void detach(const std::string& name, const std::optional<Error>& refusal = {});

  /// Independent. Begins the step of this number; at most one step is open at a time. A number never appears twice.
  /// Formats that keep steps by name take numbers in any order, those that count or chain them only rising ones.
  [[nodiscard]] WriteStep step(std::int64_t number);
  /// Independent. Whether a step in pieces must be weighed before it is opened: a file of text, say.
  [[nodiscard]] bool weighs_values() const;
  /// Independent. Whether columns and fields may be declared: an engine that encodes takes all at once.
  [[nodiscard]] bool takes_parts() const;
  /// Independent. Whether the file is not complete at its path before close(), which is yet to be called: one that is
  /// compressed, or replaces another one as a whole. Without close() what was there stays.
  [[nodiscard]] bool appears_at_close() const;
  /// Collective. step(), `fill`, commit(); an exception of `fill` on any rank aborts the step on all ranks.
  void write_step(std::int64_t number, const std::function<void(WriteStep&)>& fill);

  /// Collective. Completes the file and closes it. Errors agree. Throws an aborted error if a rank has left a file that
  /// counts only as a whole (replacement=whole): its committed steps are dropped, and what was there before stays.
  void close();

  /// Collective. close() on a rank that cannot go on: ranks that are in a commit meanwhile throw an aborted error that
  /// carries `reason` and this rank, and close later. Steps that were committed stay. If the file counts only as a
  /// whole (replacement=whole) they are dropped, and ranks that are in close() throw that error.
  void abort(const std::string& reason);

  /// Independent. The widened types and texts of the columns as of the first committed step; empty before.
  [[nodiscard]] const StepDescription& schema() const;
  /// Independent. Where the seconds of this rank went so far.
  [[nodiscard]] Timing timing() const;
  /// Independent. On rank 0 what was asked for and could not be done, though the file can be written: a striping where
  /// there is none; from the first step on texts of the file that its format holds otherwise. A sentence for each.
  [[nodiscard]] const std::vector<std::string>& remarks() const;
  /// Independent. Calls and bytes of this rank so far.
  [[nodiscard]] TransportCounters counters() const;
  /// Independent. The ranks that write the file.
  [[nodiscard]] Comm& comm();

  struct State;
  explicit Writer(std::shared_ptr<State> state);

 private:
  std::shared_ptr<State> state_;
};

/// Independent. The options that create() understands for every format: compression of the whole file, and its level.
[[nodiscard]] const std::vector<Option>& common_write_options();

/// Collective. A new file; an existing one is emptied, or replaced when the new one is complete (`replacement`). One
/// that is compressed is written beside its target, as PATH.plain with all that is promised of steps, and takes its
/// place at close(): until then readers find there what was there before.
[[nodiscard]] Writer create(const std::string& path, Comm comm = Comm::self(), const WriteOptions& options = {});

/// Puts the step of a file that is written at once, and may set attributes of the file. It neither commits the step nor
/// closes, aborts or attaches to the file, which are usage errors; what it throws gives the file up on all ranks.
using FillFile = std::function<void(Writer& file, WriteStep& step)>;

/// Collective. A new file of one step, as create(), write_step() and close() make it, with the same bytes. Where ranks
/// agree on the step in one meeting (numbers that are neither text nor compressed, each rank moving its own bytes),
/// they agree on the file in it, too, and close it in the one that ends the step: two collectives instead of four,
/// which is what a checkpoint of few bytes by many ranks mostly takes (checksums, and a file of many steps that
/// replaces another as a whole, need a few more). After an error on any rank, one in `fill` included, all throw, and a
/// file that would be replaced when the new one is complete stays: of one step, compressed, or with the option
/// replacement=whole. Others are written over directly, and left as create() leaves them, without steps.
/// @return the closed file, for its remarks, counters and timing
Writer write_file(const std::string& path, Comm comm, std::int64_t number, const FillFile& fill,
                  const WriteOptions& options = {});

/// What happens to steps behind the one after which is appended.
enum class Later : std::uint8_t { refuse, drop };

/// Collective. Opens an existing file to write further steps after step `after` (after the last one if nothing).
[[nodiscard]] Writer append(const std::string& path, Comm comm = Comm::self(), std::optional<std::int64_t> after = {},
                            Later later = Later::refuse, const WriteOptions& options = {});

}  // namespace quire
