// Measures ways to write and read the same data side by side, in one process group. Started by quire bench; prints
// lines of JSON.

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>

#include "driver/carrier.hpp"
#include "driver/cells.hpp"
#include "driver/json.hpp"
#include "driver/scratch.hpp"
#include "quire/base/error.hpp"
#include "quire/comm/mpi.hpp"

namespace {

void add_cell_options(CLI::App& app, quire::bench::CellsRequest& request) {
  app.add_option("--directory", request.directory, "where a folder for all files is made")
      ->required()
      ->check(CLI::ExistingDirectory);
  app.add_option("--plan", request.plan, "what to measure: JSON, as written by quire bench")->required();
}

/// The exit codes of this program beside 0 and 1: a cell was wrong or refused.
enum Exit : int { usage = 2, could_not_run = 4 };

int refuse(const quire::MpiSession& session, const quire::Error& error) {
  // Every rank has the same error.
  if (session.is_root()) {
    std::fprintf(stderr, "quire-bench: %s\n", error.what());
    std::fflush(stderr);
  }
  return Exit::usage;
}

}  // namespace

int main(int argc, char** argv) {
  // Before MPI starts threads: a signal shall reach the one that tidies up.
  quire::bench::hold_signals();
  // A limit of the sizes of files is an error of a call like any other, not the end without a word.
  std::signal(SIGXFSZ, SIG_IGN);
  const quire::MpiSession session(argc, argv);
  CLI::App app("Measures ways to write and read the same data side by side.", "quire-bench");
  app.require_subcommand(1);
  quire::bench::CellsRequest request;
  CLI::App& cells = *app.add_subcommand("cells", "what a plan asks for, a line of JSON for each cell");
  const CLI::App& list = *app.add_subcommand("list", "the formats and transports that a plan may name, as JSON");
  add_cell_options(cells, request);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = session.is_root() ? app.exit(error) : error.get_exit_code();
    return code == 0 ? 0 : Exit::usage;
  }
  try {
    if (cells.parsed()) return quire::bench::run_cells(request, quire::world());
    quire::bench::release_signals();
    if (list.parsed() && session.is_root()) {
      quire::bench::Json answer = quire::bench::list_methods();
      answer["ranks"] = session.size();  // a starter of another MPI makes worlds of 1
      quire::bench::print_line(answer);
    }
    return 0;
  } catch (const quire::Error& error) {
    if (cells.parsed() && error.kind() == quire::ErrorKind::usage) return refuse(session, error);
    std::fprintf(stderr, "quire-bench, rank %d: %s\n", session.rank(), error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "quire-bench, rank %d: %s\n", session.rank(), error.what());
  }
  // Other ranks may wait for this one: nothing is measured any more.
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, Exit::could_not_run);
  return Exit::could_not_run;
}
