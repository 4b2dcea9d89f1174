// Tracks a bunch of particles through a FODO channel and writes it step by step: what a simulation that uses Quire
// looks like. Start it under mpiexec with any number of ranks; the files do not depend on it.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "quire/comm/mpi.hpp"
#include "simulation.hpp"

namespace {

void add_options(CLI::App& app, fodo::Simulation& simulation) {
  app.add_option("--particles", simulation.beam.particles, "particles in the bunch")->capture_default_str();
  app.add_option("--seed", simulation.beam.seed, "of the random numbers")->capture_default_str();
  app.add_option("--cells", simulation.cells, "track until the end of this cell")->capture_default_str();
  app.add_option("--every", simulation.every, "cells between written steps")->capture_default_str();
  app.add_option("--sextupole", simulation.sextupole, "integrated strength k2 L in 1/m^2; 0 for a linear channel");
  app.add_option("--rf", simulation.rf, "largest relative change of momentum in a cavity");
  app.add_option("--output", simulation.output, "file to write")->required();
  app.add_option("--format", simulation.format, "of the file; by its suffix if not given");
  app.add_option("--option", simulation.options, "of the format: NAME=VALUE")->delimiter('=');
  app.add_option("--transport", simulation.transport, "how bytes are moved")->capture_default_str();
  app.add_flag("--durable", simulation.durable, "a written step survives a power cut");
  app.add_flag("--async", simulation.async, "write a step while the next one is tracked");
  app.add_flag("--root-empty", simulation.root_empty, "rank 0 holds no particles");
  auto* from =
      app.add_option("--restart-from", simulation.restart_from, "continue from a step of this file of any format");
  app.add_option("--restart-step", simulation.restart_step, "number of that step; the last one if not given")
      ->needs(from);
  app.add_flag("--drop-later", simulation.drop_later, "when the same file is continued: drop the later steps")
      ->needs(from);
}

void print(const fodo::Report& report, std::uint64_t bytes) {
  const fodo::Moments& moments = report.moments;
  std::printf("cell %6lld  s %9.3f m  x %+.3e m  y %+.3e m  ex %.6e m  ey %.6e m  %7.1f MB in %.3f s\n",
              static_cast<long long>(report.cell), report.s, moments.centroid[fodo::x], moments.centroid[fodo::y],
              moments.emittance[0], moments.emittance[1], static_cast<double>(bytes) * 1e-6, report.write_seconds);
  std::fflush(stdout);
}

void print(const fodo::Summary& summary) {
  const quire::Timing& timing = summary.writing;
  std::printf(
      "rank 0: track %.3f s, output %.3f s, restart %.3f s; writing: plan %.3f s, wait %.3f s, encode %.3f s, "
      "transfer %.3f s, metadata %.3f s\n",
      summary.track_seconds, summary.output_seconds, summary.read_seconds, timing.plan, timing.wait, timing.encode,
      timing.transfer, timing.metadata);
}

/// As the command line: 2 usage, 3 bad file, 4 anything that the system or another rank refused.
int exit_code(quire::ErrorKind kind) {
  switch (kind) {
    case quire::ErrorKind::usage:
    case quire::ErrorKind::missing:
      return 2;
    case quire::ErrorKind::bad_file:
      return 3;
    default:
      return 4;
  }
}

int start(const fodo::Simulation& simulation, bool speaks) {
  const std::uint64_t row = fodo::coordinate_count * sizeof(double) + sizeof(std::int64_t);
  const auto report = [&](const fodo::Report& step) {
    if (speaks) print(step, step.moments.particles * row);
  };
  try {
    const fodo::Summary summary = fodo::simulate(simulation, quire::world(), report);
    const char* trace = std::getenv("QUIRE_TRACE");
    if (speaks && trace != nullptr && std::string(trace) == "1") print(summary);
    return 0;
  } catch (const quire::Error& error) {
    // Every rank throws the same error.
    if (speaks) std::fprintf(stderr, "fodo: %s\n", error.what());
    return exit_code(error.kind());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const quire::MpiSession session(argc, argv);
  CLI::App app("Tracks a bunch of particles through a FODO channel and writes it step by step.", "fodo");
  fodo::Simulation simulation;
  add_options(app, simulation);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (session.is_root()) return app.exit(error) == 0 ? 0 : 2;
    return error.get_exit_code() == 0 ? 0 : 2;
  }
  try {
    return start(simulation, session.is_root());
  } catch (const std::exception& error) {
    // Not an error of the library: this rank alone cannot go on, for example for lack of memory.
    std::fprintf(stderr, "fodo: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
  return 4;
}
