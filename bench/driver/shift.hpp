#pragma once

#include "quire/comm/comm.hpp"

namespace quire::bench {

/// Ranks that read what others wrote: rank r reads what rank (r + ranks) mod size wrote.
struct Shift {
  int ranks = 0;
  int warm = 0;  ///< how many ranks read all the same what their own node has written, or looked at afterwards
};

/// Collective. The shift with the fewest ranks that find their bytes in the memory of their own node; of these the
/// shortest. Ranks that share a node share memory; a rank verifies what the next rank wrote.
[[nodiscard]] Shift find_shift(Comm& comm);

/// Collective. The same ranks in an order in which each has the number of the one whose part it reads.
[[nodiscard]] Comm shifted(Comm& comm, const Shift& shift);

}  // namespace quire::bench
