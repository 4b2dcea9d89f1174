// Writing pages of text with the pure planner: canonical files byte for byte, from any number of ranks.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "format/sdds/format.hpp"
#include "format/sdds/loaded_file.hpp"
#include "format/sdds/schema.hpp"
#include "format/sdds/vectors.hpp"
#include "quire/base/error.hpp"
#include "support/random_bytes.hpp"

namespace quire::sdds::text_planner_test {
namespace {

using test::header_of;
using test::load_file;
using test::LoadedFile;
using test::LoadedStep;
using test::MemoryWriter;
using test::not_from_the_model;
using test::write_file;

/// A binary file and a canonical one with the same content as text.
struct Twin {
  std::string binary;
  std::string text;
  Options options;
};

void PrintTo(const Twin& twin, std::ostream* out) { *out << twin.text; }

std::vector<Twin> twins() {
  return {
      {"types_bin_le_row.sdds", "types_ascii.sdds", {}},
      {"extremes_bin_le.sdds", "extremes_ascii.sdds", {}},
      {"pages_bin_le.sdds", "pages_ascii.sdds", {}},
      {"pages_bin_le.sdds", "lpr2_ascii.sdds", {{"lines_per_row", "2"}}},
      {"pages_bin_le.sdds", "nrc_ascii.sdds", {{"no_row_counts", "true"}}},
      {"pages_bin_le.sdds", "lpr4_nrc_ascii.sdds", {{"no_row_counts", "true"}, {"lines_per_row", "4"}}},
      {"arrays_bin_le.sdds", "arrays_ascii.sdds", {}},
      {"arrays_bin_nocols.sdds", "arrays_ascii_nocols.sdds", {}},
      {"header_bin.sdds", "header_ascii.sdds", {}},
      {"fixed_values_bin.sdds", "fixed_values_ascii.sdds", {}},
      {"params_only_bin.sdds", "params_only_ascii.sdds", {}},
      {"updated_bin.sdds", "updated_ascii.sdds", {}},
      {"rowflags_bin.sdds", "rowflags_ascii.sdds", {}},
  };
}

class TextTwin : public testing::TestWithParam<Twin> {};

TEST_P(TextTwin, CanonicalTextIsTheOtherFile) {
  const auto& [binary, text, extra] = GetParam();
  const std::string bytes = test::read_vector(binary);
  const std::string wanted = test::read_vector(text);
  const LoadedFile loaded = load_file(bytes);
  Options options{{"mode", "ascii"},
                  {"canonical", "true"},
                  {"step_parameter", has_step_parameter(header_of(bytes)) ? "true" : "false"}};
  options.insert(extra.begin(), extra.end());
  for (int ranks = 1; ranks <= 4; ++ranks) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    const std::string found = write_file(loaded, ranks, options);
    if (not_from_the_model().contains(binary)) {
      EXPECT_EQ(found.substr(header_of(found).data_offset), wanted.substr(header_of(wanted).data_offset));
    } else {
      EXPECT_EQ(found, wanted);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, TextTwin, testing::ValuesIn(twins()),
                         [](const auto& twin) { return test::test_name(twin.param.text); });

/// A step of one table with generated columns, for texts of any kind.
class TextPlans : public testing::Test {
 protected:
  /// Random rows of every type: numbers by their bits, strings of every byte but zero.
  static LoadedStep random_step(std::uint64_t rows, std::uint32_t seed) {
    test::Random random(seed);
    LoadedStep step;
    Table& table = step.description.tables.emplace_back();
    table.rows = rows;
    for (const Type type : {Type::float64, Type::float32, Type::float80, Type::int64, Type::uint16, Type::character,
                            Type::string, Type::string}) {
      Column& column = table.columns.emplace_back();
      column.name = "c" + std::to_string(table.columns.size());
      column.type = type;
      std::vector<std::byte>& numbers = step.numbers.emplace_back();
      PackedStrings& strings = step.strings.emplace_back();
      for (std::uint64_t row = 0; row < rows; ++row) {
        if (type == Type::string) {
          strings.push_back(random_text(random));
        } else {
          append_number(numbers, type, random);
        }
      }
    }
    return step;
  }

  static std::string random_text(test::Random& random) {
    // Mostly bytes that readers may misread.
    constexpr std::string_view hard = " \\\"!&\t\n,'#%";
    std::string text;
    for (std::uint64_t i = random.below(9); i > 0; --i) {
      text += random.below(2) == 0 ? hard[random.below(hard.size())] : static_cast<char>(1 + random.below(255));
    }
    return text;
  }

  static void append_number(std::vector<std::byte>& bytes, Type type, test::Random& random) {
    const std::size_t before = bytes.size();
    bytes.resize(before + size_of(type), std::byte{0});
    if (type == Type::float80) {
      const auto value = std::ldexp(static_cast<long double>(random.below(1ULL << 62)) + 0.5L,
                                    static_cast<int>(random.below(2000)) - 1000);
      std::memcpy(bytes.data() + before, &value, 10);
      return;
    }
    for (std::size_t i = 0; i < size_of(type); ++i) bytes[before + i] = static_cast<std::byte>(random.below(256));
    // NaN keeps its sign, but not its payload.
    if (type == Type::float64 || type == Type::float32) bytes.back() &= std::byte{0xbf};
  }

  static std::string write(const LoadedStep& step, const Options& options, int ranks = 1) {
    return write_file({{}, {step}}, ranks, options);
  }
  static ErrorKind refusal(const LoadedStep& step, const Options& options, int ranks = 1) {
    try {
      static_cast<void>(write(step, options, ranks));
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  }
};

TEST_F(TextPlans, KeepAllWrittenValues) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const LoadedStep step = random_step(1 + seed * 7, seed);
    for (const Options& variant : sdds_format().writing_variants) {
      if (variant.contains("canonical")) continue;  // fewer digits
      SCOPED_TRACE("seed " + std::to_string(seed));
      LoadedFile expected{{}, {step}};
      const LoadedFile found = load_file(write_file(expected, 3, variant));
      ASSERT_EQ(found.steps.size(), 1U);
      for (std::size_t c = 0; c < step.numbers.size(); ++c) {
        EXPECT_EQ(found.steps[0].numbers[c], step.numbers[c]) << c;
        EXPECT_EQ(found.steps[0].strings[c].bytes, step.strings[c].bytes) << c;
        EXPECT_EQ(found.steps[0].strings[c].offsets, step.strings[c].offsets) << c;
      }
    }
  }
}

TEST_F(TextPlans, RefuseLayoutsThatDoNotFit) {
  const LoadedStep step = random_step(3, 1);
  EXPECT_EQ(refusal(step, {{"mode", "ascii"}, {"lines_per_row", "9"}}), ErrorKind::usage);
  EXPECT_EQ(refusal(step, {{"mode", "ascii"}, {"lines_per_row", "-1"}}), ErrorKind::usage);
  EXPECT_EQ(refusal(step, {{"version", "4"}}), ErrorKind::unsupported);
  EXPECT_EQ(refusal(step, {{"version", "6"}}), ErrorKind::usage);
  EXPECT_TRUE(write(step, {{"version", "5"}}).starts_with("SDDS5\n"));

  LoadedStep zero = step;
  zero.strings.back().clear();
  for (const std::string& text : {std::string("a"), std::string("b\0c", 3), std::string()}) {
    zero.strings.back().push_back(text);
  }
  EXPECT_EQ(refusal(zero, {{"mode", "ascii"}}), ErrorKind::unsupported);
}

// The layout of rows is not in such a file, and the same options must not be refused.
TEST_F(TextPlans, FieldsAloneAreContinuedWithTheOptionsOfRows) {
  const std::vector<double> values(5, 2.5);
  for (const Options& rows :
       {Options{{"lines_per_row", "2"}}, Options{{"lines_per_row", "0"}}, Options{{"no_row_counts", "true"}},
        Options{{"fixed_row_count", "500"}}, Options{{"lines_per_row", "3"}, {"no_row_counts", "true"}}}) {
    Options options = rows;
    options["mode"] = "ascii";
    const auto write_step = [&](MemoryWriter& writer, std::int64_t number) {
      StepPart part;
      part.description.number = number;
      Field& field = part.description.fields.emplace_back();
      field.name = "f";
      field.extents = {5};
      part.fields.push_back({whole(field.extents), {ConstView(values)}, {}});
      std::vector<StepPart> parts;
      parts.push_back(std::move(part));
      writer.write(std::move(parts));
    };
    MemoryWriter at_once(sdds_format(), 1, options);
    MemoryWriter first(sdds_format(), 1, options);
    for (const std::int64_t number : {1, 2, 3}) write_step(at_once, number);
    write_step(first, 1);
    MemoryWriter more(sdds_format(), 1, options);
    more.resume(first.finish(), std::nullopt, false);
    for (const std::int64_t number : {2, 3}) write_step(more, number);
    const std::string found = more.finish();
    EXPECT_EQ(found, at_once.finish()) << rows.begin()->first;
    EXPECT_EQ(load_file(found).steps.size(), 3U);
  }
}

// The bytes after the blank line may be steps. They are removed only on request.
TEST_F(TextPlans, BytesAfterABlankLineAreDroppedOnlyOnRequest) {
  const std::string page = "1\n5\n";
  const std::string first = "SDDS1\n&array name=a, type=double &end\n&data mode=ascii &end\n" + page;
  const std::string bytes = first + "\n" + page + page;
  MemoryWriter refused(sdds_format(), 1, {});
  try {
    refused.resume(bytes, std::nullopt, false);
    FAIL() << "it was resumed";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::conflict) << error.what();
    EXPECT_NE(error.message().find("blank line"), std::string::npos) << error.what();
  }
  MemoryWriter dropping(sdds_format(), 1, {});
  dropping.resume(bytes, std::nullopt, true);
  EXPECT_EQ(dropping.finish(), first);
  // Blank lines alone are no step.
  MemoryWriter more(sdds_format(), 1, {});
  EXPECT_NO_THROW(more.resume(first + "\n \n", std::nullopt, false));
}

TEST_F(TextPlans, RowsWithMoreLinesThanColumnsAreNotAppended) {
  const std::string bytes =
      "SDDS1\n&column name=x, type=double &end\n&data mode=ascii, lines_per_row=2 &end\n1\n0.5\n\n";
  MemoryWriter refused(sdds_format(), 1, {});
  try {
    refused.resume(bytes, std::nullopt, false);
    FAIL() << "it was resumed";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported) << error.what();
    EXPECT_NE(error.message().find("more lines than columns"), std::string::npos) << error.what();
  }
}

