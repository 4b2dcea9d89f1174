// Rows of text into columns: by the rules of specs/sdds.md sections 3.1 and 3.4 to 3.7, in pieces of any size, any
// rows, any columns; written rows read back unchanged.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "format/records.hpp"
#include "format/text/tokens.hpp"
#include "quire/base/error.hpp"
#include "records/memory_file.hpp"

namespace quire::text_reading_test {
namespace {

using test::MemoryFile;

TEST(Tokens, AreCutAtWhiteSpaceOutsideOfQuotes) {
  std::string_view line = " a  \"b c\"d\t\"e\\\"f\" g\"h i\"j \"k\\\\\\\\\" \"l ";
  for (const char* token : {"a", "b c", "d", "e\\\"f", "g\"h i\"j", "k\\\\\\\\", "l "}) {
    EXPECT_EQ(text::next_token(line).value_or("none"), token);
  }
  EXPECT_FALSE(text::next_token(line).has_value());
}

TEST(Tokens, CommentsBeginOutsideOfQuotes) {
  EXPECT_EQ(text::without_comment("1 2 ! 3"), "1 2 ");
  EXPECT_EQ(text::without_comment("a\\!b \"c ! d\" e! f"), "a\\!b \"c ! d\" e");
  EXPECT_EQ(text::without_comment("\"a\\\" ! b\" ! c"), "\"a\\\" ! b\" ");
  EXPECT_EQ(text::without_comment("\\\\! c"), "\\\\");
  const std::string quoted = '"' + std::string(5000, 'x') + "! y\"";
  EXPECT_EQ(text::without_comment(quoted + "! z"), quoted);
}

TEST(Tokens, EscapesRepresentBytes) {
  EXPECT_EQ(text::unescaped("\\n\\t\\b\\r\\f\\v\\a\\\\\\'\\\"\\?\\!"), "\n\t\b\r\f\v\a\\'\"?!");
  EXPECT_EQ(text::unescaped("\\101\\1012 \\89 \\7x"), "AA2 I \x07x");
  EXPECT_EQ(text::unescaped("a\\400b"), "a");
  EXPECT_EQ(text::unescaped("\\q\\"), "\\q\\");
}

TEST(Tokens, LinesEndWithOrWithoutCarriageReturn) {
  EXPECT_EQ(text::first_line("ab\r\ncd", false)->text, "ab");
  EXPECT_EQ(text::first_line("ab\r\ncd", false)->bytes, 4U);
  EXPECT_FALSE(text::first_line("ab", false).has_value());
  EXPECT_EQ(text::first_line("ab\r", true)->text, "ab");
}

/// The run of all bytes of some text.
Run run_of(const std::string& bytes, std::vector<Type> types, std::uint64_t records, std::int64_t lines_per_row = 1) {
  Run run;
  run.records = records;
  run.bytes = bytes.size();
  for (std::size_t i = 0; i < types.size(); ++i) run.cells.push_back({i, types[i]});
  run.text.emplace().lines_per_row = lines_per_row;
  return run;
}

MemoryFile file_of(const std::string& bytes) {
  MemoryFile file(bytes.size());
  std::memcpy(file.bytes().data(), bytes.data(), bytes.size());
  return file;
}

struct Table {
  std::vector<double> x;
  std::vector<std::int32_t> n;
  PackedStrings s;

