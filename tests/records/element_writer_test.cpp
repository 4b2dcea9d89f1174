// Scattered elements in plans of bounded size: each in one of them, with the result of an unbounded plan.

#include "format/element_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "quire/base/error.hpp"
#include "records/memory_file.hpp"
#include "support/error_of.hpp"
#include "support/random_bytes.hpp"

namespace quire::element_writer_test {
namespace {

using test::MemoryFile;

/// Rows of a table with a number of eight bytes and one of two, in the other byte order.
quire::Run run_of(std::uint64_t records) {
  quire::Run run;
  run.offset = 24;
  run.records = records;
  run.record_bytes = 10;
  run.bytes = records * run.record_bytes;
  run.order = native_order == ByteOrder::little ? ByteOrder::big : ByteOrder::little;
  run.cells = {{0, Type::float64}, {1, Type::int16}};
  return run;
}

std::vector<ElementPiece> all_pieces(ElementPieces pieces, const PlanRoom& each, std::uint64_t* plans = nullptr) {
  std::vector<ElementPiece> all;
  while (!pieces.is_done()) {
    PlanRoom room = each;
    const std::vector<ElementPiece> some = pieces.next(room);
    EXPECT_FALSE(some.empty());
    all.insert(all.end(), some.begin(), some.end());
    if (plans != nullptr) ++*plans;
  }
  return all;
}

std::vector<std::uint64_t> elements_of(const std::vector<ElementPiece>& pieces) {
  std::vector<std::uint64_t> elements;
  for (const ElementPiece& piece : pieces) {
    for (std::uint64_t i = 0; i < piece.elements.count; ++i) elements.push_back(piece.elements.first + i);
  }
  return elements;
}

SelectionWalk rows_of(std::vector<Slice> rows) {
  return SelectionWalk(std::make_shared<const std::vector<Slice>>(std::move(rows)));
}

TEST(ElementPieces, GiveEveryElementOnceWhateverTheRoom) {
  test::Random random(11);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<Slice> rows;
    std::vector<std::uint64_t> wanted;
    std::uint64_t next = 0;
    for (std::uint64_t i = random.between(1, 30); i > 0; --i) {
      rows.push_back({next + random.between(1, 3), random.between(1, 40)});
      next = rows.back().end();
      for (std::uint64_t row = rows.back().first; row < next; ++row) wanted.push_back(row);
    }
    const PlanRoom room{.extents = random.between(1, 20),
                        .bytes = random.between(1, 200),
                        .encoder_extents = random.between(1, 9),
                        .encoded_from = random.between(0, 300)};
    const ElementPieces pieces(rows_of(rows), random.between(1, 3), random.between(1, 24));
    ASSERT_EQ(elements_of(all_pieces(pieces, room)), wanted) << trial;
  }
}

TEST(ElementPieces, TakeNoMoreThanTheRoomOfAPlan) {
  const SelectionWalk every_third({300000}, Hyperslab{{0}, {3}, {100000}, {}});
  std::uint64_t plans = 0;
  const ElementPieces pieces(every_third, 2, 16);
  EXPECT_EQ(all_pieces(pieces, {}, &plans).size(), 100000U);
  EXPECT_EQ(plans, 100000U / 2048 + 1) << "two columns: 2048 rows a plan";

  plans = 0;
  const ElementPieces wide(every_third, 2, 2000);
  EXPECT_EQ(all_pieces(wide, {}, &plans).size(), 100000U);
  EXPECT_EQ(plans, 100000U / (1048576 / 2000) + 1) << "a MiB a plan";
}

TEST(ElementPieces, LeaveToAnEncoderWhatIsLong) {
  const ElementPieces pieces(rows_of({{0, 100000000}, {200000000, 3}}), 4, 32);
  const std::vector<ElementPiece> all = all_pieces(pieces, {});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_FALSE(all[0].is_gathered);
  EXPECT_TRUE(all[1].is_gathered);
}

// With an encoder for each of many columns there is no room for a second piece, but for the whole first one.
TEST(ElementPieces, LeaveToAnEncoderWhatIsLongInManyPlaces) {
  std::uint64_t plans = 0;
  const ElementPieces pieces(rows_of({{0, 1000000}, {2000000, 1000000}}), 300, 2400);
  const std::vector<ElementPiece> all = all_pieces(pieces, {}, &plans);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].elements.count, 1000000U);
  EXPECT_EQ(plans, 2U);
}

