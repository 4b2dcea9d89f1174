#include "quire/spi/plan/chunks.hpp"

#include "quire/base/error.hpp"

namespace quire {

std::vector<std::uint64_t> chunk_counts(const std::vector<std::uint64_t>& extents,
                                        const std::vector<std::uint64_t>& shape) {
  if (shape.empty() || shape.size() != extents.size()) {
    throw Error(ErrorKind::usage, "chunks must have as many axes as their array");
  }
  std::vector<std::uint64_t> counts;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0) throw Error(ErrorKind::usage, "a chunk must hold at least one element along each axis");
    counts.push_back(extents[axis] / shape[axis] + (extents[axis] % shape[axis] == 0 ? 0 : 1));
  }
  return counts;
}

}  // namespace quire