  [[nodiscard]] std::vector<std::string> texts() const {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < s.size(); ++i) result.emplace_back(s[i]);
    return result;
  }
};

/// Rows of a table of a float64, an int32 and a string, read in pieces.
Table read_table(const std::string& bytes, const Run& run, const Slice& rows, std::size_t piece) {
  Table table{std::vector<double>(rows.count), std::vector<std::int32_t>(rows.count), {}};
  const std::vector<ColumnTarget> targets{
      {0, View(table.x), "x"}, {1, View(table.n), "n"}, {2, View(table.s, rows.count), "s"}};
  ReadPlan plan;
  add_rows(plan, Place{.runs = {run}}, rows, targets, false);
  file_of(bytes).run(plan, piece);
  return table;
}

const std::vector<Type> three_types{Type::float64, Type::int32, Type::string};

struct Spelling {
  const char* name;
  std::string bytes;
  std::int64_t lines_per_row;
};
void PrintTo(const Spelling& spelling, std::ostream* out) { *out << spelling.name; }

class Spellings : public testing::TestWithParam<Spelling> {};

TEST_P(Spellings, MeanTheSameFromAnyPieces) {
  const Spelling& spelling = GetParam();
  const quire::Run run = run_of(spelling.bytes, three_types, 4, spelling.lines_per_row);
  const std::vector<double> x{1.5, -2, 3e3, 4};
  const std::vector<std::int32_t> n{1, 2, -3, 4};
  const std::vector<std::string> s{"a", "b c", "!", ""};
  for (const std::size_t piece : {1, 2, 3, 7, 20, 1000}) {
    for (std::uint64_t first = 0; first < 4; ++first) {
      for (std::uint64_t end = first + 1; end <= 4; ++end) {
        const Table table = read_table(spelling.bytes, run, {first, end - first}, piece);
        const auto from = static_cast<std::ptrdiff_t>(first);
        const auto to = static_cast<std::ptrdiff_t>(end);
        EXPECT_EQ(table.x, std::vector<double>(x.begin() + from, x.begin() + to));
        EXPECT_EQ(table.n, std::vector<std::int32_t>(n.begin() + from, n.begin() + to));
        EXPECT_EQ(table.texts(), std::vector<std::string>(s.begin() + from, s.begin() + to));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, Spellings,
    testing::Values(
        Spelling{"plain", "1.5 1 a\n-2 2 \"b c\"\n3e3 -3 \\!\n4 4 \"\"\n", 1},
        Spelling{"comments_and_returns",
                 "! c\n1.5 1 a ! x\r\n!\n-2\t2 \"b c\" surplus\r\n3e3 \"-3\" \"!\"\r\n! end\n 4. 4 \"\" \r\n! more\n",
                 1},
        Spelling{"no_final_line_end", "1.5 1 a\n-2 2 \"b c\"\n+3e3 -3 \"\\!\"\n4 4 \"\"", 1},
        Spelling{"two_lines", "1.5\n1 a\n! c\n-2 2\n\"b c\"\n3000 -3\n\\041 ! x\n4\n4 \"\"\n", 2},
        Spelling{"stream", "1.5 1\na -2 2 \"b c\" 3e3\n! c\n-3 \\! 4\n4\n\"\" rest", 0}),
    [](const testing::TestParamInfo<Spelling>& row) { return row.param.name; });

TEST(TextRows, FieldsMayHaveWidths) {
  const std::string bytes = "ab cd  12  xy   1.5\n  q     7zz  yy 2.5\nlongs9999\"a b \"3.5\n";
  quire::Run run = run_of(bytes, {Type::string, Type::int32, Type::string, Type::float64}, 3);
  run.text->widths = {5, 4, -6, 0};
  PackedStrings a;
  PackedStrings b;
  std::vector<std::int32_t> n(3);
  std::vector<double> x(3);
  ReadPlan plan;
  add_rows(plan, Place{.runs = {run}}, {0, 3},
           std::vector<ColumnTarget>{{0, View(a, 3)}, {1, View(n)}, {2, View(b, 3)}, {3, View(x)}}, false);
  file_of(bytes).run(plan, 1000);
  EXPECT_EQ(a[1], "  q  ");
  EXPECT_EQ(b[0], "xy");
  EXPECT_EQ(b[2], "\"a b \"");
  EXPECT_EQ(n, (std::vector<std::int32_t>{12, 7, 9999}));
  EXPECT_EQ(x, (std::vector<double>{1.5, 2.5, 3.5}));
}

/// The error of reading the only column, of this type.
Error error_of(const std::string& bytes, Type type, std::uint64_t records, bool strict = false) {
  quire::Run run = run_of(bytes, {type, Type::float64}, records);
  run.text->strict = strict;
  std::vector<std::byte> memory(records * 16);
  ReadPlan plan;
  const View view(type, memory.data(), records, static_cast<std::ptrdiff_t>(size_of(type)));
  add_rows(plan, Place{.runs = {run}}, {0, records}, std::vector<ColumnTarget>{{0, view, "column c"}}, false);
  try {
    file_of(bytes).run(plan, 1000);
  } catch (const Error& error) {
    return error;
  }
  return {ErrorKind::internal, "no error"};
}

TEST(TextRows, DamageIsNamed) {
  const Error value = error_of("1 1\nabc 1\n", Type::float64, 2);
  EXPECT_EQ(value.kind(), ErrorKind::bad_file);
  EXPECT_EQ(value.object(), "column c");
  EXPECT_NE(value.message().find("row 1: \"abc\""), std::string::npos) << value.what();
  EXPECT_EQ(error_of("1 1\n\n2 1\n", Type::float64, 2).offset(), 4U);
  EXPECT_EQ(error_of("1 1\n", Type::float64, 2).kind(), ErrorKind::bad_file);
  EXPECT_EQ(error_of("1 1\n! c\n", Type::float64, 2).kind(), ErrorKind::bad_file);
}

TEST(TextRows, StrictReadingRefusesWhatScanfOverlooks) {
  EXPECT_EQ(error_of("3.7 1\n", Type::int32, 1).kind(), ErrorKind::internal);
  EXPECT_EQ(error_of("3.7 1\n", Type::int32, 1, true).kind(), ErrorKind::bad_file);
  EXPECT_EQ(error_of("40000 1\n", Type::int16, 1).kind(), ErrorKind::internal);
  EXPECT_EQ(error_of("40000 1\n", Type::int16, 1, true).kind(), ErrorKind::bad_file);
  EXPECT_EQ(error_of("\"3.5\" 1\n", Type::float64, 1, true).kind(), ErrorKind::internal);
}

TEST(TextRows, ColumnsAreConvertedAndMayBeAskedForTwice) {
  std::string bytes;
  for (int i = 0; i < 10000; ++i) bytes += std::to_string(i) + " " + std::to_string(i) + ".5\n";
  const quire::Run run = run_of(bytes, {Type::int32, Type::float64}, 10000);
  std::vector<double> n(9000);
  std::vector<std::int16_t> m(9000);
  std::vector<float> x(9000);
  ReadPlan plan;
  add_rows(plan, Place{.runs = {run}}, {1000, 9000},
           std::vector<ColumnTarget>{{1, View(x)}, {0, View(n)}, {0, View(m)}}, false);
  file_of(bytes).run(plan, 777);
  for (std::size_t i = 0; i < 9000; ++i) {
    ASSERT_EQ(n[i], static_cast<double>(i + 1000));
    ASSERT_EQ(m[i], static_cast<std::int16_t>(i + 1000));
    ASSERT_EQ(x[i], static_cast<float>(i + 1000) + 0.5F);
  }
}

/// Random values of every kind, written by the library's encoder and read again.
TEST(TextRows, WhatIsWrittenComesBack) {
  std::mt19937_64 random(7);
  constexpr std::size_t rows = 500;
  std::vector<double> x(rows);
  std::vector<float> y(rows);
  std::vector<long double> z(rows);
  std::vector<std::int64_t> n(rows);
  std::vector<char> c(rows);
  std::vector<std::string> s(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::uint64_t bits = random();
    std::memcpy(&x[i], &bits, 8);
    std::memcpy(&y[i], &bits, 4);
    if (std::isnan(x[i])) x[i] = std::numeric_limits<double>::infinity();
    if (std::isnan(y[i])) y[i] = -0.0F;
    z[i] = std::ldexp(static_cast<long double>(random()), static_cast<int>(random() % 20000) - 10000);
    n[i] = static_cast<std::int64_t>(random());
    c[i] = static_cast<char>(random());
    for (std::size_t length = random() % 12; length > 0; --length) s[i] += "a \"\\!\n\t\xc3?'1#"[random() % 12];
  }
  for (const std::int64_t lines : {1, 2, 3}) {
    quire::Run run = run_of(
        "", {Type::string, Type::float64, Type::float32, Type::float80, Type::character, Type::int64}, rows, lines);
    const std::vector<ConstView> sources{ConstView(s), ConstView(x), ConstView(y),
                                         ConstView(z), ConstView(c), ConstView(n)};
    run.bytes = text_bytes(run, sources);
    MemoryFile file(run.bytes);
    WritePlan written;
    add_rows(written, run, 0, rows, sources, 0);
    file.run(written, 100000);
    std::vector<double> x2(rows);
    std::vector<float> y2(rows);
    std::vector<long double> z2(rows);
    std::vector<std::int64_t> n2(rows);
    std::vector<char> c2(rows);
    PackedStrings s2;
    ReadPlan plan;
    const std::vector<ColumnTarget> targets{{0, View(s2, rows)}, {1, View(x2)}, {2, View(y2)},
                                            {3, View(z2)},       {4, View(c2)}, {5, View(n2)}};
    add_rows(plan, Place{.runs = {run}}, {0, rows}, targets, false);
    file.run(plan, 333);
    EXPECT_EQ(x2, x);
    EXPECT_EQ(y2, y);
    EXPECT_EQ(z2, z);
    EXPECT_EQ(n2, n);
    EXPECT_EQ(c2, c);
    for (std::size_t i = 0; i < rows; ++i) ASSERT_EQ(s2[i], s[i]);
  }
}

}  // namespace
}  // namespace quire::text_reading_test
