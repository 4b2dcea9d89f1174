// Texts of fixed size, padded with zeros: alone, and between numbers.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/records.hpp"
#include "format/records_texts.hpp"
#include "quire/base/error.hpp"
#include "records/memory_file.hpp"

namespace quire::records_padded_test {
namespace {

using test::MemoryFile;

constexpr std::array<std::size_t, 5> piece_sizes{1, 7, 8, 100, 1 << 20};

const std::vector<std::string> names{"QF", "", "D1", "seventy", "\xc2\xb5m", "x", "yz"};

/// A text of 7 bytes, and if asked for a number of 4 bytes before it.
quire::Run run_of(std::uint64_t records, bool has_number) {
  quire::Run run;
  run.offset = 3;
  run.records = records;
  if (has_number) run.cells.push_back({.column = 0, .type = Type::int32});
  run.cells.push_back({.column = run.cells.size(), .type = Type::string, .text_bytes = 7});
  for (const Cell& cell : run.cells) run.record_bytes += bytes_of(cell);
  run.bytes = run.record_bytes * records;
  return run;
}

std::vector<std::string> strings(const PackedStrings& packed) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < packed.size(); ++i) all.emplace_back(packed[i]);
  return all;
}

std::vector<std::string> part(std::size_t first, std::size_t count) {
  const auto begin = names.begin() + static_cast<std::ptrdiff_t>(first);
  return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

TEST(PaddedRecords, ComeBackInPiecesOfAnySize) {
  std::vector<std::int32_t> numbers(names.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(i * 1000);
  for (const bool has_number : {false, true}) {
    const quire::Run run = run_of(names.size(), has_number);
    std::vector<ConstView> views;
    if (has_number) views.emplace_back(numbers);
    views.emplace_back(std::span<const std::string>(names));
    for (const std::size_t piece : piece_sizes) {
      MemoryFile file(3 + run.bytes);
      WritePlan written;
      EXPECT_EQ(add_rows(written, run, 0, names.size(), views, 0), run.bytes);
      file.run(written, piece);
      const std::string_view last(reinterpret_cast<const char*>(file.bytes().data() + 3 + run.bytes - 7), 7);
      EXPECT_EQ(last, std::string_view("yz\0\0\0\0\0", 7));
      PackedStrings found;
      ReadPlan plan;
      const ColumnTarget target{has_number ? 1U : 0U, View(found, 4)};
      add_rows(plan, Place{{run}}, {2, 4}, std::span(&target, 1), false);
      file.run(plan, piece);
      EXPECT_EQ(strings(found), part(2, 4)) << piece;
    }
  }
}

TEST(PaddedRecords, AreAppendedInTheOrderOfTheirRows) {
  std::vector<std::byte> cells(names.size() * 7);
  for (std::size_t i = 0; i < names.size(); ++i) ASSERT_TRUE(put_text(names[i], cells.data() + i * 7, 7));
  PackedStrings found;
  PaddedTexts rows(found);
  for (const auto& [first, count] : {std::pair{5U, 2U}, std::pair{2U, 1U}, std::pair{0U, 2U}, std::pair{3U, 2U}}) {
    rows.take(first, count, cells.data() + first * 7U, 7);
  }
  EXPECT_EQ(strings(found), names);
}

TEST(PaddedRecords, RefuseTextsThatDoNotFit) {
  const quire::Run run = run_of(2, false);
  const auto message = [&](const std::vector<std::string>& texts) -> std::string {
    MemoryFile file(3 + run.bytes);
    try {
      WritePlan plan;
      const ConstView view{std::span<const std::string>(texts)};
      add_rows(plan, run, 0, 2, std::span(&view, 1), 0);
      file.run(plan, 64);
    } catch (const Error& error) {
      return error.message();
    }
    return {};
  };
  EXPECT_EQ(message({"sevenxx", ""}), "");
  EXPECT_EQ(message({"a", "eight888"}), "row 1 holds a text of 8 bytes, the column has 7 for each");
  EXPECT_EQ(message({std::string("a\0b", 3), ""}),
            "row 0 holds a text with a zero byte, which ends texts of fixed size");
}

}  // namespace
}  // namespace quire::records_padded_test
