#pragma once

#include <functional>
#include <vector>

#include "quire/comm/comm.hpp"

namespace quire::bench {

/// One measurement, the same on every rank.
struct Sample {
  double seconds = 0;      ///< rank 0's clock, from the barrier before to the barrier after
  double cpu_seconds = 0;  ///< user and system time of all ranks, their waits at the last barrier left out
};

/// Collective. Runs `work` between two polite barriers.
[[nodiscard]] Sample measure(Comm& comm, const std::function<void()>& work);

[[nodiscard]] double median(std::vector<double> values);
[[nodiscard]] std::vector<double> seconds_of(const std::vector<Sample>& samples);
[[nodiscard]] std::vector<double> cpu_seconds_of(const std::vector<Sample>& samples);
/// How much faster `own` is than `reference`: the median of the ratios of equal passes.
[[nodiscard]] double paired_ratio(const std::vector<double>& own, const std::vector<double>& reference);

}  // namespace quire::bench
