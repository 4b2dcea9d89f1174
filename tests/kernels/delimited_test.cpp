// Text in rows and cells, independent of the pieces in which it is passed.

#include "kernels/delimited.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "quire/base/error.hpp"

// From fuzz_delimited.cpp.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace quire::kernels::delimited_test {
namespace {

using Rows = std::vector<std::vector<std::string>>;

void add_rows(const DelimitedBlock& block, Rows& rows) {
  const std::size_t first = rows.size();
  rows.resize(first + block.rows());
  for (std::size_t column = 0; column < block.columns(); ++column) {
    PackedStrings texts;
    block.texts(column, texts);
    const auto bytes = block.text_bytes(column);
    for (std::size_t row = 0; row < block.rows(); ++row) {
      EXPECT_EQ(bytes[row], texts[row].size());
      rows[first + row].emplace_back(texts[row]);
    }
  }
}

/// All rows of a text that is passed in pieces of so many bytes.
Rows rows_of(const std::string& text, std::size_t piece, Dialect dialect = {}) {
  Rows rows;
  DelimitedBlock block(dialect);
  std::string rest;
  std::size_t columns = 0;
  std::uint64_t line = 1;
  for (std::size_t at = 0; at < text.size(); at += piece) {
    rest += text.substr(at, piece);
    const std::size_t taken = block.split(rest, at + piece >= text.size(), columns, line);
    add_rows(block, rows);
    if (block.rows() > 0) columns = block.columns();
    line = block.next_line();
    rest.erase(0, taken);
  }
  EXPECT_TRUE(rest.empty()) << rest;
  return rows;
}

std::string refusal(const std::string& text, Dialect dialect = {}) {
  try {
    static_cast<void>(rows_of(text, text.size(), dialect));
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

TEST(Delimited, PiecesOfAnySizeGiveTheSameRows) {
  const std::string text =
      "# a comment, no row\r\n"
      "a,\"b, b\",c\r\n\n"
      "\"two\nlines\",\"say \"\"x\"\"\",\n"
      " d , \"e\" ,f,\n"
      ",,\r\n"
      "last,\"\",\"\"";
  const Rows expected{
      {"a", "b, b", "c"}, {"two\nlines", "say \"x\"", ""}, {" d ", "e", "f"}, {"", "", ""}, {"last", "", ""}};
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    EXPECT_EQ(rows_of(text, piece, {',', '#'}), expected) << piece;
  }
}

TEST(Delimited, BlanksMayComeInRuns) {
  const std::string text = "  1   2\t3  \r\n\n! none\n4 \"a b\" 5\n 6\t \t7 8";
  const Rows expected{{"1", "2", "3"}, {"4", "a b", "5"}, {"6", "7", "8"}};
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    EXPECT_EQ(rows_of(text, piece, {' ', '!'}), expected) << piece;
  }
}

TEST(Delimited, TabsSeparateEmptyCells) {
  EXPECT_EQ(rows_of("\t\t\na\t\tb c\n", 100, {'\t', '\0'}), (Rows{{"", "", ""}, {"a", "", "b c"}}));
}

TEST(Delimited, WordsOfMissingValuesCountAsEmpty) {
  DelimitedBlock block({',', '\0', {"NA", "-"}});
  block.split("1,NA,NA\n NA ,-,b\n", true, 0, 1);
  std::vector<std::uint8_t> kinds(3);
  block.classify(kinds);
  EXPECT_EQ(kinds, (std::vector<std::uint8_t>{integer_cells | empty_cells, empty_cells, text_cells | empty_cells}));
  std::vector<double> values(2);
  block.values(0, View(values));
  EXPECT_EQ(values[0], 1);
  EXPECT_TRUE(std::isnan(values[1]));
}

TEST(Delimited, ErrorsNameTheLine) {
  EXPECT_EQ(refusal("a,b\n\n\"x\ny\",2\nc\n"), "line 5 has 1 cell instead of 2");
  EXPECT_EQ(refusal("a,b\n1,2,3\n"), "line 2 has 3 cells instead of 2");
  EXPECT_EQ(refusal("a,b\n1,\"2\n3"), "line 2 has a quote without its end");
  EXPECT_EQ(refusal("\"a\"b,c\n"), "line 1 has text after a quote");
  EXPECT_THROW(DelimitedBlock({'"', '\0'}), Error);
}

std::uint8_t kinds_of(const std::string& cell) {
  DelimitedBlock block({});
  const std::string text = cell + ",\n";
  block.split(text, true, 2, 1);
  std::array<std::uint8_t, 2> kinds{};
  block.classify(kinds);
  EXPECT_EQ(kinds[1], empty_cells);
  return kinds[0];
}

TEST(Delimited, CellsHaveKinds) {
  for (const char* text : {"1", "-1", "+7", " 42 ", "9223372036854775807", "\"5\""}) {
    EXPECT_EQ(kinds_of(text), integer_cells) << text;
  }
  for (const char* text : {"9223372036854775808", "-123456789012345678901"})
    EXPECT_EQ(kinds_of(text), wide_cells) << text;
  for (const char* text : {"1.", ".5", "1e3", "-1.5D+03", "nan", "-inf", "+2.5"}) {
    EXPECT_EQ(kinds_of(text), real_cells) << text;
  }
  for (const char* text : {"x", "1 2", "0x10", "1e400", "--1", "+-1", "1.5D", "-", "D5"}) {
    EXPECT_EQ(kinds_of(text), text_cells) << text;
  }
  EXPECT_EQ(kinds_of(" "), empty_cells);
}

TEST(Delimited, NumbersComeAsAskedForOrAreRefused) {
  DelimitedBlock block({});
  const std::string text = "0.1,1\n1D2,-2\n,300\n";
  block.split(text, true, 0, 10);
  std::vector<double> reals(3);
  block.values(0, View(reals));
  EXPECT_EQ(reals[0], 0.1);
  EXPECT_EQ(reals[1], 100.0);
  EXPECT_TRUE(std::isnan(reals[2]));
  std::vector<std::int16_t> integers(3);
  block.values(1, View(integers));
  EXPECT_EQ(integers, (std::vector<std::int16_t>{1, -2, 300}));
  std::vector<std::uint8_t> narrow(3);
  try {
    block.values(1, View(narrow));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "line 11: \"-2\" is not uint8");
    EXPECT_EQ(error.kind(), ErrorKind::type);
  }
}