// Step does not number the pages 5, 6, 3. Without the last one it would.
TEST_F(TextPlans, StepsAreNotDroppedIfOthersWouldBeNumberedAnew) {
  const std::string header =
      "SDDS1\n&parameter name=Step, type=long &end\n&column name=x, type=double &end\n&data mode=ascii &end\n";
  const std::string bytes = header + "5\n1\n0.5\n6\n1\n0.5\n3\n1\n0.5\n";
  for (const std::int64_t after : {0, 1}) {
    MemoryWriter refused(sdds_format(), 1, {});
    try {
      refused.resume(bytes, after, true);
      FAIL() << "it was resumed after " << after;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::conflict) << error.what();
      EXPECT_NE(error.message().find("other numbers"), std::string::npos) << error.what();
    }
  }
  MemoryWriter more(sdds_format(), 1, {});
  more.resume(bytes, 2, true);
  EXPECT_EQ(more.bytes(), bytes);
  const std::string page = "3\n1\n0.5\n";
  MemoryWriter dropping(sdds_format(), 1, {});
  dropping.resume(bytes + page, 2, true);
  EXPECT_EQ(dropping.bytes(), bytes);
}

TEST_F(TextPlans, RowsAfterABadOneAreDroppedOnlyOnRequest) {
  const std::string header = "SDDS1\n&column name=x, type=double &end\n&data mode=ascii, fixed_row_count=1 &end\n";
  MemoryWriter refused(sdds_format(), 1, {});
  EXPECT_THROW(refused.resume(header + "500\n1\nbad\n3\n", std::nullopt, false), Error);
  // Unfinished bytes have no rows: a line without an end, or zeros before bytes that another rank has written.
  for (const std::string& rest : {std::string("2."), std::string(2, '\0') + "\n3\n"}) {
    MemoryWriter more(sdds_format(), 1, {});
    more.resume(header + "500\n1\n" + rest, std::nullopt, false);
    EXPECT_EQ(more.bytes(), header + "  1\n1\n");
  }
}

