#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quire/model/selection.hpp"
#include "quire/model/view.hpp"

namespace quire {

struct StepPart;

/// The ranks that share a file, for a library that has its own kind of communicator.
struct EngineRanks {
  const void* communicator = nullptr;  ///< CommBackend::native(); null for a serial program
  int rank = 0;
};

/// The file that an engine writes.
struct EngineFile {
  std::string path;
  bool is_new = true;             ///< replaces an existing file; else steps are added
  std::size_t staging = 1 << 20;  ///< bytes of the buffer for values that are encoded
  bool durable = false;           ///< publish() returns when the step is durable
  bool lossy = false;             ///< conversions that change values are allowed
};

/// Calls and bytes of this rank.
struct EngineCounters {
  std::uint64_t writes = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t reads = 0;
  std::uint64_t bytes_read = 0;
};

/// Writes steps with another library, instead of a transport and the placement of a planner. A planner may provide one
/// (WritePlanner::engine()). The planner still accepts and measures steps, so an engine only gets parts on which all
/// ranks agree.
///
/// A rank that fails inside a collective call still makes all collective calls of the library, and throws at the end;
/// the ranks agree afterwards. The destructor releases resources without waiting for other ranks.
class StepEngine {
 public:
  virtual ~StepEngine() = default;

  /// Collective.
  virtual void open(const EngineFile& file, const EngineRanks& ranks) = 0;
  /// Collective. Creates the objects of a step, which stay invisible until publish() if the library allows it. `before`
  /// and `total` are the sums of the planner's measures, over the lower ranks and over all.
  virtual void begin(const StepPart& mine, std::span<const std::uint64_t> before,
                     std::span<const std::uint64_t> total) = 0;
  /// Collective. This rank's rows of all tables, and its part of all fields that are not declared.
  virtual void write_tables(const StepPart& mine) = 0;
  virtual void write_fields(const StepPart& mine) = 0;
  /// Independent. In a streamed step: this rank's rows of one table, beginning with `first`, a view for each column.
  virtual void write_rows(const StepPart& mine, std::size_t table, std::uint64_t first,
                          std::span<const ConstView> columns) = 0;
  /// Independent. A part of a declared field, a view for each component.
  virtual void write_part(const StepPart& mine, std::size_t field, const Box& part,
                          std::span<const ConstView> components) = 0;
  /// Whether write_rows() and write_part() are possible: not if the library writes collectively.
  [[nodiscard]] virtual bool takes_parts() const noexcept = 0;
  /// Collective, after all ranks have written.
  virtual void publish(const StepPart& mine) = 0;
  /// Collective. Removes what begin() created, if anything.
  virtual void discard() = 0;
  /// Collective. Completes the file, even without steps.
  virtual void close() = 0;

  [[nodiscard]] virtual EngineCounters counters() const noexcept = 0;
};

/// The file that an engine reads.
struct EngineSource {
  std::string path;
  std::uint64_t memory_budget = 64ULL << 20;  ///< for values that are converted in a buffer
  bool lossy = false;                         ///< conversions that change values are allowed
};

/// Elements of one column, or of one component of a field, and their destination.
struct EngineRead {
  std::string path;                    ///< Run::path
  std::string object;                  ///< in messages
  Type type = Type::float64;           ///< as stored
  std::vector<std::uint64_t> extents;  ///< of the column (its rows) or of the field
  /// The index of the column or component if several share one array: cells of records along its last axis, or
  /// components of a field along its first one.
  std::uint64_t part = 0;
  bool is_cell = true;
  Selection selection{};
  View out{};
  MemorySelection memory{};
};

/// Reads values with another library, instead of a transport. A format may provide one (Format::read_engine()). The
/// describer still returns the structure of the file.
class ReadEngine {
 public:
  virtual ~ReadEngine() = default;

  /// Collective.
  virtual void open(const EngineSource& source, const EngineRanks& ranks) = 0;
  /// Whether the ranks must read together. Then they request the same columns and components in the same order; a rank
  /// that fails still makes all collective calls of the library and throws at the end; prepare() and read() are
  /// collective. Otherwise they are independent.
  [[nodiscard]] virtual bool is_collective() const noexcept = 0;
  /// Checks the next read; `reads` and their memory must stay valid until read() returns. Returns for each whether the
  /// library can read it, the same on all ranks; a transport reads the others.
  [[nodiscard]] virtual std::vector<bool> prepare(std::span<const EngineRead> reads) = 0;
  /// Performs the prepared read. Only if prepare() has succeeded on all ranks that read together.
  virtual void read() = 0;
  /// Collective. The destructor releases resources without waiting for other ranks.
  virtual void close() = 0;

  [[nodiscard]] virtual EngineCounters counters() const noexcept = 0;
};

}  // namespace quire
