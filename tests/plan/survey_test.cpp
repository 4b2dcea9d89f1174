#include "quire/spi/plan/survey.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "quire/base/error.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire::survey_test {
namespace {

TEST(Trains, AreTheirExtents) {
  const std::vector<ExtentTrain> trains{{100, 8, 32, 3}, {500, 4, 0, 1}};
  EXPECT_EQ(extents_of(std::span(trains)), (std::vector<Extent>{{100, 8}, {132, 8}, {164, 8}, {500, 4}}));
}

TEST(Survey, RefusesLayoutsThatAreNone) {
  EXPECT_THROW(WriteSurvey({.stripe_bytes = 0}, 1), Error);
  EXPECT_THROW(WriteSurvey({.stripes = 3, .targets = 2}, 1), Error);
  EXPECT_THROW(WriteSurvey({}, 0), Error);
}

/// Extents counted byte by byte.
struct Naive {
  std::map<std::uint64_t, std::uint64_t> targets;
  std::map<std::uint64_t, std::set<int>> units;  ///< that are touched, but not covered by one extent
  std::uint64_t crossings = 0;
  std::uint64_t bytes = 0;

  void add(int rank, const Extent& extent, const StorageLayout& layout) {
    bytes += extent.length;
    for (std::uint64_t at = extent.offset; at < extent.offset + extent.length; ++at) {
      const std::uint64_t local = offset_in(at);
      const std::uint64_t first = member_of(at) * layout.stripes;
      ++targets[(first + local / layout.stripe_bytes % layout.stripes) % layout.targets];
      units[at / layout.lock_bytes].insert(rank);
      if (at > extent.offset && local % layout.stripe_bytes == 0) ++crossings;
    }
  }
};

TEST(Survey, CountsWhatEveryByteSays) {
  std::mt19937 random(7);
  const auto upto = [&](std::uint64_t most) { return std::uniform_int_distribution<std::uint64_t>(0, most)(random); };
  for (int round = 0; round < 200; ++round) {
    const StorageLayout layout{.stripe_bytes = std::uint64_t{1} << (3 + upto(4)),
                               .stripes = 1 + upto(2),
                               .targets = 4,
                               .lock_bytes = std::uint64_t{1} << (2 + upto(6)),
                               .request_bytes = 1 + upto(40)};
    const int ranks = 1 + static_cast<int>(upto(5));
    WriteSurvey survey(layout, ranks);
    Naive naive;
    std::uint64_t at = upto(20);
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<ExtentTrain> trains;
      for (std::uint64_t i = upto(3); i > 0; --i) {
        ExtentTrain train{at, 1 + upto(40), 0, 1 + upto(5)};
        train.step = train.length + 1 + upto(20);
        at += train.step * train.count + upto(30);
        trains.push_back(train);
      }
      for (const Extent& extent : extents_of(std::span<const ExtentTrain>(trains))) naive.add(rank, extent, layout);
      survey.add(rank, trains);
    }
    const SurveyResult result = survey.result();
    EXPECT_EQ(result.bytes, naive.bytes);
    EXPECT_EQ(result.crossings, naive.crossings);
    for (std::size_t target = 0; target < result.targets.size(); ++target) {
      EXPECT_EQ(result.targets[target].bytes, naive.targets[target]);
    }
    std::uint64_t shared = 0;
    std::uint64_t conflicts = 0;
    std::size_t most = 0;
    for (const auto& [unit, touching] : naive.units) {
      if (touching.size() < 2) continue;
      ++shared;
      conflicts += touching.size() - 1;
      most = std::max(most, touching.size());
    }
    EXPECT_EQ(result.shared_units, shared);
    EXPECT_EQ(result.conflicts, conflicts);
    EXPECT_EQ(result.most_sharers, most);
    EXPECT_EQ(result.bytes_of_rank.count, static_cast<std::uint64_t>(ranks));
    EXPECT_EQ(result.bytes_of_rank.sum, naive.bytes);
    EXPECT_EQ(result.file_bytes == 0, naive.bytes == 0);
  }
}

