#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "quire/api/streams.hpp"
#include "quire/api/writer.hpp"
#include "quire/spi/api/workload.hpp"
#include "quire/spi/format/planner.hpp"
#include "quire/spi/plan/plan.hpp"
#include "quire/spi/plan/survey.hpp"

namespace quire {

/// The operations of rank 0 before and after the data of a step, and the extent of the data.
struct StepFrame {
  std::vector<Extent> guard;        ///< before anything else
  std::vector<Extent> publication;  ///< at the end; a resize has length 0 and the new size as its offset
  std::uint64_t syncs = 0;          ///< inside the publication, where durability is asked for
  std::uint64_t begin = 0;          ///< the size of the file before
  std::uint64_t end = 0;            ///< the size of the first file with the data in it
};

/// What a step would write, planned without a file and without ranks.
struct PlannedStep : StepFrame {
  std::vector<std::vector<Extent>> ranks;  ///< the data of each rank; rank 0's include header and attributes
};

/// Receives what a simulation plans, rank by rank.
class PlanSink {
 public:
  virtual ~PlanSink() = default;
  /// The data of the step will lie in [from, end) of the first file.
  virtual void begin(std::uint64_t /*from*/, std::uint64_t /*end*/) {}
  /// Ranks rise; each is passed once, also without extents.
  virtual void add(int rank, std::span<const ExtentTrain> extents) = 0;
};

/// A piece of a stream; the pieces of one stream follow each other in memory.
struct SimulatedPiece {
  enum class Kind : std::uint8_t { plain, together, record } kind = Kind::plain;
  std::uint64_t bytes = 0;
};
struct SimulatedStream {
  StreamOptions options;
  std::vector<SimulatedPiece> pieces;
};

/// Plans the writing of a file step by step for any number of ranks, in one process. The result is what a transport
/// would be asked to do.
class WriteSimulation {
 public:
  /// Independent. The format must be named in the options.
  WriteSimulation(const FileDescription& file, int ranks, const WriteOptions& options);

  ~WriteSimulation();

  /// Independent. The machine that writes, for formats whose plan depends on it; before the first step. The default is
  /// one node with the processors of this one.
  void suit(const Machine& machine);

  using Parts = std::function<StepPart(int rank)>;
  using Streams = std::function<std::vector<SimulatedStream>(int rank)>;

  /// Independent. The next step. `part` returns the part of each rank and is called several times. Views may have no
  /// memory; memory that they have must stay valid until the next call of `part`, that of fields in chunks until this
  /// call returns. A table with chosen rows on every rank or on none has as many rows as the greatest of them requires.
  [[nodiscard]] PlannedStep next(const Parts& part);
  /// Independent. The same, one rank after another. Memory holds no more than on rank 0 of the program, and a number
  /// for each rank where rows are encoded in groups. Fields in chunks keep the parts of all ranks.
  StepFrame next(const Parts& part, PlanSink& sink);
  /// Independent. A step of streams. The places take some hundred bytes for each stream, as on rank 0 of the program;
  /// of merged streams all pieces are kept.
  StepFrame next(const Streams& streams, const std::string& path, PlanSink& sink);
  /// Independent. A synthetic step. Ranks with equal parts are planned once, and shifted by what precedes them; some of
  /// them are planned in full as a check. Needs memory for the kinds of parts and for what rank 0 keeps; interleaved
  /// fields in chunks keep the parts of all ranks.
  StepFrame next(const Workload& workload, PlanSink& sink);

  /// Independent. Whether values are printed or compressed to find their size.
  [[nodiscard]] bool weighs_values() const;

  /// The names of the files of a set, next to the first one.
  [[nodiscard]] std::string member_name(const std::string& first, std::uint64_t member) const;

 private:
  int ranks_;
  bool lossy_;
  std::unique_ptr<WritePlanner> planner_;
};

/// Counts of what a simulated program writes.
struct SimulationReport {
  SurveyResult survey;
  std::uint64_t steps = 0;
  std::uint64_t payload = 0;         ///< bytes of values in memory
  std::uint64_t encoded_bytes = 0;   ///< those of them that are printed or compressed
  std::uint64_t guard_writes = 0;    ///< by rank 0 before the data of a step
  std::uint64_t publish_writes = 0;  ///< and after them
  std::uint64_t publish_bytes = 0;
  std::uint64_t publish_syncs = 0;  ///< inside publications
  std::uint64_t resizes = 0;
};

/// Independent. Simulates `steps` steps of a workload, and counts. Throws what the program would throw.
[[nodiscard]] SimulationReport simulate(const FileDescription& file, const WriteOptions& options,
                                        const Workload& workload, std::uint64_t steps, const StorageLayout& layout);

}  // namespace quire
