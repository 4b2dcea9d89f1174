#pragma once

#include <vector>

#include "quire/comm/comm.hpp"

namespace quire::bench {

/// How far the clocks of ranks are ahead of that of rank 0, in seconds, each with the largest error that this can have.
struct ClockOffsets {
  std::vector<double> seconds;
  std::vector<double> uncertainty;
};

/// This rank's monotonic clock, in seconds.
[[nodiscard]] double clock_now();

/// Collective. By messages there and back: a clock was read at some time between the sending and the return, so half
/// the shortest way bounds the error. The same result on every rank.
[[nodiscard]] ClockOffsets compare_clocks(Comm& comm);

}  // namespace quire::bench