TEST(Survey, CutsRequestsAndJoinsShortNeighbours) {
  WriteSurvey survey({.request_bytes = 100, .staging_bytes = 30, .join_below = 50}, 1);
  const std::vector<ExtentTrain> trains{
      {0, 250, 0, 1}, {250, 10, 0, 1}, {260, 10, 10, 3}, {1000, 60, 60, 2}, {2000, 60, 0, 1, true}};
  survey.add(0, trains);
  const SurveyResult result = survey.result();
  EXPECT_EQ(result.extents, 8U);
  // 250 ready bytes as 100, 100, 50; 40 short ones through the buffer as 30, 10; two of 60; 60 encoded ones as 30, 30.
  EXPECT_EQ(result.requests, 9U);
  ASSERT_EQ(result.sizes.size(), 4U);
  EXPECT_EQ(result.sizes[0].limit, 16U);
  EXPECT_EQ(result.sizes[0].requests, 1U);
  EXPECT_EQ(result.sizes[1].limit, 32U);
  EXPECT_EQ(result.sizes[1].requests, 3U);
  EXPECT_EQ(result.sizes[2].limit, 64U);
  EXPECT_EQ(result.sizes[2].requests, 3U);
  EXPECT_EQ(result.sizes[3].requests, 2U);
  EXPECT_EQ(result.sizes[3].bytes, 200U);
}

TEST(Survey, CutsRequestsOnPagesAndLetsTheLastOneTakeASmallRest) {
  WriteSurvey survey({.request_bytes = 65536, .join_below = 1}, 1);
  survey.add(0, std::vector<ExtentTrain>{{100, 3 * 65536 + 1000, 0, 1}, {1 << 20, 65536 + 8192, 0, 1}});
  const SurveyResult result = survey.result();
  // 65436 up to a page, one of 65536, and one with a rest of 1100; then one, and one of 8192, which is not small.
  EXPECT_EQ(result.requests, 5U);
  EXPECT_EQ(result.sizes.front().limit, 8192U);
  EXPECT_EQ(result.sizes.back().bytes, 65536U + 1100U);
}

TEST(Survey, CountsFilesOpensAndSizes) {
  WriteSurvey survey({.stripes = 2, .targets = 4}, 3);
  const std::uint64_t second = address_in(1, 0);
  survey.begin(0, 5000);
  survey.add_alone(std::vector<Extent>{{0, 10}});
  survey.add(0, std::vector<ExtentTrain>{{10, 10, 0, 1}});
  survey.add(1, {});
  survey.add(2, std::vector<ExtentTrain>{{20, 10, 0, 1}, {second + 3, 7, 0, 1}});
  survey.add_alone(std::vector<Extent>{{6000, 0}});
  const SurveyResult result = survey.result();
  EXPECT_EQ(result.files, 2U);
  EXPECT_EQ(result.file_bytes, 6010U);
  EXPECT_EQ(result.opens, 3U);
  EXPECT_EQ(result.writers, 2U);
  EXPECT_EQ(result.bytes_of_rank.most_at, 2U);
  EXPECT_EQ(result.bytes_of_rank.least, 0U);
  EXPECT_EQ(result.targets[2].bytes, 7U) << "the second file begins after the targets of the first";
}

TEST(Survey, GivesAggregatorsTheirParts) {
  StorageLayout layout{.stripe_bytes = 100, .aggregators = 2};
  WriteSurvey domains(layout, 4);
  domains.begin(0, 800);
  for (int rank = 0; rank < 4; ++rank) {
    domains.add(rank, std::vector<ExtentTrain>{{static_cast<std::uint64_t>(rank) * 200, 200, 0, 1}});
  }
  SurveyResult result = domains.result();
  ASSERT_EQ(result.aggregators.size(), 2U);
  EXPECT_EQ(result.aggregators[0].bytes, 400U);
  EXPECT_EQ(result.aggregators[1].bytes, 400U);
  // Ranks 0 and 2 aggregate.
  EXPECT_EQ(result.message_bytes, 400U);
  layout = {.ranks_per_node = 3};
  WriteSurvey nodes(layout, 4);
  for (int rank = 0; rank < 4; ++rank) {
    nodes.add(rank, std::vector<ExtentTrain>{{static_cast<std::uint64_t>(rank) * 200, 200, 0, 1}});
  }
  result = nodes.result();
  ASSERT_EQ(result.aggregators.size(), 2U);
  EXPECT_EQ(result.aggregators[0].bytes, 600U);
  EXPECT_EQ(result.messages, 2U);
}

TEST(Survey, EstimatesConflictsFromASampleOfLockUnits) {
  WriteSurvey survey({.stripe_bytes = 64, .lock_entries = 4096}, 100000);
  for (int rank = 0; rank < 100000; ++rank) {
    survey.add(rank, std::vector<ExtentTrain>{{static_cast<std::uint64_t>(rank) * 96, 96, 0, 1}});
  }
  // 96 bytes in units of 64: every third edge lies on a unit's end.
  const SurveyResult result = survey.result();
  EXPECT_LT(result.sampled, 0.1);
  EXPECT_NEAR(static_cast<double>(result.conflicts), 50000, 10000);
}

}  // namespace
}  // namespace quire::survey_test
