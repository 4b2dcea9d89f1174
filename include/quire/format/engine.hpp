#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quire/model/selection.hpp"
#include "quire/model/view.hpp"

namespace quire {

struct StepPart;

/// The ranks that share a file, for a library that wants a communicator of its own kind.
struct EngineRanks {
  const void* communicator = nullptr;  ///< CommBackend::native(); null for one process without others
  int rank = 0;
};

/// The file that an engine writes.
struct EngineFile {
  std::string path;
  bool is_new = true;             ///< replaces what is there; else steps are added to it
  std::size_t staging = 1 << 20;  ///< bytes of the buffer for values that are encoded
  bool durable = false;           ///< publish() returns when the step would survive a power cut
  bool lossy = false;             ///< conversions that change values are allowed
};

/// Calls and bytes of this rank.
struct EngineCounters {
  std::uint64_t writes = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t reads = 0;
  std::uint64_t bytes_read = 0;
};

/// Writes steps by means of another library, in place of a transport and of the places that a planner gives: what a
/// planner may offer (WritePlanner::engine()). The planner still accepts and measures steps, so an engine sees only
/// parts that all ranks agree on.
///
/// A rank that fails inside a collective call still goes through everything that the library asks all ranks to do, and
/// throws at the end; the ranks agree afterwards. The destructor releases without waiting for others.
class StepEngine {
 public:
  virtual ~StepEngine() = default;

  /// Collective.
  virtual void open(const EngineFile& file, const EngineRanks& ranks) = 0;
  /// Collective. Makes the objects of a step, which nobody sees before publish() where the library allows it. `before`
  /// and `total` are the sums of what the planner has measured, over the lower ranks and over all.
  virtual void begin(const StepPart& mine, std::span<const std::uint64_t> before,
                     std::span<const std::uint64_t> total) = 0;
  /// Collective. This rank's rows of all tables, and its part of all fields that are not declared.
  virtual void write_tables(const StepPart& mine) = 0;
  virtual void write_fields(const StepPart& mine) = 0;
  /// Independent. In a streamed step: rows from `first` of this rank of one table, a view for each column.
  virtual void write_rows(const StepPart& mine, std::size_t table, std::uint64_t first,
                          std::span<const ConstView> columns) = 0;
  /// Independent. A part of a declared field, a view for each component.
  virtual void write_part(const StepPart& mine, std::size_t field, const Box& part,
                          std::span<const ConstView> components) = 0;
  /// Whether write_rows() and write_part() are possible: not where the library lets all ranks write together.
  [[nodiscard]] virtual bool takes_parts() const noexcept = 0;
  /// Collective, after all ranks have written.
  virtual void publish(const StepPart& mine) = 0;
  /// Collective. Takes back what begin() has made, if anything.
  virtual void discard() = 0;
  /// Collective. Completes the file, also one without steps.
  virtual void close() = 0;

  [[nodiscard]] virtual EngineCounters counters() const noexcept = 0;
};

/// The file that an engine reads.
struct EngineSource {
  std::string path;
  std::uint64_t memory_budget = 64ULL << 20;  ///< for values that are converted before they are where they belong
  bool lossy = false;                         ///< conversions that change values are allowed
};

/// Elements of one column, or of one component of a field, and where they go.
struct EngineRead {
  std::string path;                    ///< Run::path
  std::string object;                  ///< in messages
  Type type = Type::float64;           ///< as stored
  std::vector<std::uint64_t> extents;  ///< of the column (its rows) or of the field
  /// Which one it is where several stand beside each other in one array: cells of records along its last axis, or
  /// components of a field along its first one.
  std::uint64_t part = 0;
  bool is_cell = true;
  Selection selection{};
  View out{};
  MemorySelection memory{};
};

/// Reads values by means of another library, in place of a transport: what a format may offer
/// (Format::read_engine()). The describer still says what is in the file and where.
class ReadEngine {
 public:
  virtual ~ReadEngine() = default;

  /// Collective.
  virtual void open(const EngineSource& source, const EngineRanks& ranks) = 0;
  /// Whether the ranks must read together. Then they ask for the same columns and components in the same order, and a
  /// rank that fails goes through everything that the library asks all ranks to do, and throws at the end; prepare()
  /// and read() are collective. Else they are independent.
  [[nodiscard]] virtual bool is_collective() const noexcept = 0;
  /// Looks at what read() shall read; `reads` and their memory live until that has returned. Tells for each whether the
  /// library can read it, the same on all ranks; the others are left to a transport.
  [[nodiscard]] virtual std::vector<bool> prepare(std::span<const EngineRead> reads) = 0;
  /// Reads what was prepared. Only if prepare() has succeeded on all ranks that read together.
  virtual void read() = 0;
  /// Collective. The destructor releases without waiting for others.
  virtual void close() = 0;

  [[nodiscard]] virtual EngineCounters counters() const noexcept = 0;
};

}  // namespace quire
