#include "comm/rank_tree.hpp"

#include <cstdint>

namespace quire {

RankTree RankTree::of(int rank, int size, int width) {
  RankTree tree;
  // In base `width`, a parent differs from its child in the last non-zero digit, which is zero in the parent.
  for (std::int64_t unit = 1; unit < size; unit *= width) {
    const std::int64_t digit = rank / unit % width;
    if (digit != 0) {
      tree.parent = static_cast<int>(rank - digit * unit);
      break;
    }
    for (std::int64_t child = rank + unit; child < rank + unit * width && child < size; child += unit) {
      tree.children.push_back(static_cast<int>(child));
    }
  }
  return tree;
}

}  // namespace quire
