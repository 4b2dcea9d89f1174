#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "driver/engine.hpp"
#include "driver/ranks.hpp"
#include "driver/shift.hpp"
#include "quire/base/error.hpp"
#include "quire/comm/comm.hpp"

namespace quire::bench {

/// The results of one repetition, after the clock has stopped, on every rank that took part.
struct Measured {
  Trial trial;                             ///< of this rank
  double returned = 0;                     ///< of this rank: from the barrier before to the barrier after
  std::optional<double> durable;           ///< by the same clock, until a sync of all files is over
  double began = 0;                        ///< when this rank left the barrier before, by clock_now()
  double processor = 0;                    ///< seconds of processor time of this rank, without the barrier after
  std::optional<std::uint64_t> memory;     ///< peak of this rank beyond what it had before, if it is measured
  std::optional<double> resident;          ///< share of the files in memory before
  std::optional<std::uint64_t> predicted;  ///< bytes of all files
  std::optional<Shift> shift;              ///< of reads by other ranks than wrote
  std::uint64_t file_bytes = 0;
  std::optional<Error> error;  ///< the same on every rank
};

/// Collective. The clock: barrier, work, planted delay, barrier.
void measure_trial(Comm& comm, const Cell& cell, const std::function<void(Trial&)>& work, Measured& measured);

/// Collective. The times, phases and counters of a line about a repetition; none of a failed one.
[[nodiscard]] Json describe(Comm& comm, const Measured& measured);

}  // namespace quire::bench
