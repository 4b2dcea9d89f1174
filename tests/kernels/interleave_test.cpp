#include "kernels/interleave.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/version.hpp"
#include "quire/base/error.hpp"
#include "support/random_bytes.hpp"

namespace quire::kernels::interleave_test {
namespace {

using Bytes = std::vector<std::byte>;

/// The cell of one value, byte by byte as specified.
Bytes cell_of(Bytes value, CellCode code) {
  switch (code) {
    case CellCode::copy:
      break;
    case CellCode::reverse:
      std::ranges::reverse(value);
      break;
    case CellCode::float80_little:
      std::fill(value.begin() + 10, value.end(), std::byte{0});
      break;
    case CellCode::float80_big:
      std::fill(value.begin() + 10, value.end(), std::byte{0});
      std::reverse(value.begin(), value.begin() + 12);
      break;
  }
  return value;
}

/// Columns in memory with random strides and alignments, and the expected records.
struct Case {
  std::size_t rows = 0;
  std::size_t record_bytes = 0;
  std::vector<CellShape> cells;
  std::vector<std::ptrdiff_t> strides;
  std::vector<Bytes> memory;  ///< of each column, beginning at `first` of it
  std::vector<std::size_t> first;
  Bytes records;

  [[nodiscard]] std::size_t value_at(std::size_t column, std::size_t row) const {
    return first[column] + row * static_cast<std::size_t>(strides[column]);
  }
};

void add_cell(Case& data, test::Random& random, std::size_t size, CellCode code, bool gap_in_memory) {
  data.cells.push_back({data.record_bytes, size, code});
  data.record_bytes += size;
  data.strides.push_back(static_cast<std::ptrdiff_t>(size + (gap_in_memory ? random.between(1, 20) : 0)));
  data.first.push_back(random.below(40));
  data.memory.push_back(
      random.bytes(data.first.back() + static_cast<std::size_t>(data.strides.back()) * data.rows + 40));
}

void make_records(Case& data) {
  data.records.assign(data.rows * data.record_bytes, std::byte{0xcd});
  for (std::size_t c = 0; c < data.cells.size(); ++c) {
    for (std::size_t row = 0; row < data.rows; ++row) {
      const auto value = data.memory[c].begin() + static_cast<std::ptrdiff_t>(data.value_at(c, row));
      const Bytes cell =
          cell_of(Bytes(value, value + static_cast<std::ptrdiff_t>(data.cells[c].size)), data.cells[c].code);
      std::ranges::copy(
          cell, data.records.begin() + static_cast<std::ptrdiff_t>(row * data.record_bytes + data.cells[c].offset));
    }
  }
}

/// Runs of equal cells, single odd ones between them, sometimes bytes that no cell covers.
Case random_case(test::Random& random) {
  Case data;
  data.rows = random.below(4) == 0 ? random.below(5) : random.below(300);
  constexpr std::array<std::size_t, 5> sizes{1, 2, 4, 8, 16};
  const std::size_t groups = random.between(1, 4);
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t size = sizes[random.below(sizes.size())];
    CellCode code = random.below(2) == 0 ? CellCode::copy : CellCode::reverse;
    if (size == 16) code = random.below(2) == 0 ? CellCode::float80_little : CellCode::float80_big;
    const bool gaps = random.below(4) == 0;
    const std::size_t count = random.between(1, 20);
    for (std::size_t i = 0; i < count; ++i) add_cell(data, random, size, code, gaps);
    if (random.below(4) == 0) data.record_bytes += random.between(1, 9);
  }
  make_records(data);
  return data;
}

std::string describe(const Case& data, const Version& version) {
  std::string text = std::string(version.name) + ", " + std::to_string(data.rows) + " rows of " +
                     std::to_string(data.record_bytes) + " bytes:";
  for (const CellShape& cell : data.cells) text.append(" ").append(std::to_string(cell.size));
  return text;
}

void expect_pack(const Case& data, test::Random& random, const Version& version) {
  const RecordShape shape(data.record_bytes, data.cells);
  std::vector<Source> sources;
  for (std::size_t c = 0; c < data.cells.size(); ++c) {
    sources.push_back({data.memory[c].data() + data.first[c], data.strides[c]});
  }
  const std::size_t shift = random.below(40);
  Bytes out(shift + data.records.size() + 40, std::byte{0xcd});
  Bytes expected = out;
  std::ranges::copy(data.records, expected.begin() + static_cast<std::ptrdiff_t>(shift));
  pack(shape, sources, data.rows, out.data() + shift, version);
  ASSERT_EQ(out, expected) << describe(data, version);
}

/// Unpacks some of the cells; memory between and after the values must not change.
void expect_unpack(const Case& data, test::Random& random, const Version& version) {
  std::vector<CellShape> wanted;
  std::vector<std::size_t> columns;
  const std::size_t keep_of_four = random.between(1, 4);
  for (std::size_t c = 0; c < data.cells.size(); ++c) {
    if (random.below(4) >= keep_of_four) continue;
    wanted.push_back(data.cells[c]);
    columns.push_back(c);
  }
  const RecordShape shape(data.record_bytes, wanted);
  std::vector<Bytes> memory;
  for (const std::size_t c : columns) memory.emplace_back(data.memory[c].size(), std::byte{0x77});
  std::vector<Target> targets;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    targets.push_back({memory[i].data() + data.first[columns[i]], data.strides[columns[i]]});
  }
  const std::size_t shift = random.below(40);
  Bytes in(shift, std::byte{0});
  in.insert(in.end(), data.records.begin(), data.records.end());
  unpack(shape, targets, data.rows, in.data() + shift, version);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t c = columns[i];
    Bytes expected(data.memory[c].size(), std::byte{0x77});
    for (std::size_t row = 0; row < data.rows; ++row) {
      const std::size_t at = data.value_at(c, row);
      std::copy_n(data.memory[c].begin() + static_cast<std::ptrdiff_t>(at), data.cells[c].size,
                  expected.begin() + static_cast<std::ptrdiff_t>(at));
      // Padding of float80 is not preserved.
      if (data.cells[c].size == 16)
        std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(at + 10), 6, std::byte{0});
    }
    ASSERT_EQ(memory[i], expected) << describe(data, version) << " column " << c;
  }
}

