#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "format/records.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/endian.hpp"
#include "records/memory_file.hpp"
#include "support/random_bytes.hpp"

namespace quire::records_variable_test {
namespace {

using test::MemoryFile;

/// Rows of int16, string, float64, string, character: fixed cells before, between and after strings.
struct Rows {
  std::vector<std::int16_t> id;
  std::vector<std::string> name;
  std::vector<double> x;
  PackedStrings note;
  std::vector<char> flag;

  explicit Rows(std::size_t count, std::size_t longest = 40) {
    test::Random random(99);
    for (std::size_t i = 0; i < count; ++i) {
      id.push_back(static_cast<std::int16_t>(i * 31));
      name.emplace_back(random.below(longest), static_cast<char>('a' + i % 26));
      x.push_back(static_cast<double>(i) / 9.0);
      note.push_back(i % 3 == 0 ? std::string() : "note " + std::to_string(i));
      flag.push_back(static_cast<char>('A' + i % 26));
    }
  }
  [[nodiscard]] std::size_t size() const { return id.size(); }
  [[nodiscard]] std::vector<ConstView> views(std::uint64_t first, std::uint64_t count) const {
    std::vector<ConstView> result{ConstView(id), ConstView(std::span<const std::string>(name)), ConstView(x),
                                  ConstView(note), ConstView(flag)};
    for (ConstView& view : result) view = view.part(first, count);
    return result;
  }
};

template <class Number>
void append_number(std::vector<std::byte>& bytes, Number number, ByteOrder order) {
  bytes.resize(bytes.size() + sizeof number);
  store(bytes.data() + bytes.size() - sizeof number, number, order);
}

void append_text(std::vector<std::byte>& bytes, std::string_view text, ByteOrder order) {
  append_number(bytes, static_cast<std::int32_t>(text.size()), order);
  for (const char letter : text) bytes.push_back(static_cast<std::byte>(letter));
}

/// The rows as specified, and the offset of each.
struct Encoded {
  std::vector<std::byte> bytes;
  std::vector<std::uint64_t> begins;
};

Encoded encode(const Rows& rows, ByteOrder order) {
  Encoded result;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    result.begins.push_back(result.bytes.size());
    append_number(result.bytes, rows.id[i], order);
    append_text(result.bytes, rows.name[i], order);
    append_number(result.bytes, rows.x[i], order);
    append_text(result.bytes, rows.note[i], order);
    append_number(result.bytes, rows.flag[i], order);
  }
  return result;
}

constexpr std::uint64_t origin = 77;

Run run_of(const Rows& rows, const Encoded& encoded, ByteOrder order, std::uint64_t marks_every) {
  quire::Run run;
  run.offset = origin;
  run.records = rows.size();
  run.bytes = encoded.bytes.size();
  run.order = order;
  run.cells = {{0, Type::int16}, {1, Type::string}, {2, Type::float64}, {3, Type::string}, {4, Type::character}};
  run.marks.every = marks_every;
  for (std::size_t i = 0; marks_every != 0 && i < rows.size(); i += marks_every) {
    run.marks.offsets.push_back(origin + encoded.begins[i]);
  }
  return run;
}

Place place_of(const Run& run) { return Place{{run}}; }

MemoryFile file_of(const Encoded& encoded) {
  MemoryFile file(origin + encoded.bytes.size());
  std::ranges::copy(encoded.bytes, file.bytes().begin() + origin);
  return file;
}

TEST(VariableRecords, WrittenInPiecesOfAnySizeAreTheSameBytes) {
  const Rows rows(600);
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    const Encoded encoded = encode(rows, order);
    const quire::Run run = run_of(rows, encoded, order, 0);
    for (const std::size_t piece : {1, 2, 7, 33, 64, 4096, 1 << 20}) {
      MemoryFile file(origin + run.bytes);
      WritePlan plan;
      EXPECT_EQ(add_rows(plan, run, 0, rows.size(), rows.views(0, rows.size()), 0), run.bytes);
      file.run(plan, piece);
      EXPECT_EQ(file.bytes(), file_of(encoded).bytes()) << "piece of " << piece;
    }
  }
}

TEST(VariableRecords, BlocksOfRowsFollowEachOther) {
  const Rows rows(100);
  const Encoded encoded = encode(rows, ByteOrder::big);
  const quire::Run run = run_of(rows, encoded, ByteOrder::big, 0);
  MemoryFile file(origin + run.bytes);
  std::uint64_t position = 0;
  for (const Slice part : {Slice{0, 41}, Slice{41, 0}, Slice{41, 59}}) {
    WritePlan plan;
    position = add_rows(plan, run, part.first, part.count, rows.views(part.first, part.count), position);
    file.run(plan, 50);
  }
  EXPECT_EQ(position, run.bytes);
  EXPECT_EQ(file.bytes(), file_of(encoded).bytes());
}