TEST(Delimited, WhatIsPrintedIsReadBack) {
  const std::vector<double> reals{0.1, -0.0, 1e300, 5, 1.0 / 3};
  const std::vector<float> singles{0.1F, 1, 2, 3, 4};
  const std::vector<std::int64_t> integers{1, -2, 3, 4, 5};
  PackedStrings texts;
  for (const char* text : {"plain", "", "a,b", "say \"x\"", "two\nlines"}) texts.push_back(text);
  const std::vector<ConstView> columns{reals, singles, integers, texts};
  std::string out;
  append_rows(columns, ",", out);
  EXPECT_TRUE(out.starts_with("0.1,0.1,1,plain\n-0.0,1.0,-2,\"\"\n1e+300,2.0,3,\"a,b\"\n5.0,"));
  DelimitedBlock block({});
  block.split(out, true, 4, 1);
  std::vector<double> read(5);
  block.values(0, View(read));
  EXPECT_EQ(read, reals);
  PackedStrings back;
  block.texts(3, back);
  EXPECT_EQ(back.bytes, texts.bytes);
  EXPECT_EQ(back.offsets, texts.offsets);
}

TEST(Delimited, AnyBytesGiveTheSameRowsOrErrorInAnyPieces) {
  std::mt19937 random(1);
  const std::string alphabet = "a1.e-,; \t\"\n\r#";
  for (int round = 0; round < 20000; ++round) {
    std::string text(2 + random() % 30, '\0');
    for (char& byte : text) byte = alphabet[random() % alphabet.size()];
    text[0] = static_cast<char>(random());
    text[1] = static_cast<char>(random());
    EXPECT_NO_THROW(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size()))
        << ::testing::PrintToString(text);
  }
}

}  // namespace
}  // namespace quire::kernels::delimited_test
