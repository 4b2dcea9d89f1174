// Rows and arrays as text: every byte by the rules of specs/sdds.md section 3.8, in pieces of any size.

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "format/records.hpp"
#include "format/text/token_print.hpp"
#include "quire/base/error.hpp"
#include "records/memory_file.hpp"

namespace quire::records_text_test {
namespace {

using test::MemoryFile;

Run text_run(std::vector<Type> types, std::uint64_t records, TextStyle style = TextStyle::canonical,
             std::int64_t lines = 1) {
  Run run;
  run.records = records;
  for (std::size_t i = 0; i < types.size(); ++i) run.cells.push_back({i, types[i]});
  run.text.emplace();
  run.text->style = style;
  run.text->lines_per_row = lines;
  return run;
}

/// The text of all rows, written in pieces of this size; `blocks` rows are added at once.
std::string written(Run run, const std::vector<ConstView>& views, std::size_t piece = 1 << 20,
                    std::uint64_t blocks = std::numeric_limits<std::uint64_t>::max()) {
  run.bytes = text_bytes(run, views);
  run.offset = 3;
  WritePlan plan;
  std::uint64_t position = 0;
  for (std::uint64_t first = 0; first < run.records;) {
    const std::uint64_t count = std::min(blocks, run.records - first);
    std::vector<ConstView> part;
    for (const ConstView& view : views) part.push_back(view.part(first, count));
    position = add_rows(plan, run, first, count, part, position);
    first += count;
  }
  EXPECT_EQ(position, run.bytes);
  MemoryFile file(3 + run.bytes + 1);
  file.run(plan, piece);
  EXPECT_EQ(file.bytes().back(), std::byte{0xcc}) << "beyond the end";
  return {reinterpret_cast<const char*>(file.bytes().data()) + 3, static_cast<std::size_t>(run.bytes)};
}

std::string token(std::string_view text, TextStyle style) {
  std::string out(text::most_bytes_of(text), '#');
  out.resize(static_cast<std::size_t>(text::print_string(text, style, out.data()) - out.data()));
  EXPECT_EQ(text::string_bytes(text, style), out.size());
  return out;
}

std::string character(char c, TextStyle style) {
  std::string out(text::widest_character, '#');
  out.resize(static_cast<std::size_t>(text::print_character(c, style, out.data()) - out.data()));
  EXPECT_EQ(text::character_bytes(c, style), out.size());
  return out;
}

TEST(Tokens, StringsGetQuotesAndEscapes) {
  const auto canonical = [](std::string_view text) { return token(text, TextStyle::canonical); };
  EXPECT_EQ(canonical("plain"), "plain");
  EXPECT_EQ(canonical(""), "\"\"");
  EXPECT_EQ(canonical("  "), "\"  \"");
  EXPECT_EQ(canonical("two words"), "\"two words\"");
  EXPECT_EQ(canonical("a ! b"), R"("a \! b")");
  EXPECT_EQ(canonical("bang!"), R"(bang\!)");
  EXPECT_EQ(canonical("a\"b c\"d"), R"("a\"b c\"d")");
  EXPECT_EQ(canonical("tab\there\n"), R"("tab\011here\012")");
  EXPECT_EQ(canonical("\x01\x1f\x7f"), R"(\001\037\177)");
  EXPECT_EQ(canonical("e nd\\\\"), R"("e nd\\\\")");
  EXPECT_EQ(canonical("Gr\xc3\xb6\xc3\x9f"
                      "e"),
            "Gr\xc3\xb6\xc3\x9f"
            "e");
}

TEST(Tokens, TheLosslessStyleAvoidsWhatReadersMisread) {
  const auto lossless = [](std::string_view text) { return token(text, TextStyle::lossless); };
  EXPECT_EQ(lossless("a ! b"), R"("a \041 b")");
  EXPECT_EQ(lossless("end\\\\"), R"(end\\\\)");
  EXPECT_EQ(lossless("e nd\\"), R"("e nd\\")");
  EXPECT_EQ(lossless("e nd\\\\"), R"("e nd\134\134")");
  EXPECT_EQ(lossless("e \\ nd\\\\\\"), R"("e \\ nd\134\134\134")");
  EXPECT_EQ(lossless("a\\\\\"b c"), R"("a\134\134\"b c")");
  EXPECT_EQ(lossless("a\\\"b \\\\c"), R"("a\\\"b \\\\c")");
  EXPECT_EQ(lossless("\\\\\"\\\\\" \\\\"), R"("\134\134\"\134\134\" \134\134")");
}

TEST(Tokens, CharactersHaveNoQuotes) {
  EXPECT_EQ(character('a', TextStyle::canonical), "a");
  EXPECT_EQ(character(' ', TextStyle::canonical), R"(\040)");
  EXPECT_EQ(character('\0', TextStyle::canonical), R"(\000)");
  EXPECT_EQ(character('\n', TextStyle::canonical), R"(\012)");
  EXPECT_EQ(character('!', TextStyle::canonical), R"(\!)");
  EXPECT_EQ(character('!', TextStyle::lossless), R"(\041)");
  EXPECT_EQ(character('\\', TextStyle::lossless), R"(\\)");
  EXPECT_EQ(character('"', TextStyle::lossless), R"(\")");
  EXPECT_EQ(character('\xe9', TextStyle::canonical), "\xe9");
}

/// Three rows of four columns.
class TextRun : public testing::Test {
 protected:
  [[nodiscard]] std::vector<ConstView> views() const {
    return {ConstView(id_), ConstView(x_), ConstView(std::span<const std::string>(name_)), ConstView(flag_)};
  }
  [[nodiscard]] static std::vector<Type> types() { return {Type::int32, Type::float64, Type::string, Type::character}; }