TEST(Interleave, EveryVersionPacksAndUnpacksRandomRecords) {
  for (const Version* version : versions()) {
    test::Random random(20261121);
    for (int trial = 0; trial < 250; ++trial) {
      const Case data = random_case(random);
      ASSERT_NO_FATAL_FAILURE(expect_pack(data, random, *version));
      ASSERT_NO_FATAL_FAILURE(expect_unpack(data, random, *version));
    }
  }
}

/// Unpacks float64 columns at the same offset in a line, and checks that nothing around them has changed.
void expect_streamed(std::size_t columns, std::size_t rows, std::size_t place, CellCode code, const Version& version) {
  constexpr std::size_t line = 64;
  Case data;
  data.rows = rows;
  test::Random random(static_cast<std::uint32_t>(columns * 1000 + rows));
  for (std::size_t c = 0; c < columns; ++c) add_cell(data, random, 8, code, false);
  // A narrow cell at the end, which never streams.
  add_cell(data, random, 4, code, false);
  make_records(data);
  const RecordShape shape(data.record_bytes, data.cells);
  const std::size_t bytes = rows * 8 + 4 * line;
  std::vector<Bytes> streamed(columns + 1, Bytes(bytes, std::byte{0x77}));
  std::vector<Bytes> plain = streamed;
  std::vector<Target> targets;
  std::vector<Target> expected;
  for (std::size_t c = 0; c <= columns; ++c) {
    const auto begin = reinterpret_cast<std::uintptr_t>(streamed[c].data());
    const std::size_t shift = 2 * line - begin % line + place;
    const auto stride = static_cast<std::ptrdiff_t>(data.cells[c].size);
    targets.push_back({streamed[c].data() + shift, stride});
    expected.push_back({plain[c].data() + shift, stride});
  }
  unpack(shape, targets, rows, data.records.data(), version, Stores::streamed);
  unpack(shape, expected, rows, data.records.data(), scalar_version());
  ASSERT_EQ(streamed, plain) << describe(data, version) << " place " << place;
}

TEST(Interleave, EveryVersionStreamsTheSameBytes) {
  for (const Version* version : versions()) {
    for (const std::size_t columns : {3U, 4U, 7U, 8U, 9U, 13U, 16U}) {
      for (const std::size_t rows : {0U, 1U, 5U, 8U, 15U, 255U, 264U, 700U}) {
        for (std::size_t place = 0; place < 64; place += 8) {
          ASSERT_NO_FATAL_FAILURE(expect_streamed(columns, rows, place, CellCode::copy, *version));
        }
        ASSERT_NO_FATAL_FAILURE(expect_streamed(columns, rows, 24, CellCode::reverse, *version));
        ASSERT_NO_FATAL_FAILURE(expect_streamed(columns, rows, 3, CellCode::copy, *version));
      }
    }
  }
}

