#pragma once

#include <optional>
#include <vector>

namespace quire {

/// The position of a rank in a tree with few hops. Rank 0 is the root, and the ranks below a rank are those that follow
/// it, so that exscan results are computed on the way down.
struct RankTree {
  std::optional<int> parent;  ///< no value on rank 0
  std::vector<int> children;  ///< by rank; the ranks below each are those up to the next one

  /// @param width number of ranks, including the parent, that are one hop apart: with 16, one hop reaches the 16 ranks
  ///              of a node, and three reach 4096 ranks
  [[nodiscard]] static RankTree of(int rank, int size, int width = 16);
};

}  // namespace quire
