#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "format/records.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/endian.hpp"
#include "records/memory_file.hpp"
#include "support/random_bytes.hpp"

namespace quire::records_fixed_test {
namespace {

using test::MemoryFile;

Run fixed_run(const std::vector<Type>& types, std::uint64_t records, ByteOrder order, std::uint64_t offset) {
  quire::Run run;
  run.offset = offset;
  run.records = records;
  run.order = order;
  for (std::size_t i = 0; i < types.size(); ++i) {
    run.cells.push_back({i, types[i]});
    run.record_bytes += size_of(types[i]);
  }
  run.bytes = run.record_bytes * records;
  return run;
}

Place place_of(const Run& run) { return Place{{run}}; }

/// Three columns of a table with rows of 13 bytes.
struct Mixed {
  std::vector<double> x;
  std::vector<std::int32_t> id;
  std::vector<char> flag;

  explicit Mixed(std::size_t rows) : x(rows), id(rows), flag(rows) {
    for (std::size_t i = 0; i < rows; ++i) {
      x[i] = static_cast<double>(i) / 3.0 - 7.0;
      id[i] = static_cast<std::int32_t>(i * 2654435761U);
      flag[i] = static_cast<char>('a' + i % 26);
    }
  }
  [[nodiscard]] std::vector<ConstView> views() const { return {ConstView(x), ConstView(id), ConstView(flag)}; }
};

const std::vector<Type> mixed_types{Type::float64, Type::int32, Type::character};

/// The rows as specified, value by value.
std::vector<std::byte> expected_rows(const Mixed& data, ByteOrder order) {
  std::vector<std::byte> bytes(data.x.size() * 13);
  for (std::size_t i = 0; i < data.x.size(); ++i) {
    store(bytes.data() + i * 13, data.x[i], order);
    store(bytes.data() + i * 13 + 8, data.id[i], order);
    store(bytes.data() + i * 13 + 12, data.flag[i], order);
  }
  return bytes;
}

constexpr std::array<std::size_t, 7> piece_sizes{1, 12, 13, 100, 4096, 1000, 1 << 20};

TEST(FixedRecords, WrittenInPiecesOfAnySizeAreTheSameBytes) {
  const Mixed data(700);
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    const quire::Run run = fixed_run(mixed_types, 700, order, 371);
    for (const std::size_t piece : piece_sizes) {
      MemoryFile file(371 + run.bytes);
      WritePlan plan;
      EXPECT_EQ(add_rows(plan, run, 0, 700, data.views(), 0), run.bytes);
      EXPECT_EQ(extents_of(plan), (std::vector<Extent>{{371, run.bytes}}));
      file.run(plan, piece);
      const std::vector<std::byte> rows(file.bytes().begin() + 371, file.bytes().end());
      EXPECT_EQ(rows, expected_rows(data, order)) << "piece of " << piece;
      EXPECT_TRUE(std::all_of(file.bytes().begin(), file.bytes().begin() + 371,
                              [](std::byte byte) { return byte == std::byte{0xcc}; }));
    }
  }
}

TEST(FixedRecords, AnyPositionCanBeEncodedAlone) {
  const Mixed data(40);
  const quire::Run run = fixed_run(mixed_types, 40, ByteOrder::big, 0);
  WritePlan plan;
  add_rows(plan, run, 0, 40, data.views(), 0);
  const auto encoder = std::get<std::shared_ptr<Encoder>>(plan.extents.at(0).source);
  const std::vector<std::byte> expected = expected_rows(data, ByteOrder::big);
  test::Random random(1);
  for (int trial = 0; trial < 500; ++trial) {
    const std::size_t position = random.below(expected.size());
    std::vector<std::byte> out(random.between(1, expected.size() - position));
    const std::size_t made = encoder->encode(position, out);
    ASSERT_GE(made, 1U);
    ASSERT_LE(made, out.size());
    ASSERT_TRUE(std::equal(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(made),
                           expected.begin() + static_cast<std::ptrdiff_t>(position)))
        << position << " and " << made;
  }
}

TEST(FixedRecords, RowsOfSeveralRanksAreContiguous) {
  const Mixed data(100);
  const quire::Run run = fixed_run(mixed_types, 100, ByteOrder::little, 5);
  MemoryFile file(5 + run.bytes);
  for (const Slice part : {Slice{0, 33}, Slice{33, 0}, Slice{33, 60}, Slice{93, 7}}) {
    std::vector<ConstView> views;
    for (const ConstView& view : data.views()) views.push_back(view.part(part.first, part.count));
    WritePlan plan;
    add_rows(plan, run, part.first, part.count, views, 0);
    file.run(plan, 50);
  }
  EXPECT_EQ(std::vector<std::byte>(file.bytes().begin() + 5, file.bytes().end()),
            expected_rows(data, ByteOrder::little));
}

TEST(FixedRecords, SlicesAndColumnsAreReadInPiecesOfAnySize) {
  const Mixed data(700);
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    const Place place = place_of(fixed_run(mixed_types, 700, order, 99));
    MemoryFile file(99);
    const auto rows = expected_rows(data, order);
    file.bytes().insert(file.bytes().end(), rows.begin(), rows.end());
    for (const std::size_t piece : piece_sizes) {
      const Slice slice{17, 401};
      std::vector<double> x(slice.count);
      std::vector<char> flag(slice.count);
      const std::vector<ColumnTarget> targets{{2, View(flag)}, {0, View(x)}};
      ReadPlan plan;
      add_rows(plan, place, slice, targets, false);
      EXPECT_EQ(extents_of(plan), (std::vector<Extent>{{99 + 17 * 13, 401 * 13}}));
      file.run(plan, piece);
      EXPECT_TRUE(std::equal(x.begin(), x.end(), data.x.begin() + 17)) << "piece of " << piece;
      EXPECT_TRUE(std::equal(flag.begin(), flag.end(), data.flag.begin() + 17));
    }
  }
}

