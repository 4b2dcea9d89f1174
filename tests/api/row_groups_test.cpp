// Rows that are encoded together: their owners; every group has the right rows, for any number of ranks.

#include "api/write/row_groups.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "quire/base/error.hpp"

namespace quire::test::row_groups_test {
namespace {

/// Encodes a group as its values, with a length that no other column has.
class PlainPacker final : public RowGroupCodec {
 public:
  [[nodiscard]] Grouping grouping(const StepDescription&, std::size_t) const override { return {}; }
  [[nodiscard]] Extent open_group(const StepDescription&, std::size_t, std::size_t) const override { return {}; }
  [[nodiscard]] std::vector<std::byte> unpack_group(const StepDescription&, std::size_t, std::size_t,
                                                    std::span<const std::byte> bytes) const override {
    return {bytes.begin(), bytes.end()};
  }
  [[nodiscard]] PackedGroup pack_group(const StepDescription&, std::size_t, std::size_t,
                                       std::span<const std::byte> values) const override {
    return {.length = values.size(), .bytes = {values.begin(), values.end()}};
  }
};

Column column(std::string name, Type type) {
  Column result;
  result.name = std::move(name);
  result.type = type;
  return result;
}

StepDescription step_of(std::uint64_t rows) {
  StepDescription step;
  step.tables.push_back({.name = {}, .rows = rows, .columns = {column("a", Type::int64), column("b", Type::int16)}});
  return step;
}

/// Rows [first, first + rows) of both columns; the first one in memory of another type.
struct Values {
  Values(std::uint64_t first, std::uint64_t rows) : a(rows), b(rows) {
    std::iota(a.begin(), a.end(), static_cast<std::int32_t>(first));
    std::iota(b.begin(), b.end(), static_cast<std::int16_t>(first * 2));
  }
  [[nodiscard]] std::vector<ConstView> views(std::uint64_t from, std::uint64_t rows) const {
    return {ConstView(a).part(from, rows), ConstView(b).part(from, rows)};
  }
  std::vector<std::int32_t> a;
  std::vector<std::int16_t> b;
};

std::vector<std::int64_t> numbers(const PackedGroup& group) {
  std::vector<std::int64_t> result(group.bytes.size() / sizeof(std::int64_t));
  std::memcpy(result.data(), group.bytes.data(), group.bytes.size());
  return result;
}

/// The rank that has begun the group of a row: the one with its first row; open rows belong to rank 0.
int owner(const std::vector<std::uint64_t>& counts, const Grouping& grouping, std::uint64_t row) {
  const std::uint64_t position = (grouping.open_rows + row) / grouping.rows * grouping.rows;
  if (position < grouping.open_rows) return 0;
  std::uint64_t first = position - grouping.open_rows;
  int rank = 0;
  while (first >= counts[static_cast<std::size_t>(rank)]) first -= counts[static_cast<std::size_t>(rank++)];
  return rank;
}

/// All groups of column a, encoded by ranks with these rows, in blocks of some rows.
std::vector<std::vector<std::int64_t>> encoded(const std::vector<std::uint64_t>& counts, const Grouping& grouping,
                                               std::uint64_t block) {
  const PlainPacker planner;
  std::vector<StepDescription> steps;
  for (const std::uint64_t rows : counts) steps.push_back(step_of(rows));
  std::vector<RowGroups> ranks;
  std::uint64_t before = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    const GroupedRows rows{.grouping = grouping, .rank = static_cast<int>(r), .before = before, .mine = counts[r]};
    std::uint64_t front = 0;
    while (front < counts[r] && owner(counts, grouping, before + front) != rows.rank) ++front;
    EXPECT_EQ(rows.front(), front) << "rank " << r;
    EXPECT_EQ(rows.begins_group(), front < counts[r] || (r == 0 && grouping.open_rows > 0)) << "rank " << r;

    ranks.emplace_back(planner, steps[r], 0, rows, false, true);
    if (r == 0 && grouping.open_rows > 0) {
      std::vector<std::byte> a(grouping.open_rows * 8, std::byte{0xFF});
      ranks[0].begin_with({a, std::vector<std::byte>(grouping.open_rows * 2)});
    }
    const Values values(before, counts[r]);
    for (std::uint64_t at = 0; at < counts[r]; at += block) {
      ranks[r].add(values.views(at, std::min(block, counts[r] - at)));
    }
    if (front > 0) ranks[static_cast<std::size_t>(owner(counts, grouping, before))].complete(ranks[r].front_values());
    before += counts[r];
  }
  std::vector<std::vector<std::int64_t>> groups;
  for (RowGroups& rank : ranks) {
    rank.finish();
    const auto own = rank.take();
    EXPECT_EQ(own[0].size(), own[1].size());
    for (const PackedGroup& group : own[0]) groups.push_back(numbers(group));
  }
  return groups;
}

/// The expected values: open rows are -1, the others count from 0.
std::vector<std::vector<std::int64_t>> expected(std::uint64_t rows, const Grouping& grouping) {
  std::vector<std::vector<std::int64_t>> groups;
  for (std::uint64_t i = 0; i < grouping.open_rows + rows; ++i) {
    if (i % grouping.rows == 0) groups.emplace_back();
    groups.back().push_back(i < grouping.open_rows ? -1 : static_cast<std::int64_t>(i - grouping.open_rows));
  }
  return groups;
}

TEST(RowGroupsTest, EveryGroupHasItsRowsForAnyNumberOfRanks) {
  const std::vector<std::vector<std::uint64_t>> spreads{{0},           {1},           {23},        {0, 0, 0},
                                                        {8, 8, 7},     {23, 0, 0},    {0, 0, 23},  {0, 23, 0},
                                                        {1, 1, 1, 20}, {5, 0, 5, 13}, {4, 1, 0, 3}};
  for (const auto& counts : spreads) {
    const std::uint64_t rows = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    for (const std::uint64_t group : {1, 2, 5, 8, 23, 100}) {
      for (std::uint64_t open = 0; open < std::min<std::uint64_t>(group, 9); ++open) {
        for (const std::uint64_t block : {1, 4, 100}) {
          const Grouping grouping{.rows = group, .open_rows = open};
          EXPECT_EQ(encoded(counts, grouping, block), expected(rows, grouping))
              << counts.size() << " ranks, groups of " << group << ", " << open << " open, blocks of " << block;
        }
      }
    }
  }
}

TEST(RowGroupsTest, KeepsOnlyLengthsOfGroupsWithoutOthersRows) {
  const PlainPacker planner;
  const StepDescription step = step_of(10);
  RowGroups groups(planner, step, 0, {.grouping = {.rows = 4, .open_rows = 0}, .rank = 0, .before = 0, .mine = 10},
                   false, false);
  const Values values(0, 10);
  groups.add(values.views(0, 10));
  groups.complete({std::vector<std::byte>(8), std::vector<std::byte>(2)});
  groups.finish();
  const auto own = groups.take();
  ASSERT_EQ(own[0].size(), 3U);
  EXPECT_TRUE(own[0][0].bytes.empty());
  EXPECT_EQ(own[0][0].length, 32U);
  EXPECT_TRUE(own[0][1].bytes.empty());
  EXPECT_EQ(numbers(own[0][2]), (std::vector<std::int64_t>{8, 9, 0}));
  EXPECT_TRUE(groups.take()[0].empty());
}

TEST(RowGroupsTest, CountsValuesWithoutMemoryAsOnesThatDoNotShrink) {
  const PlainPacker planner;
  const StepDescription step = step_of(10);
  RowGroups groups(planner, step, 0, {.grouping = {.rows = 4, .open_rows = 0}, .rank = 1, .before = 2, .mine = 10},
                   false, false);
  const std::vector<ConstView> nothing{{Type::int64, nullptr, 10, 8}, {Type::int16, nullptr, 10, 2}};
  groups.add(nothing);
  groups.finish();
  const auto own = groups.take();
  ASSERT_EQ(own[1].size(), 2U);
  for (const PackedGroup& group : own[0]) EXPECT_EQ(group.length, 32U);
  for (const PackedGroup& group : own[1]) EXPECT_EQ(group.length, 8U);
}

TEST(RowGroupsTest, RefusesRowsThatAreNotItsOwn) {
  const PlainPacker planner;
  const StepDescription step = step_of(3);
  RowGroups groups(planner, step, 0, {.grouping = {.rows = 4, .open_rows = 0}, .rank = 0, .before = 0, .mine = 3},
                   false, true);
  const Values values(0, 4);
  EXPECT_THROW(groups.add(values.views(0, 4)), Error);
  groups.add(values.views(0, 3));
  EXPECT_THROW(groups.complete({std::vector<std::byte>(16), std::vector<std::byte>(4)}), Error);
}

TEST(RowGroupsTest, NamesTheRowThatDoesNotConvert) {
  const PlainPacker planner;
  StepDescription step = step_of(6);
  step.tables[0].columns[1].type = Type::int8;
  RowGroups groups(planner, step, 0, {.grouping = {.rows = 2, .open_rows = 0}, .rank = 0, .before = 0, .mine = 6},
                   false, true);
  Values values(0, 6);
  values.b = {0, 1, 2, 3, 4, 500};
  try {
    groups.add(values.views(0, 6));
    FAIL() << "500 is no int8";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::type);
    EXPECT_NE(std::string(error.what()).find("row 5"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace quire::test::row_groups_test
