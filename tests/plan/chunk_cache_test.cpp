// The cache of decoded chunks: never more than the limit, the most recently used ones, and no outdated ones.

#include "plan/chunk_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "quire/base/error.hpp"
#include "support/random_bytes.hpp"

namespace quire::chunk_cache_test {
namespace {

constexpr std::size_t kibibyte = 1024;

std::shared_ptr<const ChunkedLayout> array_of(std::uint64_t rows) {
  return std::make_shared<const ChunkedLayout>(
      ChunkedLayout{{rows}, {64}, 8, {Filter{filter_number::deflate, {6}}}, {}, {}});
}

/// Keeps a chunk at an offset, all of whose bytes are the same.
void keep(ChunkCache& cache, const std::shared_ptr<const ChunkedLayout>& array, std::uint64_t offset, std::size_t bytes,
          int value) {
  const auto fill = [&](std::span<std::byte> out) { std::ranges::fill(out, static_cast<std::byte>(value)); };
  const auto kept = cache.add(array, {offset, 7, 0}, bytes, fill);
  ASSERT_EQ(kept.size(), bytes);
  ASSERT_TRUE(std::ranges::all_of(kept, [&](std::byte one) { return one == static_cast<std::byte>(value); }));
}

bool has(ChunkCache& cache, const ChunkedLayout& array, std::uint64_t offset) {
  return cache.find(array, {offset, 7, 0}).has_value();
}

TEST(ChunkCache, WhatWasNotUsedForTheLongestTimeGoesFirst) {
  ChunkCache cache(3 * kibibyte);
  const auto array = array_of(1000);
  for (int i = 0; i < 3; ++i) keep(cache, array, static_cast<std::uint64_t>(i), kibibyte, i);
  ASSERT_TRUE(has(cache, *array, 0)) << "and is now the one that was used last";
  keep(cache, array, 3, kibibyte, 3);
  EXPECT_FALSE(has(cache, *array, 1));
  for (const std::uint64_t offset : {0U, 2U, 3U}) EXPECT_TRUE(has(cache, *array, offset)) << offset;
}

TEST(ChunkCache, NeverHoldsMoreThanItMay) {
  test::Random random(31);
  constexpr std::uint64_t most = 20 * kibibyte;
  ChunkCache cache(most);
  const auto array = array_of(1000);
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t bytes = random.between(1, most);
    const std::uint64_t offset = random.below(40);
    ASSERT_TRUE(cache.takes(bytes));
    keep(cache, array, offset, bytes, trial % 256);
    ASSERT_LE(cache.bytes(), most);
    const auto found = cache.find(*array, {offset, 7, 0});
    ASSERT_TRUE(found) << "what came last is there";
    ASSERT_EQ(found->size(), bytes);
  }
}

TEST(ChunkCache, SmallChunksCountForMoreThanTheirBytes) {
  ChunkCache cache(4 * ChunkCache::least_bytes);
  const auto array = array_of(1000);
  for (std::uint64_t i = 0; i < 10; ++i) keep(cache, array, i, 1, 1);
  EXPECT_EQ(cache.bytes(), 4 * ChunkCache::least_bytes);
  EXPECT_FALSE(has(cache, *array, 5));
  EXPECT_TRUE(has(cache, *array, 6));
}

TEST(ChunkCache, AChunkLargerThanTheCacheIsNotTaken) {
  const ChunkCache cache(4 * kibibyte);
  EXPECT_TRUE(cache.takes(4 * kibibyte));
  EXPECT_FALSE(cache.takes(4 * kibibyte + 1));
  EXPECT_FALSE(ChunkCache(0).takes(1));
}

TEST(ChunkCache, OfADamagedChunkNothingIsKept) {
  ChunkCache cache(2 * kibibyte);
  const auto array = array_of(1000);
  keep(cache, array, 0, kibibyte, 1);
  const auto fail = [](std::span<std::byte>) { throw Error(ErrorKind::bad_file, "damaged"); };
  EXPECT_THROW(static_cast<void>(cache.add(array, {1, 7, 0}, kibibyte, fail)), Error);
  EXPECT_FALSE(has(cache, *array, 1));
  EXPECT_TRUE(has(cache, *array, 0));
  EXPECT_EQ(cache.bytes(), kibibyte);
}

TEST(ChunkCache, LeavesHalfAtOnceAndForGood) {
  ChunkCache cache(4 * kibibyte);
  const auto array = array_of(1000);
  for (std::uint64_t i = 0; i < 4; ++i) keep(cache, array, i, kibibyte, 1);
  cache.leave_half();
  EXPECT_EQ(cache.bytes(), 2 * kibibyte);
  EXPECT_TRUE(has(cache, *array, 3)) << "what was used last stays";
  cache.leave_half();
  keep(cache, array, 4, kibibyte, 1);
  EXPECT_EQ(cache.bytes(), 2 * kibibyte) << "half of what was allowed at first, however often it is asked for";
  EXPECT_FALSE(cache.takes(2 * kibibyte + 1));
}

TEST(ChunkCache, OneLayoutServesAllWhoAskForTheSameArray) {
  ChunkCache cache(2 * kibibyte);
  auto first = cache.layout_of(*array_of(1000));
  EXPECT_EQ(cache.layout_of(*array_of(1000)), first);
  EXPECT_NE(cache.layout_of(*array_of(1001)), first);
  ChunkedLayout other = *array_of(1000);
  other.fill = {std::byte{1}};
  EXPECT_EQ(cache.layout_of(other)->fill, other.fill);
  const std::weak_ptr<const ChunkedLayout> watched = first;
  keep(cache, first, 0, kibibyte, 1);
  first.reset();
  EXPECT_FALSE(watched.expired()) << "it belongs to a chunk that is kept";
  for (std::uint64_t i = 1; i < 3; ++i) keep(cache, array_of(7), i, kibibyte, 1);
  EXPECT_TRUE(watched.expired());
}

TEST(ChunkCache, AnArrayThatHasGrownHasOtherChunks) {
  ChunkCache cache(4 * kibibyte);
  const auto before = array_of(70);
  keep(cache, before, 0, kibibyte, 1);
  EXPECT_FALSE(has(cache, *array_of(100), 0)) << "its edge is another one";
  EXPECT_TRUE(has(cache, *array_of(70), 0)) << "described again";
  EXPECT_FALSE(cache.find(*before, {0, 8, 0})) << "of another length in the file";
  EXPECT_FALSE(cache.find(*before, {0, 7, 1})) << "with a filter left out";
  ChunkedLayout other = *before;
  other.filters.clear();
  EXPECT_FALSE(has(cache, other, 0)) << "with other filters";
  keep(cache, array_of(100), 0, kibibyte, 2);
  EXPECT_EQ(cache.bytes(), kibibyte) << "one takes the place of the other";
}

}  // namespace
}  // namespace quire::chunk_cache_test
