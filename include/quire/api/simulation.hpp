#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "quire/api/writer.hpp"
#include "quire/format/format.hpp"
#include "quire/plan/plan.hpp"

namespace quire {

/// What a step would write, planned without a file and without ranks.
struct PlannedStep {
  std::vector<Extent> guard;               ///< rank 0, before anything else
  std::vector<std::vector<Extent>> ranks;  ///< the data of each rank; rank 0's include header and attributes
  std::vector<Extent> publication;         ///< rank 0, at the end; a resize has length 0 and the new size as its offset
  std::uint64_t end = 0;                   ///< the size of the file with the data in it
};

/// Plans the writing of a file step by step for any number of ranks, on one process. The seam made visible: what it
/// says is what a transport is asked to do.
class WriteSimulation {
 public:
  /// Independent. The format must be named in the options.
  WriteSimulation(const FileDescription& file, int ranks, const WriteOptions& options);

  ~WriteSimulation();

  /// Independent. The next step; `part` gives the part of each rank and is asked twice. Views may have no memory.
  [[nodiscard]] PlannedStep next(const std::function<StepPart(int rank)>& part);

 private:
  int ranks_;
  bool lossy_;
  std::unique_ptr<WritePlanner> planner_;
};

/// Independent. Rank `rank`'s part when the rows of each table (global in `step`) are split evenly: views without
/// memory, strings of `string_bytes` each.
[[nodiscard]] StepPart even_part(const StepDescription& step, int rank, int ranks, std::uint64_t string_bytes = 8);

}  // namespace quire