TEST(VariableRecords, StringsLongerThanThePieceGoThereAndBack) {
  const Rows rows(20, 9000);
  const Encoded encoded = encode(rows, ByteOrder::little);
  const quire::Run run = run_of(rows, encoded, ByteOrder::little, 0);
  MemoryFile file(origin + run.bytes);
  WritePlan plan;
  add_rows(plan, run, 0, rows.size(), rows.views(0, rows.size()), 0);
  file.run(plan, 1000);
  ASSERT_EQ(file.bytes(), file_of(encoded).bytes());
  PackedStrings names;
  ReadPlan read;
  add_rows(read, place_of(run), {0, rows.size()}, std::vector<ColumnTarget>{{1, View(names, rows.size())}}, false);
  file.run(read, 1000);
  ASSERT_EQ(names.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(names[i], rows.name[i]);
}

/// Reads a slice of all columns and compares.
void expect_slice(const Rows& rows, const Run& run, MemoryFile& file, const Slice& slice, std::size_t piece) {
  std::vector<std::int64_t> id(slice.count);
  PackedStrings name;
  std::vector<double> x(slice.count);
  PackedStrings note;
  std::vector<char> flag(slice.count);
  const std::vector<ColumnTarget> targets{
      {4, View(flag)}, {3, View(note, slice.count)}, {0, View(id)}, {1, View(name, slice.count)}, {2, View(x)}};
  ReadPlan plan;
  add_rows(plan, place_of(run), slice, targets, false);
  file.run(plan, piece);
  ASSERT_EQ(name.size(), slice.count);
  ASSERT_EQ(note.size(), slice.count);
  for (std::size_t i = 0; i < slice.count; ++i) {
    const std::size_t row = slice.first + i;
    ASSERT_EQ(id[i], rows.id[row]);
    ASSERT_EQ(name[i], rows.name[row]);
    ASSERT_EQ(x[i], rows.x[row]);
    ASSERT_EQ(note[i], rows.note[row]);
    ASSERT_EQ(flag[i], rows.flag[row]);
  }
}

TEST(VariableRecords, SlicesAreReadWithAndWithoutMarks) {
  const Rows rows(700);
  test::Random random(4);
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    const Encoded encoded = encode(rows, order);
    MemoryFile file = file_of(encoded);
    for (const std::uint64_t every : {0, 1, 10, 64, 1000}) {
      const quire::Run run = run_of(rows, encoded, order, every);
      for (int trial = 0; trial < 20; ++trial) {
        const std::uint64_t first = random.below(rows.size());
        const Slice slice{first, random.below(rows.size() - first + 1)};
        const std::size_t piece = random.between(1, 3000);
        ASSERT_NO_FATAL_FAILURE(expect_slice(rows, run, file, slice, piece)) << every << " piece of " << piece;
      }
    }
  }
}

TEST(VariableRecords, MarksBoundWhatIsRead) {
  const Rows rows(100);
  const Encoded encoded = encode(rows, native_order);
  const quire::Run run = run_of(rows, encoded, native_order, 10);
  std::vector<double> x(5);
  ReadPlan plan;
  add_rows(plan, place_of(run), {43, 5}, std::vector<ColumnTarget>{{2, View(x)}}, false);
  EXPECT_EQ(extents_of(plan),
            (std::vector<Extent>{{origin + encoded.begins[40], encoded.begins[50] - encoded.begins[40]}}));
  ReadPlan last;
  add_rows(last, place_of(run), {95, 5}, std::vector<ColumnTarget>{{2, View(x)}}, false);
  EXPECT_EQ(extents_of(last), (std::vector<Extent>{{origin + encoded.begins[90], run.bytes - encoded.begins[90]}}));
}

/// A column of strings alone, as in column-major tables.
TEST(VariableRecords, AColumnOfStringsIsARunOfItsOwn) {
  const std::vector<std::string> texts{"", "quire", "", "leaf"};
  quire::Run run;
  run.records = 4;
  run.bytes = 4 * 4 + 9;
  run.cells = {{3, Type::string}};
  MemoryFile file(run.bytes);
  WritePlan plan;
  const ConstView view{std::span<const std::string>(texts)};
  EXPECT_EQ(add_rows(plan, run, 0, 4, std::span(&view, 1), 0), run.bytes);
  file.run(plan, 3);
  PackedStrings back;
  back.push_back("already there");
  ReadPlan read;
  add_rows(read, place_of(run), {1, 3}, std::vector<ColumnTarget>{{3, View(back, 3)}}, false);
  file.run(read, 5);
  ASSERT_EQ(back.size(), 4U);
  EXPECT_EQ(back[0], "already there");
  EXPECT_EQ(back[1], "quire");
  EXPECT_EQ(back[2], "");
  EXPECT_EQ(back[3], "leaf");
}

