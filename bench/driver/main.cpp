// Measures ways to write and read the same data side by side, in one process group. Started by bench/run.py; prints
// lines of JSON.

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>

#include "driver/carrier.hpp"
#include "driver/cells.hpp"
#include "driver/json.hpp"
#include "driver/run.hpp"
#include "driver/scratch.hpp"
#include "quire/base/error.hpp"
#include "quire/comm/mpi.hpp"

namespace {

/// The command line as text, before it is understood.
struct Arguments {
  quire::bench::Request request;
  std::string columns = "8xfloat64";
  std::vector<std::string> methods;
  double megabytes = 256;
  int ranks = 0;
};

void add_method_options(CLI::App& app, Arguments& arguments) {
  quire::bench::Request& request = arguments.request;
  app.add_option("--operation", request.operation, "what is measured")
      ->check(CLI::IsMember({"write", "read", "memory", "collectives"}))
      ->capture_default_str();
  app.add_option("--path", request.path, "where files are made")->required();
  app.add_option("--columns", arguments.columns, "groups of columns: 7xfloat64+1xint32")->capture_default_str();
  app.add_option("--size", arguments.megabytes, "payload of all steps in MB")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--steps", request.workload.steps, "steps of equal size")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--modes", request.workload.modes, "of hexahedra, whose coefficients the rows are; 0: just rows")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  app.add_option("--method", arguments.methods, "NAME:key=value:...; keys: engine, format, transport, option.NAME")
      ->required();
  app.add_option("--passes", request.passes, "after one that warms up")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seed", request.seed, "of the order in every pass")->capture_default_str();
  app.add_option("--ranks", arguments.ranks, "refuse another world size: a starter of another MPI makes worlds of 1");
  app.add_option("--keep", request.kept, "leave the last file measured for memory here");
  app.add_option("--spoil", request.damaged, "spoil what this method wrote, to see that it is noticed");
}

void add_cell_options(CLI::App& app, quire::bench::CellsRequest& request) {
  app.add_option("--directory", request.directory, "where a folder for all files is made")
      ->required()
      ->check(CLI::ExistingDirectory);
  app.add_option("--plan", request.plan, "what to measure: JSON, as written by quire bench")->required();
}

quire::bench::Request understood(Arguments arguments, int size) {
  using quire::Error;
  using quire::ErrorKind;
  if (arguments.ranks != 0 && arguments.ranks != size) {
    throw Error(ErrorKind::usage, "the world has " + std::to_string(size) + (size == 1 ? " rank" : " ranks") +
                                      " instead of " + std::to_string(arguments.ranks) + ": mpiexec of another MPI?");
  }
  quire::bench::Request request = std::move(arguments.request);
  request.workload.columns = quire::bench::parse_columns(arguments.columns);
  const double step_bytes = arguments.megabytes * 1e6 / static_cast<double>(request.workload.steps);
  request.workload.rows = static_cast<std::uint64_t>(step_bytes / static_cast<double>(request.workload.row_bytes()));
  request.workload.rows -= request.workload.rows % request.workload.unit();
  if (request.workload.rows == 0) throw Error(ErrorKind::usage, "the size is less than an element of so many modes");
  for (const std::string& method : arguments.methods) {
    request.methods.push_back(quire::bench::MethodSpec::parse(method));
  }
  return request;
}

void run_methods(const Arguments& arguments, int size) {
  const quire::bench::Request request = understood(arguments, size);
  const quire::Comm comm = quire::world();
  if (request.operation == "memory") {
    run_memory(request, comm);
  } else if (request.operation == "collectives") {
    run_collectives(request, comm);
  } else {
    run_speed(request, comm);
  }
}

/// The exit codes of this program beside 0 and 1: a cell or some bytes were wrong.
enum Exit : int { usage = 2, could_not_run = 4 };

int report(const quire::MpiSession& session, const quire::Error& error, int code) {
  // Every rank has the same error.
  if (session.is_root()) {
    std::fprintf(stderr, "quire-bench: %s\n", error.what());
    std::fflush(stderr);
  }
  return code;
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
  Arguments arguments;
  quire::bench::CellsRequest request;
  CLI::App& methods = *app.add_subcommand("methods", "ways given by options, in one process group");
  CLI::App& cells = *app.add_subcommand("cells", "what a plan asks for, a line of JSON for each cell");
  const CLI::App& list = *app.add_subcommand("list", "the formats and transports that a plan may name, as JSON");
  add_method_options(methods, arguments);
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
    if (list.parsed()) {
      if (session.is_root()) {
        quire::bench::Json answer = quire::bench::list_methods();
        answer["ranks"] = session.size();  // a starter of another MPI makes worlds of 1
        quire::bench::print_line(answer);
      }
      return 0;
    }
    run_methods(arguments, session.size());
    return 0;
  } catch (const quire::bench::WrongBytes& error) {
    return report(session, error, 1);
  } catch (const quire::Error& error) {
    if (cells.parsed() && error.kind() == quire::ErrorKind::usage) return report(session, error, Exit::usage);
    std::fprintf(stderr, "quire-bench, rank %d: %s\n", session.rank(), error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "quire-bench, rank %d: %s\n", session.rank(), error.what());
  }
  // Other ranks may wait for this one: nothing is measured any more.
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, Exit::could_not_run);
  return Exit::could_not_run;
}
