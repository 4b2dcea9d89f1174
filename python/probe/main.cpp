// What `quire doctor` starts on many ranks: one action in each launch, so that one that hangs or dies is known by name.
//
//   quire-probe world
//   quire-probe reductions
//   quire-probe patterns method=NAME[:CALLS] directory=DIR [patterns=a,b] [hints=key:value,...] [large=] [big=]
//   [pieces=] quire-probe locks directory=DIR quire-probe library-locks directory=DIR quire-probe costs directory=DIR
//   [repetitions=]
//
// Answers are lines of rank 0 that begin with @, their fields between tabs. `seconds=` ends a rank that outlives it.

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>

#include "arguments.hpp"
#include "examination.hpp"
#include "locks.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/transport/transport.hpp"
#include "ranks.hpp"

namespace quire::probe {
namespace {

/// The names of the hosts of all ranks, each once.
std::string host_names(Comm& comm) {
  utsname system{};
  ::uname(&system);
  std::vector<std::string> names;
  for (int rank = 0; rank < comm.size(); ++rank) {
    const std::string_view own = system.nodename;
    std::vector<std::byte> name(reinterpret_cast<const std::byte*>(own.data()),
                                reinterpret_cast<const std::byte*>(own.data() + own.size()));
    comm.broadcast(name, rank);
    names.emplace_back(reinterpret_cast<const char*>(name.data()), name.size());
  }
  std::ranges::sort(names);
  std::string list;
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const std::string& name : names) list += (list.empty() ? "" : ",") + name;
  return list;
}

int run_world(Comm& comm) {
  const std::string hosts = host_names(comm);
  report(comm, {"world", std::to_string(comm.size()), library_version(), hosts});
  for (const std::string& name : transport_names()) report(comm, {"transport", name});
  return 0;
}

std::unique_ptr<Method> method_of(const Arguments& arguments) {
  const std::string whole = arguments.text("method");
  const std::size_t colon = whole.find(':');
  const std::string kind = whole.substr(0, colon);
  const std::string name = colon == std::string::npos ? "" : whole.substr(colon + 1);
  std::unique_ptr<Method> method;
  if (kind == "transport") method = transport_method(name);
  if (kind == "mpi-io") method = mpi_io_method(name, arguments.hints("hints"));
  if (!method) throw Error(ErrorKind::usage, "there is no method '" + whole + "' in this build");
  return planted(std::move(method), arguments.text("plant"));
}

int run_patterns(Comm& comm, const Arguments& arguments) {
  const std::unique_ptr<Method> method = method_of(arguments);
  Sizes sizes;
  sizes.large = arguments.number("large", sizes.large);
  sizes.big = arguments.number("big", sizes.big);
  sizes.pieces = arguments.number("pieces", sizes.pieces);
  const std::vector<std::string> wanted = arguments.words("patterns");
  const std::string path = arguments.text("directory") + "/pattern";
  if (arguments.text("method").starts_with("mpi-io")) {
    report(comm, {"family", mpi_io_family(comm, path)});
  }
  for (const Pattern& pattern : all_patterns()) {
    const std::string name(pattern.name);
    if (!wanted.empty() && std::ranges::find(wanted, name) == wanted.end()) continue;
    if (name == "big" && sizes.big == 0) continue;
    report(comm, {"begin", name});
    const Outcome outcome = examine(comm, *method, pattern, sizes, path);
    report(comm, {"pattern", name, outcome.word, outcome.detail});
    if (comm.is_root()) ::unlink(path.c_str());
    comm.barrier();
  }
  return 0;
}

int run(Comm& comm, const Arguments& arguments) {
  const std::string directory = arguments.text("directory");
  if (arguments.action() == "world") return run_world(comm);
  if (arguments.action() == "reductions") {
    examine_reductions(comm);
    return 0;
  }
  if (directory.empty()) throw Error(ErrorKind::usage, "name a directory=");
  if (arguments.action() == "patterns") return run_patterns(comm, arguments);
  if (arguments.action() == "locks") {
    examine_locks(comm, directory + "/locks");
  } else if (arguments.action() == "library-locks") {
    examine_library_locks(comm, directory + "/library-locks");
  } else if (arguments.action() == "costs") {
    measure_costs(comm, directory,
                  static_cast<std::size_t>(std::max<std::uint64_t>(1, arguments.number("repetitions", 15))));
  } else {
    throw Error(ErrorKind::usage, "there is no action '" + arguments.action() + "'");
  }
  return 0;
}

}  // namespace
}  // namespace quire::probe

int main(int argc, char** argv) {
  // A limit of the sizes of files is an error of a call like any other. Some starters pass on that it is ignored,
  // others let every rank begin with what the system does: end it without a word.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const quire::probe::Arguments arguments(argc, argv);
    // The ranks of a launcher that is killed may remain.
    ::alarm(static_cast<unsigned>(arguments.number("seconds", 0)));
    return quire::probe::with_ranks(argc, argv, [&](quire::Comm& comm) {
      try {
        const int code = quire::probe::run(comm, arguments);
        quire::probe::report(comm, {"end"});
        return code;
      } catch (const quire::Error& error) {
        quire::probe::report(comm, {"error", error.what()});
        return 4;
      }
    });
  } catch (const std::exception& error) {
    std::fprintf(stderr, "quire-probe: %s\n", error.what());
    return 2;
  }
}
