// Boxes with ghost zones cut apart, and blocks of processor grids.

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "quire/base/error.hpp"
#include "quire/comm/partition.hpp"
#include "support/random_bytes.hpp"

namespace quire::boxes_test {
namespace {

using Numbers = std::vector<std::uint64_t>;

/// Equal blocks of a grid, each with `ghosts` more elements towards its neighbours.
std::vector<Box> ghosted(const Numbers& extents, const Numbers& grid, std::uint64_t ghosts) {
  std::vector<Box> boxes;
  for (std::uint64_t rank = 0; rank < volume(grid); ++rank) {
    Box& box = boxes.emplace_back(whole(extents));
    std::uint64_t rest = rank;
    for (std::size_t axis = grid.size(); axis-- > 0;) {
      const std::uint64_t size = extents[axis] / grid[axis];
      const std::uint64_t first = rest % grid[axis] * size;
      rest /= grid[axis];
      box.start[axis] = first - std::min(first, ghosts);
      box.count[axis] = std::min(first + size + ghosts, extents[axis]) - box.start[axis];
    }
  }
  return boxes;
}

/// The number of boxes that hold each element.
Numbers owners(const Numbers& extents, const std::vector<Box>& boxes) {
  Numbers count(volume(extents), 0);
  for (const Box& box : boxes) {
    SelectionWalk walk(extents, box);
    while (const auto line = walk.next()) {
      for (std::uint64_t i = 0; i < line->count; ++i) ++count[line->first + i * line->step];
    }
  }
  return count;
}

TEST(DisjointBoxes, OfEqualBlocksAreTheBlocks) {
  for (const std::uint64_t ghosts : {0, 1, 2}) {
    EXPECT_EQ(disjoint_boxes(ghosted({3, 6, 8}, {1, 2, 2}, ghosts)), ghosted({3, 6, 8}, {1, 2, 2}, 0)) << ghosts;
    EXPECT_EQ(disjoint_boxes(ghosted({1, 1, 12}, {1, 1, 4}, ghosts > 1 ? 1 : ghosts)),
              ghosted({1, 1, 12}, {1, 1, 4}, 0))
        << "layers of one element are cut too";
  }
  EXPECT_TRUE(disjoint_boxes({}).empty());
}

TEST(DisjointBoxes, CoverWhatTheFullOnesDidExactlyOnce) {
  test::Random random(4);
  for (int trial = 0; trial < 200; ++trial) {
    const Numbers grid{random.between(1, 3), random.between(1, 3), random.between(1, 3)};
    const Numbers extents{grid[0] * random.between(3, 5), grid[1] * random.between(3, 5),
                          grid[2] * random.between(3, 5)};
    const std::vector<Box> boxes = disjoint_boxes(ghosted(extents, grid, random.between(0, 1)));
    EXPECT_EQ(owners(extents, boxes), Numbers(volume(extents), 1)) << trial;
  }
}

TEST(DisjointBoxes, AreCutWhereMostIsLeft) {
  // Along x (the last axis) the cut leaves 5 x 4 and 3 x 4 elements; along y both boxes lose more.
  const std::vector<Box> cut = disjoint_boxes({{{0, 0}, {4, 6}}, {{0, 4}, {4, 4}}});
  EXPECT_EQ(cut, (std::vector<Box>{{{0, 0}, {4, 5}}, {{0, 5}, {4, 3}}}));
  // On a tie x is cut: both axes share one layer.
  EXPECT_EQ(disjoint_boxes({{{0, 0}, {3, 3}}, {{2, 2}, {3, 3}}}),
            (std::vector<Box>{{{0, 0}, {3, 3}}, {{2, 3}, {3, 2}}}));
  // The lower box need not be that of the lower rank.
  EXPECT_EQ(disjoint_boxes({{{4}, {4}}, {{0}, {6}}}), (std::vector<Box>{{{5}, {3}}, {{0}, {5}}}));
}

TEST(DisjointBoxes, RefusesBoxesInsideOfOthers) {
  EXPECT_THROW((void)disjoint_boxes({{{0}, {8}}, {{2}, {3}}}), Error);
  EXPECT_THROW((void)disjoint_boxes({{{0}, {8}}, {{2, 0}, {3, 1}}}), Error);
  EXPECT_NO_THROW((void)disjoint_boxes({{{0}, {8}}, {{2}, {0}}})) << "an empty box shares nothing";
}

TEST(Inside, IsWhereABoxLiesInALargerOne) {
  const MemorySelection memory = inside({{2, 3}, {10, 20}}, {{3, 4}, {8, 18}});
  EXPECT_EQ(memory.extents, (Numbers{10, 20}));
  EXPECT_EQ(memory.selection.parts().front().start, (Numbers{1, 1}));
  EXPECT_THROW((void)inside({{2, 3}, {10, 20}}, {{1, 4}, {8, 18}}), Error);
  EXPECT_THROW((void)inside({{2, 3}, {10, 20}}, {{3, 4}, {10, 18}}), Error);
}

TEST(GridPart, PutsBlocksSideBySide) {
  for (const GridPlacement placement : {GridPlacement::natural, GridPlacement::compatible}) {
    std::vector<Box> boxes;
    Numbers extents;
    for (int rank = 0; rank < 12; ++rank) {
      GridPart part = grid_part(rank, {3, 2, 2}, {2, 3, 4}, {1, 0, 2}, placement);
      EXPECT_EQ(part.memory.extents, (Numbers{4, 3, 8}));
      EXPECT_EQ(part.memory.selection.parts().front().start, (Numbers{1, 0, 2}));
      extents = part.extents;
      boxes.push_back(std::move(part.box));
    }
    EXPECT_EQ(extents, placement == GridPlacement::natural ? (Numbers{6, 6, 8}) : (Numbers{4, 6, 12}));
    EXPECT_EQ(owners(extents, boxes), Numbers(volume(extents), 1));
  }
  // Rank numbers increase along the fastest axis first; in a compatible grid along the slowest.
  EXPECT_EQ(grid_part(1, {2, 2, 2}, {1, 1, 1}).box.start, (Numbers{0, 0, 1}));
  EXPECT_EQ(grid_part(1, {2, 2, 2}, {1, 1, 1}, {}, GridPlacement::compatible).box.start, (Numbers{1, 0, 0}));
  // specs/h5part.md: grid (i,j,k) = (4,1,1) with blocks of 2x3x5 gives 2x3x20.
  EXPECT_EQ(grid_part(0, {1, 1, 4}, {5, 3, 2}, {}, GridPlacement::compatible).extents, (Numbers{20, 3, 2}));
  EXPECT_EQ(grid_part(0, {1, 1, 4}, {5, 3, 2}).extents, (Numbers{5, 3, 8}));
  EXPECT_THROW((void)grid_part(4, {1, 1, 4}, {5, 3, 2}), Error);
  EXPECT_THROW((void)grid_part(0, {1, 4}, {5, 3, 2}), Error);
  EXPECT_THROW((void)grid_part(0, {1, 4}, {5, 3}, {}, GridPlacement::compatible), Error);
}

}  // namespace
}  // namespace quire::boxes_test
