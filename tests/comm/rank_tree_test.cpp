#include "comm/rank_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace quire {
namespace {

/// Checks that the subtree of a rank holds the ranks up to `end`, and returns the number of hops below it.
int check_subtree(int rank, int end, int size, int width) {
  const RankTree tree = RankTree::of(rank, size, width);
  EXPECT_TRUE(std::ranges::is_sorted(tree.children));
  int next = rank + 1;
  int hops = 0;
  for (std::size_t c = 0; c < tree.children.size(); ++c) {
    const int child = tree.children[c];
    EXPECT_EQ(child, next) << "below rank " << rank << " of " << size;
    EXPECT_EQ(RankTree::of(child, size, width).parent, rank);
    next = c + 1 < tree.children.size() ? tree.children[c + 1] : end;
    hops = std::max(hops, 1 + check_subtree(child, next, size, width));
  }
  EXPECT_EQ(next, end) << "below rank " << rank << " of " << size;
  return hops;
}

TEST(RankTreeTest, HoldsRunsOfRanksBelowEachRank) {
  for (const int width : {2, 3, 16}) {
    for (int size = 1; size <= 70; ++size) {
      EXPECT_FALSE(RankTree::of(0, size, width).parent);
      check_subtree(0, size, size, width);
    }
  }
}

TEST(RankTreeTest, NeedsAHopForEachDigitOfTheRank) {
  EXPECT_EQ(check_subtree(0, 16, 16, 16), 1);
  EXPECT_EQ(check_subtree(0, 32, 32, 16), 2);
  EXPECT_EQ(check_subtree(0, 4096, 4096, 16), 3);
}

TEST(RankTreeTest, CountsBeyondWhatAProductOfRanksHolds) {
  const RankTree root = RankTree::of(0, 2'000'000'000);
  EXPECT_EQ(root.children.back(), 1'879'048'192);  // 7 * 16^7
  EXPECT_EQ(RankTree::of(1'999'999'999, 2'000'000'000).parent, 1'999'999'984);
}

}  // namespace
}  // namespace quire