TEST(FixedRecords, ReadyBytesGoAsTheyAre) {
  const std::vector<double> values{1.0, 2.0, 3.0};
  const std::vector<ConstView> views{ConstView(values)};
  const quire::Run run = fixed_run({Type::float64}, 10, native_order, 64);
  WritePlan plan;
  EXPECT_EQ(add_rows(plan, run, 4, 3, views, 0), 56U);
  ASSERT_EQ(plan.extents.size(), 1U);
  EXPECT_EQ(std::get<const std::byte*>(plan.extents[0].source), reinterpret_cast<const std::byte*>(values.data()));
  EXPECT_EQ(plan.extents[0].offset, 64U + 32U);
  EXPECT_EQ(plan.extents[0].length, 24U);

  std::vector<double> out(3);
  ReadPlan read;
  add_rows(read, place_of(run), {4, 3}, std::vector<ColumnTarget>{{0, View(out)}}, false);
  ASSERT_EQ(read.extents.size(), 1U);
  EXPECT_EQ(std::get<std::byte*>(read.extents[0].target), reinterpret_cast<std::byte*>(out.data()));
}

TEST(FixedRecords, OtherOrderTypeOrStrideIsEncoded) {
  const std::vector<double> values{1.0, 2.0, 3.0, 4.0};
  const std::vector<long double> extended{1.0L, 2.0L};
  const auto other = native_order == ByteOrder::little ? ByteOrder::big : ByteOrder::little;
  const ConstView strided(Type::float64, reinterpret_cast<const std::byte*>(values.data()), 2, 16);
  struct Try {
    quire::Run run;
    ConstView view;
  };
  for (const Try& one : {Try{fixed_run({Type::float64}, 4, other, 0), ConstView(values)},
                         Try{fixed_run({Type::float32}, 4, native_order, 0), ConstView(values)},
                         Try{fixed_run({Type::float64}, 2, native_order, 0), strided},
                         Try{fixed_run({Type::float80}, 2, native_order, 0), ConstView(extended)}}) {
    WritePlan plan;
    add_rows(plan, one.run, 0, one.view.count, std::span(&one.view, 1), 0);
    ASSERT_EQ(plan.extents.size(), 1U);
    EXPECT_TRUE(std::holds_alternative<std::shared_ptr<Encoder>>(plan.extents[0].source));
  }
}

struct Particle {
  float x;
  std::int16_t id;
  double weight;
  bool operator==(const Particle&) const = default;
};