TEST(ElementPieces, GoOnWhereAnElementIsLargerThanThePlan) {
  std::uint64_t plans = 0;
  const ElementPieces pieces(rows_of({{0, 5}}), 100000, 800000000);
  EXPECT_EQ(elements_of(all_pieces(pieces, {}, &plans)), (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
  EXPECT_LE(plans, 5U);
}

/// Values of both columns for single rows, in random order.
struct Trial {
  explicit Trial(test::Random& random) : run(run_of(random.between(50, 400))) {
    for (std::uint64_t row = 0; row < run.records; ++row) {
      if (random.below(3) != 0) chosen.push_back(row);
    }
    std::vector<std::size_t> order(chosen.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    numbers.resize(chosen.size());
    small.resize(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      numbers[order[i]] = 0.5 + static_cast<double>(chosen[i]);
      small[order[i]] = static_cast<int>(chosen[i]);
    }
    source.views = {ConstView(numbers), ConstView(small)};
    source.order = std::make_shared<const std::vector<std::size_t>>(std::move(order));
  }

  [[nodiscard]] SelectionWalk walk() const {
    std::vector<Slice> rows;
    for (const std::uint64_t row : chosen) rows.push_back({row, 1});
    return rows_of(rows);
  }

  quire::Run run;
  std::vector<std::uint64_t> chosen;
  std::vector<double> numbers;
  std::vector<int> small;  ///< of another type than the file's
  ElementSource source;
};

const std::vector<std::string> names{"x", "k"};

TEST(ElementWriter, PutsValuesInAnyOrderWhereTheyBelong) {
  test::Random random(12);
  for (int trial = 0; trial < 200; ++trial) {
    const Trial one(random);
    MemoryFile file(24 + one.run.bytes);
    ElementPieces pieces(one.walk(), 2, one.run.record_bytes);
    ElementWriter writer(one.run, one.source, one.chosen.size(), false, names);
    const PlanRoom each{.extents = random.between(1, 50),
                        .bytes = random.between(1, 500),
                        .encoder_extents = 3,
                        .encoded_from = random.between(0, 60)};
    while (!pieces.is_done()) {
      PlanRoom room = each;
      WritePlan plan;
      writer.add(plan, pieces.next(room));
      coalesce(plan);
      file.run(plan, random.between(1, 33));
    }
    std::vector<std::byte> wanted(24 + one.run.bytes, std::byte{0xcc});
    for (const std::uint64_t row : one.chosen) {
      std::byte* place = wanted.data() + 24 + row * 10;
      store(place, 0.5 + static_cast<double>(row), one.run.order);
      store(place + 8, static_cast<std::int16_t>(row), one.run.order);
    }
    ASSERT_EQ(file.bytes(), wanted) << trial;
  }
}

TEST(ElementWriter, JoinsNeighboursOfAnyOrder) {
  const quire::Run run = run_of(1000);
  std::vector<double> numbers(1000, 1.0);
  std::vector<std::int16_t> small(1000, 1);
  auto order = std::make_shared<std::vector<std::size_t>>(1000);
  for (std::size_t i = 0; i < 1000; ++i) (*order)[i] = i * 387 % 1000;
  const ElementSource source{.views = {ConstView(numbers), ConstView(small)}, .memory = {}, .order = order};
  ElementWriter writer(run, source, 1000, false, names);
  ElementPieces pieces(rows_of({{0, 1000}}), 2, run.record_bytes);
  PlanRoom room;
  WritePlan plan;
  writer.add(plan, pieces.next(room));
  EXPECT_TRUE(pieces.is_done());
  EXPECT_EQ(plan.extents.size(), 1U);
}

TEST(ElementWriter, NamesTheRowOfTheFileThatDoesNotFit) {
  const quire::Run run = run_of(1000);
  std::vector<double> numbers(3, 1.0);
  std::vector<int> small{1, 2, 70000};
  const ElementSource source{.views = {ConstView(numbers), ConstView(small)}, .memory = {}, .order = {}};
  ElementWriter writer(run, source, 3, false, names);
  ElementPieces pieces(rows_of({{7, 1}, {77, 1}, {777, 1}}), 2, run.record_bytes);
  PlanRoom room;
  WritePlan plan;
  const auto error = test::error_of([&] { writer.add(plan, pieces.next(room)); });
  ASSERT_TRUE(error);
  EXPECT_NE(std::string(error->what()).find("777"), std::string::npos) << error->what();
}

TEST(ElementWriter, RejectsRowsBeyondTheRun) {
  const quire::Run run = run_of(10);
  std::vector<double> numbers(2, 1.0);
  std::vector<std::int16_t> small(2, 1);
  const ElementSource source{.views = {ConstView(numbers), ConstView(small)}, .memory = {}, .order = {}};
  ElementWriter writer(run, source, 2, false, names);
  WritePlan plan;
  EXPECT_THROW(writer.add(plan, std::array{ElementPiece{{9, 2}}}), Error);
}

}  // namespace
}  // namespace quire::element_writer_test
