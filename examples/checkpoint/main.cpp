// A run that writes a series of checkpoints, and restarts from the last one on fewer ranks.
//
//     mpiexec -n 4 checkpoint --directory run --readers 3 --option layout=directory
//
// Every rank has elements of several shapes and orders, the last one has none. The restart asks for elements by id, in
// another partition, first all variables and then one; every coefficient must be the one that was written, bit for bit.
// The partition stays the same in the series: the ranks exchange their layout once, and later only compare it.
// The collectives and messages of the commit of each checkpoint are printed.

#include <CLI/CLI.hpp>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "mesh.hpp"
#include "quire/comm/mpi.hpp"

namespace {

struct Settings {
  std::string directory;
  std::string suffix = ".chk";
  std::uint32_t elements = 300;
  int checkpoints = 3;
  int readers = 1;
  quire::WriteOptions options;
};

double time_of(int number) { return 0.125 * number; }

std::string path_of(const Settings& settings, int number) {
  return settings.directory + "/run_" + std::to_string(number) + settings.suffix;
}

/// The communication of all ranks while a checkpoint was written.
struct Exchanged {
  std::uint64_t collectives = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

Exchanged exchanged_by_all(quire::Comm& comm, const quire::Traffic& before, const quire::Traffic& after) {
  std::array<std::uint64_t, 2> sum{after.messages - before.messages, after.bytes - before.bytes};
  comm.sum(sum);
  return {after.collectives - before.collectives, sum[0], sum[1]};
}

void write_series(const Settings& settings, quire::Comm comm) {
  checkpoint::Mesh mesh(settings.elements, comm.rank(), comm.size());
  const quire::ElementLayout layout;  // the partition never changes: it is exchanged once
  for (int number = 0; number < settings.checkpoints; ++number) {
    mesh.advance(time_of(number));
    quire::Writer out = quire::create(path_of(settings, number), comm, settings.options);
    const auto parts = mesh.parts();
    const quire::Traffic before = out.comm().traffic();
    out.write_step(number, [&](quire::WriteStep& step) {
      step.set("Time", time_of(number));
      quire::put_elements(step, parts, layout);
    });
    const Exchanged all = exchanged_by_all(comm, before, out.comm().traffic());
    out.close();
    if (!comm.is_root()) continue;
    std::printf("checkpoint %d: %llu collectives, %llu messages of %llu bytes in all, layout %s\n", number,
                static_cast<unsigned long long>(all.collectives), static_cast<unsigned long long>(all.messages),
                static_cast<unsigned long long>(all.bytes), layout.reused() == 0 ? "exchanged" : "as before");
    // A test that kills the run reads the progress.
    std::fflush(stdout);
  }
}

/// Whether the restart finds every element as it was written.
bool restart(const Settings& settings, quire::Comm comm) {
  const int last = settings.checkpoints - 1;
  quire::Reader in = quire::open(path_of(settings, last), comm);
  const quire::ReadStep step = in.at(0);
  std::uint64_t wrong = step.number() == last ? 0 : 1;
  for (const bool one_variable : {false, true}) {
    quire::ElementRequest request;
    request.ids = checkpoint::wanted_ids(settings.elements, comm.rank(), comm.size());
    if (one_variable) request.variables = {"p"};
    const quire::Elements elements = step.read_elements_all(request);
    wrong += request.ids->size() - checkpoint::right_elements(elements, time_of(last));
    wrong += elements.missing.size() + elements.repeated.size();
  }
  std::array<std::uint64_t, 1> sum{wrong};
  comm.sum(sum);
  in.close();
  return sum[0] == 0;
}

int run(const Settings& settings, const quire::MpiSession& session) {
  quire::Comm comm = quire::world();
  if (settings.readers > comm.size()) {
    throw quire::Error(quire::ErrorKind::usage, "--readers " + std::to_string(settings.readers) +
                                                    " are more than the " + std::to_string(comm.size()) +
                                                    " ranks that there are");
  }
  // If this fails, creating the first checkpoint raises on every rank.
  std::error_code ignored;
  if (session.is_root()) std::filesystem::create_directories(settings.directory, ignored);
  comm.barrier();
  write_series(settings, comm);
  const bool reads = comm.rank() < settings.readers;
  const bool is_right = restart(settings, comm.split(reads ? 0 : 1, comm.rank()));
  if (session.is_root()) {
    std::printf("%d checkpoints of %u elements by %d ranks, restart on %d: %s\n", settings.checkpoints,
                settings.elements, comm.size(), settings.readers,
                is_right ? "every coefficient is the one that was written" : "wrong values");
  }
  return is_right ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const quire::MpiSession session(argc, argv);
  constexpr int most = 1'000'000'000;
  CLI::App app("Checkpoints and a restart on another number of ranks");
  Settings settings;
  app.add_option("--directory", settings.directory, "where the checkpoints go")->required();
  app.add_option("--suffix", settings.suffix, "suffix of the checkpoints, which chooses the format")
      ->capture_default_str();
  app.add_option("--elements", settings.elements, "of the mesh")->check(CLI::Range(1, most))->capture_default_str();
  app.add_option("--checkpoints", settings.checkpoints, "how many are written")
      ->check(CLI::Range(1, most))
      ->capture_default_str();
  app.add_option("--readers", settings.readers,
                 "ranks of the restart, no more than there are; the others by themselves")
      ->check(CLI::Range(1, most))
      ->capture_default_str();
  app.add_option("--transport", settings.options.transport, "how bytes are moved")->capture_default_str();
  app.add_option("--option", settings.options.options, "of the format: NAME=VALUE")->delimiter('=');
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (session.is_root()) return app.exit(error) == 0 ? 0 : 2;
    return error.get_exit_code() == 0 ? 0 : 2;
  }
  try {
    return run(settings, session);
  } catch (const quire::Error& error) {
    // Every rank throws the same error.
    if (session.is_root()) std::fprintf(stderr, "%s\n", error.what());
    return error.kind() == quire::ErrorKind::usage ? 2 : 4;
  }
}