TEST(FixedRecords, StridedMemoryOfOtherTypesGoesThereAndBack) {
  constexpr std::size_t rows = 9000;  // more than one block of conversion
  std::vector<Particle> particles(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    particles[i] = {static_cast<float>(i) * 0.5F, static_cast<std::int16_t>(i), static_cast<double>(i) / 7.0};
  }
  const auto* memory = reinterpret_cast<const std::byte*>(particles.data());
  const std::vector<ConstView> views{
      ConstView(Type::float32, memory + offsetof(Particle, x), rows, sizeof(Particle)),
      ConstView(Type::int16, memory + offsetof(Particle, id), rows, sizeof(Particle)),
      ConstView(Type::float64, memory + offsetof(Particle, weight), rows, sizeof(Particle))};
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    const quire::Run run = fixed_run({Type::float64, Type::int64, Type::float64}, rows, order, 0);
    MemoryFile file(run.bytes);
    WritePlan plan;
    add_rows(plan, run, 0, rows, views, 0);
    file.run(plan, 5000);
    EXPECT_EQ(load<double>(file.bytes().data() + 24 * 8999, order), 8999 * 0.5);
    EXPECT_EQ(load<std::int64_t>(file.bytes().data() + 24 * 8999 + 8, order), 8999);

    std::vector<Particle> back(rows);
    auto* target = reinterpret_cast<std::byte*>(back.data());
    const std::vector<ColumnTarget> targets{
        {0, View(Type::float32, target + offsetof(Particle, x), rows, sizeof(Particle))},
        {1, View(Type::int16, target + offsetof(Particle, id), rows, sizeof(Particle))},
        {2, View(Type::float64, target + offsetof(Particle, weight), rows, sizeof(Particle))}};
    ReadPlan read;
    add_rows(read, place_of(run), {0, rows}, targets, false);
    file.run(read, 5001);
    EXPECT_EQ(particles, back);
  }
}

TEST(FixedRecords, LossIsAnErrorNamingColumnAndRowUnlessAllowed) {
  std::vector<double> values(5000, 1.0);
  values[4321] = 2.5;
  const std::vector<ConstView> views{ConstView(values)};
  const std::vector<std::string> objects{"column charge"};
  const quire::Run run = fixed_run({Type::int32}, 6000, native_order, 0);
  MemoryFile file(run.bytes);
  WritePlan strict;
  add_rows(strict, run, 1000, 5000, views, 0, false, objects);
  try {
    file.run(strict, 1 << 20);
    FAIL() << "2.5 became an integer";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::type);
    EXPECT_EQ(error.object(), "column charge");
    EXPECT_NE(error.message().find("row 5321"), std::string::npos) << error.what();
    EXPECT_NE(error.message().find("2.5"), std::string::npos) << error.what();
  }
  WritePlan lossy;
  add_rows(lossy, run, 1000, 5000, views, 0, true);
  file.run(lossy, 1 << 20);
  EXPECT_EQ(load<std::int32_t>(file.bytes().data() + 4 * 5321, native_order), 2);
}

TEST(FixedRecords, LossOfReadingIsAnErrorNamingTheRow) {
  const quire::Run run = fixed_run({Type::float64, Type::int8}, 3, native_order, 0);
  MemoryFile file(run.bytes);
  for (std::size_t i = 0; i < 3; ++i) store(file.bytes().data() + 9 * i, i == 2 ? 0.1 : 1.0, native_order);
  std::vector<float> out(2);
  const std::vector<ColumnTarget> targets{{0, View(out)}};
  ReadPlan strict;
  add_rows(strict, place_of(run), {1, 2}, targets, false);
  try {
    file.run(strict, 100);
    FAIL() << "0.1 became a float32";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::type);
    EXPECT_NE(error.message().find("row 2 "), std::string::npos) << error.what();
    EXPECT_EQ(error.object(), "column 0");
  }
  ReadPlan lossy;
  add_rows(lossy, place_of(run), {1, 2}, targets, true);
  file.run(lossy, 100);
  EXPECT_EQ(out[1], 0.1F);
}

