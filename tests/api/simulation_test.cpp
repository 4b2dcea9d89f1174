// Made-up steps are planned kind by kind: exactly what planning every rank by itself gives, for any number of them.

#include "quire/api/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "support/sample.hpp"
#include "support/workloads.hpp"

namespace quire::test {
namespace {

class Keeper final : public PlanSink {
 public:
  void add(int rank, std::span<const ExtentTrain> extents) override {
    EXPECT_EQ(rank, static_cast<int>(ranks.size()));
    ranks.push_back(extents_of(extents));
    std::ranges::sort(ranks.back(), {}, &Extent::offset);
  }
  std::vector<std::vector<Extent>> ranks;
};

/// What is planned, or why not.
struct Outcome {
  std::vector<std::vector<Extent>> ranks;
  StepFrame frame;
  std::string error;
};

template <class Plan>
Outcome planned(Plan&& plan) {
  Outcome outcome;
  Keeper keeper;
  try {
    outcome.frame = plan(keeper);
    outcome.ranks = std::move(keeper.ranks);
  } catch (const Error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

class Kinds : public testing::TestWithParam<Variant> {};

TEST_P(Kinds, ArePlannedLikeEveryRankByItself) {
  const WriteOptions options = GetParam().write_options();
  for (const NamedWorkload& named : workloads()) {
    if (!fits(named, *GetParam().format)) continue;
    for (const int ranks : {1, 2, 3, 4, 5, 8, 13, 60}) {
      Workload workload = named.make(ranks);
      SCOPED_TRACE(named.name + " on " + std::to_string(ranks) + " ranks");
      WriteSimulation by_kind({}, ranks, options);
      WriteSimulation by_rank({}, ranks, options);
      for (std::int64_t number = 0; number < possible_steps(*GetParam().format, 2); ++number) {
        workload.set_number(number);
        const Outcome kinds = planned([&](PlanSink& sink) { return by_kind.next(workload, sink); });
        const Outcome each = planned([&](PlanSink& sink) {
          const auto part = [&](int rank) { return workload.part(rank, true); };
          return by_rank.next(part, sink);
        });
        EXPECT_EQ(kinds.error, each.error);
        ASSERT_EQ(kinds.ranks.size(), each.ranks.size());
        for (std::size_t rank = 0; rank < each.ranks.size(); ++rank) {
          ASSERT_EQ(kinds.ranks[rank], each.ranks[rank]) << "rank " << rank << ", step " << number;
        }
        EXPECT_EQ(kinds.frame.guard, each.frame.guard);
        EXPECT_EQ(kinds.frame.publication, each.frame.publication);
        EXPECT_EQ(kinds.frame.end, each.frame.end);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, Kinds, testing::ValuesIn(variants_without_streams()),
                         [](const auto& chosen) { return chosen.param.name(); });

TEST(BalancedGrid, HasAllRanksAndIsFlat) {
  EXPECT_EQ(balanced_grid(1000000, 3), (std::vector<std::uint64_t>{100, 100, 100}));
  EXPECT_EQ(balanced_grid(12, 2), (std::vector<std::uint64_t>{4, 3}));
  EXPECT_EQ(balanced_grid(7, 3), (std::vector<std::uint64_t>{7, 1, 1}));
  EXPECT_EQ(balanced_grid(1, 2), (std::vector<std::uint64_t>{1, 1}));
}

/// A million ranks: what does not depend on time.
class Million : public testing::TestWithParam<std::tuple<std::string, Variant>> {};

TEST_P(Million, RanksAreCountedAndTheirBytesAddUp) {
  const auto& [name, variant] = GetParam();
  constexpr int ranks = 1000000;
  const Workload workload = workload_named(name).make(ranks);
  const SimulationReport report = simulate({}, variant.write_options(), workload, 1, {});
  EXPECT_EQ(report.survey.bytes_of_rank.count, static_cast<std::uint64_t>(ranks));
  EXPECT_EQ(report.survey.requests_of_rank.count, static_cast<std::uint64_t>(ranks));
  EXPECT_GE(report.survey.bytes, report.payload);
  EXPECT_GE(report.survey.file_bytes, report.payload);
  std::uint64_t bytes = 0;
  std::uint64_t requests = 0;
  for (const SizeClass& size : report.survey.sizes) {
    bytes += size.bytes;
    requests += size.requests;
  }
  EXPECT_EQ(bytes, report.survey.bytes);
  EXPECT_EQ(requests, report.survey.requests);
  std::uint64_t stored = 0;
  for (const Load& target : report.survey.targets) stored += target.bytes;
  EXPECT_EQ(stored, report.survey.bytes);
}

INSTANTIATE_TEST_SUITE_P(Formats, Million, testing::ValuesIn(million_cases()), [](const auto& chosen) {
  return std::get<0>(chosen.param) + "_" + std::get<1>(chosen.param).name();
});

}  // namespace
}  // namespace quire::test
