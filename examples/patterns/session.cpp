#include "session.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "quire/comm/mpi.hpp"

namespace patterns {
int main_of(int argc, char** argv, const char* title,
            const std::function<bool(const quire::Comm& comm, const Start& start)>& work) {
  const quire::MpiSession session(argc, argv);
  CLI::App app(title);
  Start start;
  app.add_option("--output", start.output, "file to write")->required();
  app.add_option("--format", start.options.format, "of the file; by its suffix if not given");
  app.add_option("--transport", start.options.transport, "how bytes are moved")->capture_default_str();
  app.add_option("--option", start.options.options, "of the format: NAME=VALUE")->delimiter('=');
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (session.is_root()) return app.exit(error) == 0 ? 0 : 2;
    return error.get_exit_code() == 0 ? 0 : 2;
  }
  try {
    const quire::Comm comm = quire::world();
    const bool is_right = work(comm, start);
    if (session.is_root()) {
      std::printf("%s, on %d rank%s: %s\n", title, comm.size(), comm.size() == 1 ? "" : "s",
                  is_right ? "all values are where they belong" : "wrong values");
    }
    return is_right ? 0 : 1;
  } catch (const quire::Error& error) {
    // Every rank throws the same error.
    if (session.is_root()) std::fprintf(stderr, "%s\n", error.what());
    return 4;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
  return 4;
}

int main_of(int argc, char** argv, const Pattern& pattern) {
  return main_of(argc, argv, pattern.title, [&](const quire::Comm& comm, const Start& start) {
    return write_and_read(pattern, comm, {start.output, options_of(pattern, start)});
  });
}

}  // namespace patterns