TEST(FixedRecords, WrongRequestsAreRefusedWhilePlanning) {
  const quire::Run run = fixed_run({Type::float64, Type::character}, 10, native_order, 0);
  const std::vector<double> x(4);
  const std::vector<char> c(4);
  const std::vector<float> f(4);
  const std::vector<std::string> text(4);
  WritePlan plan;
  const std::vector<ConstView> good{ConstView(x), ConstView(c)};
  EXPECT_THROW(add_rows(plan, run, 7, 4, good, 0), Error) << "beyond the run";
  EXPECT_THROW(add_rows(plan, run, UINT64_MAX, 4, good, 0), Error) << "a sum that wraps";
  EXPECT_THROW(add_rows(plan, run, 0, 3, good, 0), Error) << "another number of values";
  EXPECT_THROW(add_rows(plan, run, 0, 4, std::span(good).first(1), 0), Error) << "a view is missing";
  const std::vector<ConstView> number_as_text{ConstView(x), ConstView(f)};
  EXPECT_THROW(add_rows(plan, run, 0, 4, number_as_text, 0), Error);
  const std::vector<ConstView> text_as_number{ConstView(std::span<const std::string>(text)), ConstView(c)};
  EXPECT_THROW(add_rows(plan, run, 0, 4, text_as_number, 0), Error);
  EXPECT_TRUE(plan.extents.empty());

  std::vector<double> out(4);
  ReadPlan read;
  const Place place = place_of(run);
  EXPECT_THROW(add_rows(read, place, {8, 4}, std::vector<ColumnTarget>{{0, View(out)}}, false), Error);
  EXPECT_THROW(add_rows(read, place, {0, 4}, std::vector<ColumnTarget>{{7, View(out)}}, false), Error);
  EXPECT_THROW(add_rows(read, place, {0, 3}, std::vector<ColumnTarget>{{0, View(out)}}, false), Error);
  EXPECT_THROW(add_rows(read, place, {0, 4}, std::vector<ColumnTarget>{{1, View(out)}}, false), Error);
}

TEST(FixedRecords, OpaqueRunsAndEmptyRequestsPlanNothing) {
  quire::Run run = fixed_run({Type::float64}, 10, native_order, 0);
  std::vector<double> out(4);
  std::vector<double> none;
  ReadPlan plan;
  add_rows(plan, place_of(run), {3, 0}, std::vector<ColumnTarget>{{0, View(none)}}, false);
  run.opaque = true;
  add_rows(plan, place_of(run), {3, 4}, std::vector<ColumnTarget>{{0, View(out)}}, false);
  EXPECT_TRUE(plan.extents.empty());
}

TEST(FixedRecords, AColumnMayBeReadTwice) {
  const Mixed data(20);
  MemoryFile file(0);
  file.bytes() = expected_rows(data, ByteOrder::big);
  std::vector<double> once(20);
  std::vector<double> again(20);
  ReadPlan plan;
  add_rows(plan, place_of(fixed_run(mixed_types, 20, ByteOrder::big, 0)), {0, 20},
           std::vector<ColumnTarget>{{0, View(once)}, {0, View(again)}}, false);
  file.run(plan, 64);
  EXPECT_EQ(once, data.x);
  EXPECT_EQ(again, data.x);
}

TEST(Pieces, RowsAreFoundAcrossThem) {
  // Three pieces of 2, 1 and 4 rows with a number and an integer each, in any order in the file.
  const std::vector<std::uint64_t> rows_of{2, 1, 4};
  const std::vector<std::uint64_t> offsets{100, 7, 40};
  for (const bool by_cell : {true, false}) {
    MemoryFile file(200);
    quire::Run run = fixed_run({Type::float64, Type::int32}, 7, native_order, 0);
    run.by_cell = by_cell;
    std::uint64_t row = 0;
    for (std::size_t p = 0; p < rows_of.size(); ++p) {
      run.pieces.push_back({row, offsets[p]});
      for (std::uint64_t i = 0; i < rows_of[p]; ++i, ++row) {
        std::byte* place = file.bytes().data() + offsets[p];
        const double number = static_cast<double>(row) + 0.5;
        const auto integer = static_cast<std::int32_t>(row * 10);
        std::memcpy(place + (by_cell ? i * 8 : i * 12), &number, sizeof number);
        std::memcpy(place + (by_cell ? rows_of[p] * 8 + i * 4 : i * 12 + 8), &integer, sizeof integer);
      }
    }
    EXPECT_FALSE(is_addressed(run));
    for (std::uint64_t first = 0; first < 7; ++first) {
      for (std::uint64_t count = 0; count <= 7 - first; ++count) {
        std::vector<double> numbers(static_cast<std::size_t>(count));
        std::vector<std::int64_t> integers(static_cast<std::size_t>(count));
        const std::vector<ColumnTarget> targets{{1, View(integers)}, {0, View(numbers)}};
        ReadPlan plan;
        add_rows(plan, place_of(run), {first, count}, targets, false);
        coalesce(plan);
        EXPECT_EQ(plan.bytes(), count * 12);
        file.run(plan, 64);
        for (std::size_t i = 0; i < count; ++i) {
          EXPECT_EQ(numbers[i], static_cast<double>(first + i) + 0.5);
          EXPECT_EQ(integers[i], static_cast<std::int64_t>(first + i) * 10);
        }
      }
    }
  }
}

}  // namespace
}  // namespace quire::records_fixed_test