TEST_F(TextPlans, CanonicalHeadersStayWithinWhatTheReferenceReads) {
  LoadedStep step = random_step(1, 3);
  Column& column = step.description.tables.front().columns.front();
  const std::string rest = "&column name=c1, description=, type=double,  &end";
  column.description = std::string(1023 - rest.size(), 'd');
  EXPECT_NO_THROW(static_cast<void>(write(step, {{"canonical", "true"}})));
  column.description += 'd';
  EXPECT_EQ(refusal(step, {{"canonical", "true"}}), ErrorKind::unsupported);
  EXPECT_NO_THROW(static_cast<void>(write(step, {})));
}

TEST_F(TextPlans, HeaderTextsAreReadBackUnchanged) {
  LoadedStep step = random_step(1, 3);
  for (const char* text :
       {"a&b", "&end", "now!", "! first", "a\"b\"c", "two words", "$gb$r", "back\\slash", "x=1, y=2"}) {
    step.description.tables.front().columns.front().description = text;
    for (const char* mode : {"binary", "ascii"}) {
      const LoadedFile found = load_file(write(step, {{"mode", mode}}));
      EXPECT_EQ(found.steps.at(0).description.tables.at(0).columns.at(0).description, text) << mode;
    }
  }
}

TEST_F(TextPlans, FieldsAreWrittenInTheOrderOfTheRanks) {
  StepPart part;
  Field& field = part.description.fields.emplace_back();
  field.name = "f";
  field.extents = {4, 4};
  const std::vector<double> values(16, 1.5);
  const auto refused = [&](const std::vector<Box>& boxes) {
    MemoryWriter writer(sdds_format(), static_cast<int>(boxes.size()), {{"mode", "ascii"}});
    std::vector<StepPart> parts;
    for (const Box& box : boxes) {
      parts.push_back(part);
      parts.back().fields.push_back({box, {ConstView(values).part(0, volume(box.count))}, {}});
    }
    try {
      writer.write(std::move(parts));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::unsupported);
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused({{{0, 0}, {1, 4}}, {{1, 0}, {0, 4}}, {{1, 0}, {3, 4}}}));
  EXPECT_TRUE(refused({{{0, 0}, {4, 2}}, {{0, 2}, {4, 2}}}));
  EXPECT_TRUE(refused({{{2, 0}, {2, 4}}, {{0, 0}, {2, 4}}}));
}

}  // namespace
}  // namespace quire::sdds::text_planner_test
