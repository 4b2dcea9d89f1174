// Measures ways to write and read the same data side by side, in one process group. Started by bench/run.py; prints
// lines of JSON.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "driver/run.hpp"
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

void add_options(CLI::App& app, Arguments& arguments) {
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
  for (const std::string& method : arguments.methods) {
    request.methods.push_back(quire::bench::MethodSpec::parse(method));
  }
  return request;
}

void run(const Arguments& arguments, int size) {
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

}  // namespace

int main(int argc, char** argv) {
  const quire::MpiSession session(argc, argv);
  CLI::App app("Measures ways to write and read the same data side by side.", "driver");
  Arguments arguments;
  add_options(app, arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = session.rank() == 0 ? app.exit(error) : error.get_exit_code();
    return code == 0 ? 0 : 2;
  }
  try {
    run(arguments, session.size());
    return 0;
  } catch (const quire::bench::WrongBytes& error) {
    // All ranks know. Only rank 0 tells, also by its exit code: at the first bad one the starter ends all others, and
    // with them what they have said but it has not read yet.
    if (session.rank() != 0) return 0;
    std::fprintf(stderr, "driver: %s\n", error.what());
    std::fflush(stderr);
    return 1;
  } catch (const std::exception& error) {
    // Other ranks may wait for this one: nothing is measured any more.
    std::fprintf(stderr, "driver, rank %d: %s\n", session.rank(), error.what());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return 1;
}
