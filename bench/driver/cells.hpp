#pragma once

#include <string>

#include "quire/comm/comm.hpp"

namespace quire::bench {

/// The arguments of the command `cells`.
struct CellsRequest {
  std::string directory;  ///< below which a folder for all files is made
  std::string plan;       ///< a file with the plan
};

/// Collective. Runs every cell of a plan, in its order, and prints a line of JSON for each from rank 0. Returns the
/// exit code, the same on all ranks: 0, or 1 if a cell was wrong or refused. Throws usage errors for a plan that cannot
/// be understood.
[[nodiscard]] int run_cells(const CellsRequest& request, Comm world);

}  // namespace quire::bench
