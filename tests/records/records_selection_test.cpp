// Selections compared with the obvious definition: sets of elements.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "format/records.hpp"
#include "quire/base/error.hpp"
#include "records/memory_file.hpp"
#include "support/random_bytes.hpp"

namespace quire::records_selection_test {
namespace {

using test::MemoryFile;
using Elements = std::vector<std::uint64_t>;

Elements elements_of(const Elements& extents, const Hyperslab& slab) {
  Elements result{0};
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    Elements finer;
    for (const std::uint64_t outer : result) {
      for (std::uint64_t i = 0; i < slab.count[axis]; ++i) {
        for (std::uint64_t k = 0; k < slab.block[axis]; ++k) {
          finer.push_back(outer * extents[axis] + slab.start[axis] + i * slab.stride[axis] + k);
        }
      }
    }
    result = finer;
  }
  return result;
}

Elements elements_of(const Elements& extents, const Selection& selection) {
  Elements all;
  for (const Hyperslab& slab : selection.parts()) {
    const Elements some = elements_of(extents, slab);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::ranges::sort(all);
  return all;
}

Elements walked(const Elements& extents, const Selection& selection) {
  Elements elements;
  SelectionWalk walk(extents, selection);
  while (const auto line = walk.next()) {
    EXPECT_GT(line->count, 0U);
    for (std::uint64_t i = 0; i < line->count; ++i) elements.push_back(line->first + i * line->step);
  }
  EXPECT_EQ(walk.elements(), elements.size());
  return elements;
}

Elements random_extents(test::Random& random, std::uint64_t longest) {
  Elements extents;
  const std::size_t axes = random.between(1, 3);
  for (std::size_t axis = 0; axis < axes; ++axis) extents.push_back(random.between(1, longest));
  return extents;
}

Hyperslab random_slab(test::Random& random, const Elements& extents) {
  Hyperslab slab;
  for (const std::uint64_t extent : extents) {
    const std::uint64_t start = random.below(extent);
    const std::uint64_t block = random.between(1, std::min<std::uint64_t>(3, extent - start));
    const std::uint64_t stride = block + random.below(3);
    slab.start.push_back(start);
    slab.block.push_back(block);
    slab.stride.push_back(stride);
    slab.count.push_back(random.below(1 + (extent - start - block) / stride + 1));
  }
  return slab;
}

/// Random disjoint parts.
Selection random_selection(test::Random& random, const Elements& extents) {
  std::vector<Hyperslab> parts;
  Elements taken;
  for (std::uint64_t i = random.between(1, 4); i > 0; --i) {
    Hyperslab slab = random_slab(random, extents);
    Elements more = elements_of(extents, slab);
    Elements both;
    std::ranges::sort(taken);
    std::ranges::set_intersection(taken, more, std::back_inserter(both));
    if (!both.empty()) continue;
    taken.insert(taken.end(), more.begin(), more.end());
    parts.push_back(std::move(slab));
  }
  return Selection(std::move(parts));
}

/// A memory selection with as many elements: every element of a box in the middle of a larger array, or every second.
MemorySelection random_memory(test::Random& random, std::uint64_t elements) {
  const std::uint64_t step = random.between(1, 2);
  std::uint64_t inner = 1;
  for (const std::uint64_t divisor : {2, 3, 5, 7}) {
    if (elements % divisor == 0) inner = divisor;
  }
  const std::uint64_t outer = elements / inner;
  return {.extents = {outer + 2, inner * step + 3},
          .selection = Hyperslab{.start = {1, 2}, .stride = {1, step}, .count = {outer, inner}, .block = {1, 1}}};
}

quire::Run run_of(std::uint64_t records, std::uint64_t offset, std::vector<Cell> cells, ByteOrder order) {
  quire::Run run;
  run.offset = offset;
  run.records = records;
  for (const Cell& cell : cells) run.record_bytes += size_of(cell.type);
  run.bytes = records * run.record_bytes;
  run.order = order;
  run.cells = std::move(cells);
  return run;
}

TEST(SelectionWalk, GoesThroughTheElementsInOrder) {
  test::Random random(3);
  for (int trial = 0; trial < 3000; ++trial) {
    const Elements extents = random_extents(random, 9);
    const Selection selection = random_selection(random, extents);
    ASSERT_EQ(walked(extents, selection), elements_of(extents, selection)) << trial;
  }
}

TEST(SelectionWalk, MakesLongLinesOfWhatLiesRegularly) {
  const auto lines = [](const Elements& extents, const Selection& selection) {
    std::vector<Line> all;
    SelectionWalk walk(extents, selection);
    while (const auto line = walk.next()) all.push_back(*line);
    return all;
  };
  EXPECT_EQ(lines({4, 5, 6}, whole({4, 5, 6})), (std::vector<Line>{{0, 1, 120}}));
  EXPECT_EQ(lines({4, 5, 6}, Box{{1, 0, 0}, {2, 5, 6}}), (std::vector<Line>{{30, 1, 60}}));
  EXPECT_EQ(lines({100, 4}, Hyperslab{{0, 1}, {}, {100, 1}, {}}), (std::vector<Line>{{1, 4, 100}}));
  EXPECT_EQ(lines({40}, Hyperslab{{3}, {5}, {7}, {}}), (std::vector<Line>{{3, 5, 7}}));
  EXPECT_EQ(lines({40}, Hyperslab{{3}, {5}, {7}, {5}}), (std::vector<Line>{{3, 1, 35}}));
  const Selection halves(std::vector<Hyperslab>{{{2, 0}, {}, {2, 8}, {}}, {{0, 0}, {}, {2, 8}, {}}});
  EXPECT_EQ(lines({4, 8}, halves), (std::vector<Line>{{0, 1, 32}})) << "in the order of the file, joined";
  EXPECT_TRUE(lines({4, 8}, Selection{}).empty());
}

TEST(SelectionWalk, RefusesWhatDoesNotFit) {
  const Elements extents{4, 8};
  const auto walk = [&](const Selection& selection) { (void)walked(extents, selection); };
  EXPECT_THROW(walk(Box{{0}, {4}}), Error);
  EXPECT_THROW(walk(Box{{0, 1}, {4, 8}}), Error);
  EXPECT_THROW(walk(Box{{0, UINT64_MAX}, {4, 2}}), Error);
  EXPECT_THROW(walk(Box{{5, 0}, {0, 0}}), Error);
  EXPECT_THROW(walk(Hyperslab{{0, 0}, {1, 2}, {1, 2}, {1, 3}}), Error) << "blocks that overlap";
  EXPECT_THROW(walk(Hyperslab{{0, 0}, {1, 0}, {1, 2}, {}}), Error);
  EXPECT_THROW(walk(Hyperslab{{0, 0}, {1, 4}, {1, 3}, {}}), Error);
  EXPECT_THROW(walk(Hyperslab{{0, 0}, {1, UINT64_MAX}, {1, 2}, {}}), Error);
  EXPECT_THROW(walk(Hyperslab{{0, 0}, {1}, {1, 2}, {}}), Error);
  EXPECT_THROW(walk(Selection(std::vector<Hyperslab>{{{0, 0}, {}, {2, 3}, {}}, {{1, 2}, {}, {2, 3}, {}}})), Error)
      << "parts that share an element";
  EXPECT_NO_THROW(walk(Hyperslab{{0, 7}, {1, 0}, {4, 1}, {}}));
}

/// Random extents and a selection in them, and memory for its elements: packed, or with its own selection.
struct Trial {
  explicit Trial(test::Random& random)
      : extents(random_extents(random, 12)),
        records(volume(extents)),
        selection(random_selection(random, extents)),
        wanted(elements_of(extents, selection)),
        packed(random.below(2) == 0 || wanted.empty()),
        memory(packed ? MemorySelection{} : random_memory(random, wanted.size())),
        places(packed ? Elements() : elements_of(memory.extents, memory.selection)),
        values(packed ? wanted.size() : volume(memory.extents)) {}

  /// Where the i-th element of the selection is in memory.
  [[nodiscard]] std::size_t place(std::size_t i) const { return packed ? i : places[i]; }

  Elements extents;
  std::uint64_t records;
  Selection selection;
  Elements wanted;  ///< elements of the selection, ascending
  bool packed;
  MemorySelection memory;
  Elements places;
  std::uint64_t values;  ///< that memory holds
};

struct Sieving {
  const char* name;
  SieveLimits limits;
};
constexpr std::array sievings{
    Sieving{"presets", {}}, Sieving{"never", {.free_gap = 0, .largest_gap = 0, .least_density = 1, .direct_from = 1}},
    Sieving{"sparse", {.free_gap = 0, .largest_gap = 64, .least_density = 2, .direct_from = 64}}};

/// Reads a selection from a file: every kind of place, memory and sieve.
TEST(Selections, AreReadWherevertheyLieInFileAndMemory) {
  test::Random random(5);
  for (int number = 0; number < 1500; ++number) {
    const Trial trial(random);

    // Two interleaved columns and one of its own, of which the second is converted and the last is in other order.
    MemoryFile file(trial.records * 16 + 100);
    const quire::Run both = run_of(trial.records, 3, {{0, Type::int32}, {1, Type::int16}}, native_order);
    const ByteOrder other = native_order == ByteOrder::little ? ByteOrder::big : ByteOrder::little;
    const quire::Run alone = run_of(trial.records, both.offset + both.bytes, {{2, Type::int64}}, other);
    for (std::uint64_t i = 0; i < trial.records; ++i) {
      const auto a = static_cast<std::int32_t>(i);
      const auto b = static_cast<std::int16_t>(i + 1000);
      std::memcpy(file.bytes().data() + both.offset + i * 6, &a, 4);
      std::memcpy(file.bytes().data() + both.offset + i * 6 + 4, &b, 2);
      store(file.bytes().data() + alone.offset + i * 8, static_cast<std::int64_t>(i + 2000), other);
    }
    std::vector<std::int32_t> a(trial.values, -1);
    std::vector<double> b(trial.values, -1);
    std::vector<std::int64_t> c(trial.values, -1);
    const std::vector<ColumnTarget> columns{{0, a}, {1, b}, {2, c}};
    const Sieving& sieving = sievings.at(random.below(sievings.size()));
    ReadPlan plan;
    add_selection(plan, Place{{both, alone}}, SelectionWalk(trial.extents, trial.selection), columns, trial.memory,
                  false, sieving.limits);
    coalesce(plan);
    file.run(plan, random.between(8, 100));
    for (std::size_t i = 0; i < trial.wanted.size(); ++i) {
      const std::size_t at = trial.place(i);
      ASSERT_EQ(a[at], static_cast<std::int32_t>(trial.wanted[i])) << number << ' ' << sieving.name;
      ASSERT_EQ(b[at], static_cast<double>(trial.wanted[i] + 1000)) << number << ' ' << sieving.name;
      ASSERT_EQ(c[at], static_cast<std::int64_t>(trial.wanted[i] + 2000)) << number << ' ' << sieving.name;
    }
    ASSERT_EQ(static_cast<std::uint64_t>(std::ranges::count(c, -1)), trial.values - trial.wanted.size())
        << "memory between them";
  }
}

TEST(Selections, AreWrittenFromWhereverTheyLieAndNothingElseIs) {
  test::Random random(6);
  for (int number = 0; number < 1500; ++number) {
    const Trial trial(random);
    const bool converted = random.below(2) == 0;

    std::vector<double> doubles(trial.values,
                                0.5);  // between what is selected: no integers, so that they cannot be written
    std::vector<std::int64_t> integers(trial.values, -7);
    for (std::size_t i = 0; i < trial.wanted.size(); ++i) {
      doubles[trial.place(i)] = static_cast<double>(trial.wanted[i] + 1);
      integers[trial.place(i)] = static_cast<std::int64_t>(trial.wanted[i] + 1);
    }
    MemoryFile file(trial.records * 8 + 10);
    std::ranges::fill(file.bytes(), std::byte{0});
    const quire::Run run = run_of(trial.records, 5, {{0, Type::int64}}, native_order);
    WritePlan plan;
    const ConstView view = converted ? ConstView(doubles) : ConstView(integers);
    add_selection(plan, run, SelectionWalk(trial.extents, trial.selection), view, trial.memory);
    coalesce(plan);
    ASSERT_EQ(plan.bytes(), trial.wanted.size() * 8);
    file.run(plan, random.between(3, 100));
    for (std::uint64_t i = 0; i < trial.records; ++i) {
      std::int64_t found = 0;
      std::memcpy(&found, file.bytes().data() + 5 + i * 8, 8);
      const bool is_selected = std::ranges::binary_search(trial.wanted, i);
      ASSERT_EQ(found, is_selected ? static_cast<std::int64_t>(i + 1) : 0) << number << " element " << i;
    }
  }
}

TEST(Selections, OfSmallGapsAreOneSieve) {
  std::vector<double> values(1000);
  const quire::Run run = run_of(100000, 0, {{0, Type::float64}}, native_order);
  const auto extents_for = [&](std::uint64_t stride, std::uint64_t block, const SieveLimits& limits) {
    ReadPlan plan;
    const Selection rows = Hyperslab{{0}, {stride}, {1000 / block}, {block}};
    const std::vector<ColumnTarget> columns{{0, values}};
    add_selection(plan, Place{{run}}, SelectionWalk({100000}, rows), columns, {}, false, limits);
    return extents_of(plan);
  };
  const SieveLimits strict{.free_gap = 72, .largest_gap = 800, .least_density = 4, .direct_from = 1 << 20};
  EXPECT_EQ(extents_for(10, 1, strict), (std::vector<Extent>{{0, 999 * 80 + 8}}));
  EXPECT_EQ(extents_for(11, 1, strict).size(), 1000U) << "gaps beyond the free ones, too thinly wanted";
  EXPECT_EQ(extents_for(100, 50, strict), (std::vector<Extent>{{0, 19 * 800 + 400}})) << "half of it is wanted";
  EXPECT_EQ(extents_for(200, 50, strict).size(), 20U) << "gaps beyond the largest";
  SieveLimits direct = strict;
  direct.direct_from = 400;
  EXPECT_EQ(extents_for(100, 50, direct).size(), 20U) << "long parts go straight to memory";
}

TEST(Selections, OfAPackedRunGoStraightFromMemory) {
  const std::vector<double> ghosted(10 * 10);
  const quire::Run run = run_of(8 * 8, 64, {{0, Type::float64}}, native_order);
  WritePlan plan;
  const MemorySelection inner{.extents = {10, 10}, .selection = Box{{1, 1}, {8, 8}}};
  add_selection(plan, run, SelectionWalk({8, 8}, whole({8, 8})), ghosted, inner);
  EXPECT_EQ(plan.extents.size(), 1U) << "small lines are gathered";
  plan = {};
  add_selection(plan, run, SelectionWalk({8, 8}, Box{{0, 0}, {8, 4}}), ghosted,
                {.extents = {10, 10}, .selection = Box{{1, 1}, {8, 4}}});
  ASSERT_EQ(plan.extents.size(), 8U);
  EXPECT_EQ(std::get<const std::byte*>(plan.extents[1].source),
            reinterpret_cast<const std::byte*>(ghosted.data() + 2 * 10 + 1));
}

TEST(Selections, NameWhatIsWrongWithMemory) {
  std::vector<double> values(6);
  const quire::Run run = run_of(20, 0, {{0, Type::float64}}, native_order);
  const std::vector<ColumnTarget> columns{{0, values, "phi"}};
  ReadPlan plan;
  const SelectionWalk six({20}, Box{{0}, {6}});
  EXPECT_THROW(add_selection(plan, Place{{run}}, SelectionWalk({20}, Box{{0}, {7}}), columns, {}, false), Error);
  EXPECT_THROW(add_selection(plan, Place{{run}}, six, columns, {{6}, Box{{0}, {5}}}, false), Error);
  EXPECT_THROW(add_selection(plan, Place{{run}}, six, columns, {{8}, Box{{0}, {6}}}, false), Error);
  EXPECT_THROW(add_selection(plan, Place{{run}}, SelectionWalk({30}, Box{{20}, {6}}), columns, {}, false), Error);
}

}  // namespace
}  // namespace quire::records_selection_test
