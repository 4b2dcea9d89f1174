// Chunk sizes of the specification (specs/sion.md section 3), and the filling of chunks.

#include "format/sion/chunk_sizes.hpp"

#include <gtest/gtest.h>

#include "quire/base/error.hpp"

namespace quire::sion::chunk_sizes_test {
namespace {

std::vector<StreamRequest> asking(const std::vector<std::uint64_t>& sizes) {
  std::vector<StreamRequest> requests;
  for (const std::uint64_t size : sizes) {
    StreamRequest& request = requests.emplace_back();
    request.rank = static_cast<std::int64_t>(requests.size()) - 1;
    request.chunk_bytes = size;
  }
  return requests;
}

ChunkSizes sizes_of(const std::vector<StreamRequest>& requests, const SizeRules& rules) {
  std::vector<const StreamRequest*> pointers;
  for (const StreamRequest& request : requests) pointers.push_back(&request);
  return chunk_sizes(pointers, rules);
}

using Numbers = std::vector<std::uint64_t>;

TEST(ChunkSizes, OfPlainTasksAreRoundedUp) {
  const auto requests = asking({100, 64, 0, 1});
  EXPECT_EQ(sizes_of(requests, {.mode = Mode::plain, .block_size = 64}).bytes, (Numbers{128, 64, 0, 64}));
  EXPECT_EQ(sizes_of(requests, {.mode = Mode::plain, .block_size = 1}).bytes, (Numbers{100, 64, 0, 1}));
  EXPECT_EQ(sizes_of(requests, {.mode = Mode::plain, .block_size = 1000}).bytes, (Numbers{1000, 1000, 0, 1000}));
}

TEST(ChunkSizes, OfGroupsArePackedAndOnlyTheLastOneGrows) {
  const SizeRules rules{.mode = Mode::collective, .block_size = 64, .group_tasks = 2};
  const ChunkSizes sizes = sizes_of(asking({30, 40, 50, 20}), rules);
  EXPECT_EQ(sizes.bytes, (Numbers{30, 40, 58, 64}));
  EXPECT_EQ(sizes.collectors, (Numbers{0, 0, 0, 3}));
}

TEST(ChunkSizes, OfMergedGroupsAreThoseOfTheirCollectors) {
  const SizeRules rules{.mode = Mode::merge, .block_size = 64, .group_tasks = 2};
  const ChunkSizes sizes = sizes_of(asking({30, 40, 50, 20}), rules);
  EXPECT_EQ(sizes.bytes, (Numbers{128, 64, 64, 64}));
  EXPECT_EQ(sizes.collectors, (Numbers{0, 0, 0, 3}));
}

TEST(ChunkSizes, ChosenHereFollowTheTableOfLimits) {
  // 32 tasks with 6 possible collectors have 4 by the last pair of the table.
  const auto groups = group_tasks(Numbers(32, 12), 64, 0);
  EXPECT_EQ(groups.front(), 0U);
  EXPECT_EQ(groups[9], 0U);
  EXPECT_EQ(groups[10], 10U);
  EXPECT_EQ(groups[31], 30U);
  // With 60 possible collectors they have 8: two tasks each would be too many collectors.
  EXPECT_EQ(group_tasks(Numbers(32, 120), 64, 0)[4], 4U);
}

TEST(ChunkSizes, OfTasksWithoutBytesArePlain) {
  const SizeRules rules{.mode = Mode::collective, .block_size = 64, .group_tasks = 2};
  const ChunkSizes sizes = sizes_of(asking({0, 0, 0}), rules);
  EXPECT_EQ(sizes.bytes, (Numbers{0, 0, 0}));
  EXPECT_EQ(sizes.collectors, (Numbers{0, 1, 2}));
}

TEST(ChunkSizes, OfCompactFilesAreExact) {
  auto requests = asking({1000, 1000, 1000});
  for (StreamRequest& request : requests) {
    request.bytes = static_cast<std::uint64_t>(request.rank) * 10;
    request.together = 5;
  }
  SizeRules rules{.mode = Mode::plain, .compact = true};
  EXPECT_EQ(sizes_of(requests, rules).bytes, (Numbers{5, 15, 25}));
  rules.mode = Mode::merge;
  rules.group_tasks = 3;
  EXPECT_EQ(sizes_of(requests, rules).bytes, (Numbers{15, 10, 20}));
}

TEST(ChunkSizes, OfCompactMergedFilesHaveFewCollectors) {
  const auto groups = [](std::size_t tasks, std::int64_t group_tasks) {
    auto requests = asking(Numbers(tasks, 7));
    for (std::size_t task = 0; task < tasks; ++task) requests[task].together = task % 3 * 7;
    for (StreamRequest& request : requests) request.bytes = 0;
    return sizes_of(requests, {.mode = Mode::merge, .compact = true, .group_tasks = group_tasks}).collectors;
  };
  EXPECT_EQ(groups(4, 0), Numbers(4, 0));
  EXPECT_EQ(groups(5, 2), (Numbers{0, 0, 2, 2, 4}));
  EXPECT_EQ(groups(17, 0)[15], 0U);
  EXPECT_EQ(groups(17, 0)[16], 16U);
  // At most 32 collectors, as in the reference.
  EXPECT_EQ(groups(1000, 0).back(), 992U);
  // The reference style follows the rule of the reference: here every task is its own collector.
  EXPECT_EQ(sizes_of(asking({7, 7, 8, 9}), {.mode = Mode::merge, .block_size = 1}).collectors, (Numbers{0, 1, 2, 3}));
}

TEST(ChunkSizes, ThatAreUnknownAreRefused) {
  std::vector<StreamRequest> requests(1);
  EXPECT_THROW(static_cast<void>(sizes_of(requests, {})), Error);
}

StreamPlace place_of(std::uint64_t chunk_bytes) {
  StreamPlace place;
  place.first = 1000;
  place.chunk_bytes = chunk_bytes;
  place.skip = 500;
  place.portion = 64;
  return place;
}

TEST(StreamFill, KeepsPiecesWhole) {
  StreamFill fill(place_of(128));
  EXPECT_EQ(fill.add_whole(100), (Extent{1000, 100}));
  EXPECT_EQ(fill.add_whole(100), (Extent{1500, 100}));
  EXPECT_EQ(fill.add_whole(28), (Extent{1600, 28}));
  EXPECT_EQ(fill.add_whole(0), (Extent{}));
  EXPECT_EQ(fill.add_whole(128), (Extent{2000, 128}));
  EXPECT_THROW(static_cast<void>(fill.add_whole(129)), Error);
  EXPECT_EQ(fill.chunks(), (Numbers{100, 128, 128}));
}

TEST(StreamFill, FillsRecordsToTheLastByte) {
  StreamFill fill(place_of(5));
  const auto extents = fill.add_dense(16);
  ASSERT_EQ(extents.size(), 4U);
  EXPECT_EQ(extents.back(), (Extent{2500, 1}));
  EXPECT_EQ(fill.left_in_chunk(), 4U);
  EXPECT_EQ(fill.add_dense(4), (std::vector{Extent{2501, 4}}));
  EXPECT_EQ(fill.chunks().size(), 4U) << "a full chunk opens no empty one";
  StreamFill none(place_of(0));
  EXPECT_TRUE(none.add_dense(0).empty());
  EXPECT_THROW(static_cast<void>(none.add_dense(1)), Error);
}

TEST(StreamFill, MakesRoom) {
  StreamFill fill(place_of(10));
  fill.ensure(10);
  EXPECT_EQ(fill.chunks(), (Numbers{0}));
  static_cast<void>(fill.add_whole(3));
  fill.ensure(7);
  EXPECT_EQ(fill.chunks(), (Numbers{3}));
  fill.ensure(8);
  EXPECT_EQ(fill.chunks(), (Numbers{3, 0}));
  EXPECT_THROW(fill.ensure(11), Error);
}

TEST(GroupFill, PutsMembersAfterTheCollectorInPortions) {
  const std::vector<CollectorPiece> own{{true, 30}, {false, 10}, {true, 0}};
  const std::vector<GroupMember> members{{1, 1, {100, 5}}, {2, 2, {0, 20}}};
  const GroupFill filled = fill_group(place_of(128), 0, own, members);
  EXPECT_EQ(filled.own, (std::vector{Extent{1000, 30}, Extent{1536, 10}, Extent{}}));
  // A portion of 64 fits after 30; the rest of 36 begins the next chunk.
  EXPECT_EQ(filled.members[0][0], (std::vector{Extent{1030, 64}, Extent{1500, 36}}));
  EXPECT_EQ(filled.members[0][1], (std::vector{Extent{1546, 5}}));
  EXPECT_TRUE(filled.members[1][0].empty());
  EXPECT_EQ(filled.use.chunks, (Numbers{94, 71}));
  const std::vector<StreamOrigin> origins{{0, 30}, {1, 100}, {0, 10}, {1, 5}, {2, 20}};
  EXPECT_EQ(filled.use.origins, origins);
  const std::vector<GroupMember> lazy{{1, 1, {100}}};
  EXPECT_THROW(static_cast<void>(fill_group(place_of(128), 0, own, lazy)), Error);
}

}  // namespace
}  // namespace quire::sion::chunk_sizes_test