  std::vector<std::int32_t> id_{0, -1, 22};
  std::vector<double> x_{0, 0.1, -1e300};
  std::vector<std::string> name_{"el 0", "el1", ""};
  std::vector<char> flag_{'0', ' ', '2'};
};

TEST_F(TextRun, CanonicalRows) {
  const std::string wanted =
      "0  0.000000000000000e+00 \"el 0\" 0 \n"
      "-1  1.000000000000000e-01 el1 \\040 \n"
      "22 -1.000000000000000e+300 \"\" 2 \n";
  for (const std::size_t piece : {1U, 2U, 7U, 64U, 100U, 4096U}) {
    EXPECT_EQ(written(text_run(types(), 3), views(), piece), wanted) << piece;
    EXPECT_EQ(written(text_run(types(), 3), views(), piece, 2), wanted) << piece;
  }
}

TEST_F(TextRun, LosslessRows) {
  const std::string wanted =
      "0 0 \"el 0\" 0 \n"
      "-1 0.1 el1 \\040 \n"
      "22 -1e+300 \"\" 2 \n";
  EXPECT_EQ(written(text_run(types(), 3, TextStyle::lossless), views(), 5), wanted);
}

TEST_F(TextRun, RowsOverSeveralLines) {
  const auto first = [&](std::int64_t lines) {
    const std::string all = written(text_run(types(), 3, TextStyle::lossless, lines), views());
    return all.substr(0, all.find("-1"));
  };
  EXPECT_EQ(first(0), "0 0 \"el 0\" 0 \n");
  EXPECT_EQ(first(2), "0 0\n\"el 0\" 0 \n");
  EXPECT_EQ(first(3), "0\n0\n\"el 0\" 0 \n");
  EXPECT_EQ(first(4), "0\n0\n\"el 0\"\n0 \n");
  EXPECT_THROW(static_cast<void>(first(5)), Error);
}

TEST_F(TextRun, ValuesAreConverted) {
  const std::vector<std::int8_t> narrow{-128, 0, 127};
  const std::vector<std::int32_t> wide{1, 2, 3};
  const std::string wanted = "-128 1 \n0 2 \n127 3 \n";
  const auto run = text_run({Type::int16, Type::float64}, 3, TextStyle::lossless);
  EXPECT_EQ(written(run, {ConstView(narrow), ConstView(wide)}, 6), wanted);

  const std::vector<double> fractions{1, 2.5, 3};
  try {
    static_cast<void>(text_bytes(text_run({Type::int32}, 3), std::vector<ConstView>{ConstView(fractions)}));
    FAIL() << "a fraction became an integer";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::type);
    EXPECT_NE(error.message().find("row 1"), std::string::npos) << error.message();
  }
}

TEST_F(TextRun, ManyRowsOfConvertedValues) {
  std::vector<std::int16_t> numbers(20000);
  std::string wanted;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<std::int16_t>(i * 7);
    wanted += std::to_string(numbers[i]) + " \n";
  }
  EXPECT_EQ(written(text_run({Type::int64}, numbers.size()), {ConstView(numbers)}, 1000), wanted);
}

TEST_F(TextRun, ArraysHaveSixValuesALine) {
  std::vector<std::int32_t> numbers(14);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(i);
  const auto part = [&](std::uint64_t first, std::uint64_t count) {
    auto run = text_run({Type::int32}, count);
    run.text->values_per_line = 6;
    run.text->first_value = first;
    run.text->values = numbers.size();
    return written(run, {ConstView(numbers).part(first, count)}, 3);
  };
  const std::string all = "0 1 2 3 4 5\n6 7 8 9 10 11\n12 13\n";
  EXPECT_EQ(part(0, 14), all);
  EXPECT_EQ(part(0, 4) + part(4, 0) + part(4, 2) + part(6, 7) + part(13, 1), all);
}

TEST_F(TextRun, ZeroBytesCannotBeKept) {
  const std::vector<std::string> texts{"a", std::string("b\0c", 3)};
  const std::vector<ConstView> views{ConstView(std::span<const std::string>(texts))};
  try {
    static_cast<void>(text_bytes(text_run({Type::string}, 2), views, false, std::vector<std::string>{"name"}));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_EQ(error.object(), "name");
  }
}

TEST_F(TextRun, ValuesThatChangeMeanwhileAreAnError) {
  for (const double changed : {1.0, 0.123456789}) {
    std::vector<double> values{0.5, 0.25};
    const std::vector<ConstView> views{ConstView(values)};
    auto run = text_run({Type::float64}, 2, TextStyle::lossless);
    run.bytes = text_bytes(run, views);
    WritePlan plan;
    static_cast<void>(add_rows(plan, run, 0, 2, views, 0));
    values[1] = changed;
    MemoryFile file(static_cast<std::size_t>(run.bytes));
    EXPECT_THROW(file.run(plan, 100), Error) << changed;
  }
}

TEST_F(TextRun, APlanNeedsNoValues) {
  const ConstView nothing(Type::float64, nullptr, 1000, 8);
  EXPECT_EQ(text_bytes(text_run({Type::float64}, 1000), std::vector<ConstView>{nothing}), 24000U);
}

}  // namespace
}  // namespace quire::records_text_test
