#include "driver/shift.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include "driver/ranks.hpp"

namespace quire::bench {
namespace {

/// Collective. The node of each rank, named by the first rank on it.
std::vector<double> nodes_of(Comm& comm) {
  Comm node = comm.split_by_node();
  std::array<std::uint64_t, 1> first{node.is_root() ? static_cast<std::uint64_t>(comm.rank()) : 0};
  node.maximum(first);
  return gather(comm, static_cast<double>(first[0]));
}

}  // namespace

Shift find_shift(Comm& comm) {
  const std::vector<double> nodes = nodes_of(comm);
  const auto size = static_cast<int>(nodes.size());
  const auto node = [&](int rank) { return nodes[static_cast<std::size_t>(rank % size)]; };
  Shift best{0, size};
  for (int shift = 1; shift < size && best.warm > 0; ++shift) {
    int warm = 0;
    for (int rank = 0; rank < size; ++rank) {
      const bool wrote = node(rank + shift) == node(rank);
      const bool looked = node(rank + shift + size - 1) == node(rank);
      warm += wrote || looked ? 1 : 0;
    }
    if (best.ranks == 0 || warm < best.warm) best = {shift, warm};
  }
  return best;
}

Comm shifted(Comm& comm, const Shift& shift) { return comm.split(0, (comm.rank() + shift.ranks) % comm.size()); }

}  // namespace quire::bench
