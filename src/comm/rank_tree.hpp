#pragma once

#include <optional>
#include <vector>

namespace quire {

/// Where a rank stands when all ranks pass something on in few hops: rank 0 is the root, and what lies below a rank are
/// the ranks that follow it, so that sums over lower ranks are found on the way.
struct RankTree {
  std::optional<int> parent;  ///< none of rank 0
  std::vector<int> children;  ///< by rank; below each lie the ranks up to the next one

  /// @param width so many ranks, a parent among them, are one hop from each other: with 16 a node of 16 ranks meets in
  ///              one hop, 4096 ranks in three
  [[nodiscard]] static RankTree of(int rank, int size, int width = 16);
};

}  // namespace quire
