#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "moments.hpp"
#include "physics.hpp"
#include "quire/quire.hpp"

namespace fodo {

/// What to simulate and where to write it.
struct Simulation {
  Beam beam;
  Channel channel;                  ///< of a new run; a restarted one takes it from the file
  std::optional<double> sextupole;  ///< instead of the channel's own; a restart may change them in a new file
  std::optional<double> rf;
  std::int64_t cells = 100;  ///< track until the end of this cell, counted from the beginning of the channel
  std::int64_t every = 10;   ///< cells between written steps; the last one is always written
  std::string output;
  std::string format;  ///< empty: by the suffix of `output`
  std::string transport = "posix";
  quire::Options options;  ///< of the format
  bool durable = false;
  bool async = false;       ///< steps are written while the next one is tracked
  bool root_empty = false;  ///< rank 0 holds no particles

  std::string restart_from;                  ///< empty: a new bunch; the same as `output`: append to it
  std::optional<std::int64_t> restart_step;  ///< nothing: the last one
  bool drop_later = false;                   ///< appending after an earlier step drops the later ones
};

/// What happened at a written step.
struct Report {
  std::int64_t cell = 0;
  double s = 0;  ///< in m
  Moments moments;
  std::uint64_t bytes = 0;   ///< of this rank's particles
  double write_seconds = 0;  ///< until the program continues, on this rank
};

/// Where the time of a run went on this rank.
struct Summary {
  quire::Timing writing;
  double read_seconds = 0;  ///< of the restart
  double track_seconds = 0;
  double output_seconds = 0;  ///< in which this rank did not continue: commits and close
};

/// Collective. Tracks, writes, and calls `report` on every rank after each written step. Throws quire::Error.
Summary simulate(const Simulation& what, quire::Comm comm, const std::function<void(const Report&)>& report);

}  // namespace fodo
