// Scattered elements are read in plans of bounded size: each in one of them, with the result of an unbounded plan.

#include "format/element_reader.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "records/memory_file.hpp"
#include "support/random_bytes.hpp"

namespace quire::element_reader_test {
namespace {

using test::MemoryFile;

/// Rows of two columns in one run, and a third one in its own run; their values are the numbers of their rows.
struct Rows {
  explicit Rows(std::uint64_t count) : file(count * 20 + 100) {
    quire::Run both;
    both.offset = 4;
    both.records = count;
    both.record_bytes = 12;
    both.bytes = count * 12;
    both.cells = {{0, Type::float64}, {1, Type::int32}};
    quire::Run alone;
    alone.offset = 40 + both.bytes;
    alone.records = count;
    alone.record_bytes = 8;
    alone.bytes = count * 8;
    alone.cells = {{2, Type::float64}};
    for (std::uint64_t row = 0; row < count; ++row) {
      const auto number = static_cast<double>(row);
      const auto small = static_cast<std::int32_t>(row);
      std::memcpy(file.bytes().data() + both.offset + row * 12, &number, 8);
      std::memcpy(file.bytes().data() + both.offset + row * 12 + 8, &small, 4);
      std::memcpy(file.bytes().data() + alone.offset + row * 8, &number, 8);
    }
    place.runs = {both, alone};
  }

  MemoryFile file;
  Place place;
};

/// Reads no unwanted bytes.
constexpr SieveLimits exact{.free_gap = 0, .largest_gap = 0, .least_density = 1, .direct_from = 1};

SelectionWalk rows_of(const std::vector<std::uint64_t>& rows) {
  auto slices = std::make_shared<std::vector<Slice>>();
  for (const std::uint64_t row : rows) slices->push_back({row, 1});
  return SelectionWalk(std::move(slices));
}

TEST(ElementReader, ReadsEveryElementWhateverTheRoom) {
  test::Random random(21);
  Rows rows(300);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<std::uint64_t> wanted;
    for (std::uint64_t row = random.below(3); row < 300; row += random.between(1, 9)) wanted.push_back(row);
    std::vector<double> a(wanted.size(), -1);
    std::vector<std::int64_t> b(wanted.size(), -1);
    std::vector<double> c(wanted.size(), -1);
    const std::vector<ColumnTarget> columns{{0, a}, {1, b}, {2, c}};
    const SieveLimits limits = random.below(2) == 0 ? exact : SieveLimits{.free_gap = 30, .largest_gap = 30};
    ElementReader reader(rows.place, rows_of(wanted), columns, {}, false, limits);
    const PlanRoom room{.extents = random.between(1, 20), .encoder_extents = random.between(1, 7)};
    for (bool goes_on = true; goes_on;) {
      ReadPlan plan;
      goes_on = reader.add(plan, room);
      EXPECT_LE(plan.extents.size(), room.extents);
      coalesce(plan);
      rows.file.run(plan, random.between(12, 100));
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      ASSERT_EQ(a[i], static_cast<double>(wanted[i])) << trial;
      ASSERT_EQ(b[i], static_cast<std::int64_t>(wanted[i])) << trial;
      ASSERT_EQ(c[i], static_cast<double>(wanted[i])) << trial;
    }
  }
}

TEST(ElementReader, HoldsFewDecodersAtATime) {
  constexpr std::uint64_t count = 20000;
  Rows rows(2 * count);
  std::vector<std::uint64_t> wanted;
  for (std::uint64_t row = 0; row < count; ++row) wanted.push_back(2 * row);
  std::vector<double> a(count);
  std::vector<double> c(count);
  const std::vector<ColumnTarget> columns{{0, a}, {2, c}};
  ElementReader reader(rows.place, rows_of(wanted), columns, {}, false, exact);
  std::uint64_t extents = 0;
  for (bool goes_on = true; goes_on;) {
    ReadPlan plan;
    goes_on = reader.add(plan);
    std::uint64_t decoders = 0;
    for (const ReadExtent& extent : plan.extents) decoders += extent.target.index();
    EXPECT_LE(decoders * PlanRoom().encoder_extents + plan.extents.size() - decoders, PlanRoom().extents);
    extents += plan.extents.size();
  }
  EXPECT_EQ(extents, 2 * count);
}

TEST(ElementReader, LeavesWhatIsLongInOnePlan) {
  constexpr std::uint64_t count = 5 << 20;
  Place place;
  quire::Run run;
  run.records = 4 * count;
  run.record_bytes = 8;
  run.bytes = run.records * 8;
  run.cells = {{0, Type::float64}};
  place.runs = {run};
  std::vector<double> values(count);
  const std::vector<ColumnTarget> columns{{0, values}};
  // Blocks of 80 kB.
  const Hyperslab blocks{{0}, {40960}, {512}, {10240}};
  ElementReader reader(place, SelectionWalk({4 * count}, blocks), columns, {}, false);
  ReadPlan plan;
  EXPECT_FALSE(reader.add(plan, {.extents = 100}));
  EXPECT_EQ(plan.extents.size(), 512U);
}

}  // namespace
}  // namespace quire::element_reader_test
