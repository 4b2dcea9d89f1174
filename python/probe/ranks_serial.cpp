// Replaces MPI in a build without it.
#include "method.hpp"
#include "ranks.hpp"

namespace quire::probe {

int with_ranks(int, char**, const std::function<int(Comm&)>& program) {
  Comm alone = Comm::self();
  return program(alone);
}

std::string library_version() { return {}; }

void blocking_barrier(Comm&) {}

void ping_pong(Comm&, std::span<std::byte>) {}

std::string mpi_io_family(Comm&, const std::string&) { return {}; }

void examine_reductions(Comm&) {}

std::unique_ptr<Method> mpi_io_method(const std::string&, const Hints&) { return nullptr; }

}  // namespace quire::probe