TEST(Interleave, EveryVersionTakesEveryNumberOfEqualColumns) {
  for (const Version* version : versions()) {
    test::Random random(5);
    for (const std::size_t size : {std::size_t{4}, std::size_t{8}}) {
      for (std::size_t columns = 1; columns <= 33; ++columns) {
        for (const CellCode code : {CellCode::copy, CellCode::reverse}) {
          Case data;
          data.rows = random.below(70);
          for (std::size_t c = 0; c < columns; ++c) add_cell(data, random, size, code, false);
          make_records(data);
          ASSERT_NO_FATAL_FAILURE(expect_pack(data, random, *version));
          ASSERT_NO_FATAL_FAILURE(expect_unpack(data, random, *version));
        }
      }
    }
  }
}

TEST(Interleave, CellsOfVariableRecordsUseTheirPositions) {
  test::Random random(3);
  for (const CellShape& cell :
       {CellShape{3, 1, CellCode::copy}, CellShape{0, 2, CellCode::reverse}, CellShape{5, 4, CellCode::reverse},
        CellShape{1, 8, CellCode::copy}, CellShape{2, 16, CellCode::float80_big}}) {
    constexpr std::size_t rows = 17;
    std::vector<std::uint64_t> positions;
    std::uint64_t end = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      positions.push_back(end);
      end += cell.offset + cell.size + random.below(9);
    }
    Bytes values = random.bytes(rows * cell.size);
    Bytes expected(end, std::byte{0});
    for (std::size_t row = 0; row < rows; ++row) {
      const auto value = values.begin() + static_cast<std::ptrdiff_t>(row * cell.size);
      if (cell.size == 16) std::fill_n(value + 10, 6, std::byte{0});
      std::ranges::copy(cell_of(Bytes(value, value + static_cast<std::ptrdiff_t>(cell.size)), cell.code),
                        expected.begin() + static_cast<std::ptrdiff_t>(positions[row] + cell.offset));
    }
    Bytes out(end, std::byte{0});
    const auto stride = static_cast<std::ptrdiff_t>(cell.size);
    pack_at(cell, {values.data(), stride}, positions, out.data());
    EXPECT_EQ(out, expected);
    Bytes back(values.size());
    unpack_at(cell, {back.data(), stride}, positions, out.data());
    EXPECT_EQ(back, values);
  }
}

TEST(Interleave, BigEndianFloat80IsAsTheReferenceWritesIt) {
  const long double third = 4.0L / 3.0L;
  Bytes memory(16, std::byte{0});
  std::copy_n(reinterpret_cast<const std::byte*>(&third), 10, memory.begin());
  const auto code = code_for(Type::float80, ByteOrder::big);
  const RecordShape shape(16, {{0, 16, code}});
  Bytes out(16);
  pack(shape, std::vector<Source>{{memory.data(), 16}}, 1, out.data());
  const std::array<int, 16> expected{0, 0, 0x3f, 0xff, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xaa, 0xab, 0, 0, 0, 0};
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(std::to_integer<int>(out[i]), expected[i]) << "byte " << i;
}

TEST(Interleave, OneByteCellsAreNeverReversed) {
  EXPECT_EQ(code_for(Type::character, ByteOrder::big), CellCode::copy);
  EXPECT_EQ(code_for(Type::int16, ByteOrder::big), CellCode::reverse);
  EXPECT_EQ(code_for(Type::float64, ByteOrder::little), CellCode::copy);
}

TEST(Interleave, CellsOutsideTheRecordAreRefused) {
  EXPECT_THROW(RecordShape(8, {{1, 8, CellCode::copy}}), Error);
  EXPECT_THROW(RecordShape(8, {{0, 0, CellCode::copy}}), Error);
  EXPECT_THROW(RecordShape(8, {{0, 3, CellCode::reverse}}), Error);
  EXPECT_THROW(RecordShape(8, {{0, 8, CellCode::float80_big}}), Error);
  EXPECT_NO_THROW(RecordShape(8, {{0, 8, CellCode::copy}}));
  EXPECT_NO_THROW(RecordShape(8, {{5, 3, CellCode::copy}})) << "texts";
}

TEST(Interleave, ThePlainVersionIsThereAndTheBestIsLast) {
  ASSERT_FALSE(versions().empty());
  EXPECT_EQ(versions().front()->name, "scalar");
  EXPECT_EQ(&best_version(), versions().back());
}

}  // namespace
}  // namespace quire::kernels::interleave_test
