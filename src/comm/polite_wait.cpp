#include "comm/polite_wait.hpp"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace quire {
namespace {

/// The number of ranks on this node, from the variables of Hydra (MPICH and derivatives) and Open MPI.
std::optional<unsigned> ranks_of_this_node() {
  for (const char* name : {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"}) {
    const char* value = std::getenv(name);
    if (value == nullptr) continue;
    const std::string_view text(value);
    unsigned ranks = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), ranks);
    if (problem == std::errc() && end == text.data() + text.size()) return ranks;
  }
  return std::nullopt;
}

/// The number of cores that the ranks of this node share: those this process may run on. If it is bound to a single
/// one, the launcher has bound each rank to its own, and all cores of the node count.
unsigned cores_of_this_node() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const bool is_known = sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  const int cores = is_known ? CPU_COUNT(&allowed) : 1;
  return cores > 1 ? static_cast<unsigned>(cores) : std::thread::hardware_concurrency();
}

}  // namespace

Patience patience_of(std::optional<unsigned> ranks, unsigned cores) noexcept {
  if (!ranks || *ranks > cores) return {};
  return {.yielding = std::chrono::microseconds(400)};
}

Patience patience_here() { return patience_of(ranks_of_this_node(), cores_of_this_node()); }

}  // namespace quire
