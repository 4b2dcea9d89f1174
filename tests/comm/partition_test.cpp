#include "quire/comm/partition.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "quire/base/error.hpp"

namespace quire::partition_test {
namespace {

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();

/// The slices of all ranks are consecutive, without gaps, from 0 to `rows`.
void expect_tiling(const std::vector<Slice>& slices, std::uint64_t rows) {
  std::uint64_t next = 0;
  for (const Slice& slice : slices) {
    EXPECT_EQ(slice.first, next);
    next = slice.end();
  }
  EXPECT_EQ(next, rows);
}

TEST(EvenSlice, FirstRanksTakeTheRemainder) {
  EXPECT_EQ(even_slice(10, 0, 4), (Slice{0, 3}));
  EXPECT_EQ(even_slice(10, 1, 4), (Slice{3, 3}));
  EXPECT_EQ(even_slice(10, 2, 4), (Slice{6, 2}));
  EXPECT_EQ(even_slice(10, 3, 4), (Slice{8, 2}));
}

TEST(EvenSlice, TilesWithFewerRowsThanRanksAndWithTheGreatestCount) {
  for (const std::uint64_t rows : {std::uint64_t{0}, std::uint64_t{2}, huge}) {
    std::vector<Slice> slices;
    for (int rank = 0; rank < 7; ++rank) slices.push_back(even_slice(rows, rank, 7));
    expect_tiling(slices, rows);
  }
}

TEST(SliceWithoutRoot, GivesRankZeroNothingUnlessItIsAlone) {
  EXPECT_EQ(slice_without_root(5, 0, 1), (Slice{0, 5}));
  EXPECT_EQ(slice_without_root(5, 0, 3), (Slice{0, 0}));
  EXPECT_EQ(slice_without_root(5, 1, 3), (Slice{0, 3}));
  EXPECT_EQ(slice_without_root(5, 2, 3), (Slice{3, 2}));
}

TEST(WeightedSlice, RoundsTheRunningShareDown) {
  const std::array weights{1.0, 2.0, 1.0};
  EXPECT_EQ(weighted_slice(10, 0, weights), (Slice{0, 2}));
  EXPECT_EQ(weighted_slice(10, 1, weights), (Slice{2, 5}));
  EXPECT_EQ(weighted_slice(10, 2, weights), (Slice{7, 3}));
}

TEST(WeightedSlice, LastPositiveWeightTakesTheRest) {
  const std::array weights{0.0, 0.1, 0.2, 0.0};
  EXPECT_EQ(weighted_slice(10, 0, weights), (Slice{0, 0}));
  EXPECT_EQ(weighted_slice(10, 2, weights).end(), 10U);
  EXPECT_EQ(weighted_slice(10, 3, weights), (Slice{10, 0}));
}

TEST(WeightedSlice, TilesForExtremeRowsAndWeights) {
  constexpr double greatest = std::numeric_limits<double>::max();
  const std::array weights{greatest, 1e-300, greatest, greatest / 3};
  std::vector<Slice> slices;
  for (int rank = 0; rank < 4; ++rank) slices.push_back(weighted_slice(huge, rank, weights));
  expect_tiling(slices, huge);
}

TEST(Partitions, RefuseRanksAndWeightsThatCannotBe) {
  EXPECT_THROW(static_cast<void>(even_slice(1, 1, 1)), Error);
  EXPECT_THROW(static_cast<void>(even_slice(1, -1, 2)), Error);
  EXPECT_THROW(static_cast<void>(slice_without_root(1, 0, 0)), Error);
  for (const double wrong : {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    const std::array weights{1.0, wrong};
    EXPECT_THROW(static_cast<void>(weighted_slice(1, 0, weights)), Error) << wrong;
  }
  const std::array nothing{0.0, 0.0};
  EXPECT_THROW(static_cast<void>(weighted_slice(1, 0, nothing)), Error);
}

}  // namespace
}  // namespace quire::partition_test