/// Reads one column of strings and returns the error.
Error error_of(const Rows& rows, const Run& run, MemoryFile& file, std::size_t piece) {
  PackedStrings note;
  ReadPlan plan;
  add_rows(plan, place_of(run), {0, rows.size()}, std::vector<ColumnTarget>{{3, View(note, rows.size())}}, false);
  try {
    file.run(plan, piece);
  } catch (const Error& error) {
    return error;
  }
  return Error(ErrorKind::internal, "nothing was thrown");
}

TEST(VariableRecords, DamagedCountsAreRefusedWithTheirOffset) {
  const Rows rows(50);
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    const Encoded encoded = encode(rows, order);
    const quire::Run run = run_of(rows, encoded, order, 0);
    for (const std::int32_t count : {-1, INT32_MIN, INT32_MAX, static_cast<std::int32_t>(run.bytes)}) {
      MemoryFile file = file_of(encoded);
      const std::uint64_t damaged = encoded.begins[30] + 2;
      store(file.bytes().data() + origin + damaged, count, order);
      const Error error = error_of(rows, run, file, 100);
      EXPECT_EQ(error.kind(), ErrorKind::bad_file) << error.what();
      EXPECT_EQ(error.offset(), damaged) << error.what();
    }
  }
}

TEST(VariableRecords, ARunThatEndsInsideARecordIsRefused) {
  const Rows rows(50);
  const Encoded encoded = encode(rows, native_order);
  for (std::uint64_t cut = 1; cut <= 12; ++cut) {
    quire::Run run = run_of(rows, encoded, native_order, 0);
    run.bytes -= cut;
    MemoryFile file = file_of(encoded);
    const Error error = error_of(rows, run, file, 64);
    EXPECT_EQ(error.kind(), ErrorKind::bad_file) << error.what();
    EXPECT_GE(error.offset().value_or(0), encoded.begins[49]) << cut;
  }
}

/// For any bytes: an error or values, but no invalid access and no excessive allocation.
TEST(VariableRecords, RandomDamageNeverEscapes) {
  const Rows rows(60);
  const Encoded encoded = encode(rows, native_order);
  const quire::Run run = run_of(rows, encoded, native_order, 7);
  test::Random random(8);
  int refused = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    MemoryFile file = file_of(encoded);
    for (int i = 0; i < 3; ++i) {
      file.bytes()[origin + random.below(encoded.bytes.size())] = static_cast<std::byte>(random.below(256));
    }
    const Slice slice{random.below(30), 30};
    PackedStrings name;
    std::vector<double> x(30);
    ReadPlan plan;
    add_rows(plan, place_of(run), slice, std::vector<ColumnTarget>{{1, View(name, 30)}, {2, View(x)}}, false);
    try {
      file.run(plan, random.between(1, 500));
      ASSERT_EQ(name.size(), 30U);
    } catch (const Error& error) {
      ASSERT_EQ(error.kind(), ErrorKind::bad_file) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(VariableRecords, WrongRequestsAreRefusedWhilePlanning) {
  const Rows rows(10);
  const Encoded encoded = encode(rows, native_order);
  quire::Run run = run_of(rows, encoded, native_order, 0);
  run.bytes -= 1;
  WritePlan plan;
  EXPECT_THROW(add_rows(plan, run, 0, 10, rows.views(0, 10), 0), Error) << "more bytes than declared";
  std::vector<double> numbers(10);
  ReadPlan read;
  EXPECT_THROW(add_rows(read, place_of(run), {0, 10}, std::vector<ColumnTarget>{{1, View(numbers)}}, false), Error);
  View nowhere;
  nowhere.type = Type::string;
  nowhere.count = 10;
  EXPECT_THROW(add_rows(read, place_of(run), {0, 10}, std::vector<ColumnTarget>{{1, nowhere}}, false), Error);
  run.marks = {5, {0, 3}};
  PackedStrings text;
  EXPECT_THROW(add_rows(read, place_of(run), {0, 10}, std::vector<ColumnTarget>{{1, View(text, 10)}}, false), Error)
      << "marks before the run";
}

}  // namespace
}  // namespace quire::records_variable_test
