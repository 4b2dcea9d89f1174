// Synthetic steps are planned kind by kind, with the same result as planning every rank, for any number of ranks.

#include "quire/spi/api/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "support/error_of.hpp"
#include "support/sample.hpp"
#include "support/workloads.hpp"

namespace quire::test::simulation_test {
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

/// The plan, or its error.
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

/// A table with one row on each rank, which it has chosen or not.
StepPart part_of_one_row(int rank, bool is_chosen) {
  static constexpr double x = 0.5;
  StepPart part;
  Table& table = part.description.tables.emplace_back();
  Column& column = table.columns.emplace_back();
  column.name = "x";
  column.type = Type::float64;
  part.tables = {{ConstView(std::span(&x, 1))}};
  part.string_bytes = {{0}};
  if (is_chosen) {
    const auto row = static_cast<std::uint64_t>(rank);
    part.chosen.emplace_back(SelectionWalk({row + 1}, Hyperslab{{row}, {}, {1}, {}}));
  } else {
    table.rows = 1;
  }
  return part;
}

TEST(Choices, AreMadeByEveryRankOrByNone) {
  std::size_t compared = 0;
  for (const Variant& variant : variants()) {
    SCOPED_TRACE(variant.name());
    const auto plan = [&](auto&& is_chosen) {
      WriteSimulation simulation({}, 3, variant.write_options());
      static_cast<void>(simulation.next([&](int rank) { return part_of_one_row(rank, is_chosen(rank)); }));
    };
    if (error_of([&] { plan([](int /*rank*/) { return true; }); })) continue;  // does not support chosen rows
    ++compared;
    const auto only_there = error_of([&] { plan([](int rank) { return rank == 2; }); });
    const auto not_there = error_of([&] { plan([](int rank) { return rank != 2; }); });
    ASSERT_TRUE(only_there && not_there);
    EXPECT_EQ(only_there->message(), "its rows are chosen here, but not on rank 0");
    EXPECT_EQ(not_there->message(), "its rows are chosen on rank 0, but not here");
    EXPECT_EQ(not_there->kind(), ErrorKind::conflict);
    EXPECT_EQ(not_there->rank(), 2);
  }
  EXPECT_GT(compared, 0U) << "no kind of file takes chosen rows";
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

/// A million ranks, without measuring time.
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
}  // namespace quire::test::simulation_test
