// Pages of text: defects that are found from line ends alone, or by checking every value, and recovery.
//
// The values of the vectors are compared with their truths by tests/format/conformance.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "format/records.hpp"
#include "format/sdds/format.hpp"
#include "format/sdds/loaded_file.hpp"
#include "format/sdds/text_title.hpp"
#include "format/sdds/vectors.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/format/describer_capabilities.hpp"

namespace quire::sdds::text_page_test {
namespace {

std::unique_ptr<Describer> describer_of(std::string bytes, const Options& options = {}) {
  return sdds_format().describe(std::make_shared<test::MemorySource>(std::move(bytes)), test::context_of("file"),
                                CheckedOptions(sdds_format().read_options, options));
}

const std::string columns = "SDDS1\n&column name=x, type=double &end\n&column name=s, type=string &end\n";
const std::string counted = columns + "&data mode=ascii &end\n";
const std::string uncounted = columns + "&data mode=ascii, no_row_counts=1 &end\n";

std::string rows_from(int first, int count) {
  std::string bytes;
  for (int i = first; i < first + count; ++i) bytes += std::to_string(i) + ".25 \"row " + std::to_string(i) + "\"\n";
  return bytes;
}

/// The numbers of the rows, which are in their strings.
std::vector<double> numbers_of(const StepLayout& step, const std::string& bytes, const Slice& rows) {
  test::Rows found = test::read_rows(step, bytes, rows);
  for (std::size_t i = 0; i < found.numbers.size(); ++i) {
    EXPECT_EQ(found.texts[i], "row " + std::to_string(static_cast<int>(found.numbers[i])));
  }
  return found.numbers;
}

/// The values of a column in some rows: strings, and the bytes of numbers.
std::vector<std::string> column_values(const StepLayout& step, const std::string& bytes, std::size_t column,
                                       const Slice& rows) {
  const Type type = step.description.tables.front().columns[column].type;
  const std::size_t size = size_of(type);
  std::string numbers(static_cast<std::size_t>(rows.count) * size, '\0');
  PackedStrings strings;
  auto* memory = reinterpret_cast<std::byte*>(numbers.data());
  const View view =
      size == 0 ? View(strings, rows.count) : View(type, memory, rows.count, static_cast<std::ptrdiff_t>(size));
  ReadPlan plan;
  add_rows(plan, step.tables.front(), rows, std::vector<ColumnTarget>{{column, view, {}}}, false);
  for (const ReadExtent& extent : plan.extents) {
    const auto in = std::as_bytes(std::span(bytes)).subspan(extent.offset, extent.length);
    EXPECT_EQ(std::get<std::shared_ptr<Decoder>>(extent.target)->decode(0, in), in.size());
  }
  std::vector<std::string> values;
  for (std::size_t i = 0; i < rows.count; ++i) {
    values.push_back(size == 0 ? std::string(strings[i]) : numbers.substr(i * size, size));
  }
  return values;
}

Error damage_of(Describer& describer, std::uint64_t index) {
  try {
    static_cast<void>(describer.step(index));
  } catch (const Error& error) {
    return error;
  }
  return {ErrorKind::internal, "no damage"};
}

void replay(const Publication& acts, std::string& bytes) {
  for (const PublishAct& act : acts) {
    if (const auto* write = std::get_if<PublishWrite>(&act)) {
      const std::string text(reinterpret_cast<const char*>(write->bytes.data()), write->bytes.size());
      bytes.resize(std::max<std::size_t>(bytes.size(), write->offset + text.size()));
      bytes.replace(write->offset, text.size(), text);
    } else if (const auto* resize = std::get_if<PublishResize>(&act)) {
      bytes.resize(resize->size);
    }
  }
}

TEST(TextPages, AnyRowsOfALargeTableAreReadFromFewBytes) {
  const std::string bytes = counted + "100000\n" + rows_from(0, 100000);
  const auto step = describer_of(bytes)->step(0);
  ASSERT_TRUE(step.has_value());
  const quire::Run& run = step->tables.front().runs.front();
  EXPECT_EQ(run.records, 100000U);
  EXPECT_LE(run.marks.offsets.size(), 4096U);
  EXPECT_EQ(run.marks.every, 32U);
  for (const std::uint64_t first : {0U, 31U, 32U, 50001U, 99990U}) {
    const auto found = numbers_of(*step, bytes, {first, 10});
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(found[i], static_cast<double>(first + i) + 0.25);
    std::vector<double> x(10);
    ReadPlan plan;
    add_rows(plan, step->tables.front(), {first, 10}, std::vector<ColumnTarget>{{0, View(x), {}}}, false);
    EXPECT_LE(plan.bytes(), 64U * 30U);
  }
}

std::vector<test::Vector> good_vectors() {
  std::vector<test::Vector> vectors = test::vectors("ok", "ascii");
  std::erase_if(vectors, [](const test::Vector& vector) { return vector.name.starts_with("bad"); });
  return vectors;
}

// Ranks that start at any mark must read the same rows as one rank from the beginning.
class TextVectors : public testing::TestWithParam<test::Vector> {};

TEST_P(TextVectors, HaveTheSameRowsFromAnywhere) {
  const std::string bytes = GetParam().bytes();
  const auto describer = test::describer_of(GetParam().name, bytes);
  const std::uint64_t steps = describer->steps();
  for (std::uint64_t index = 0; index < steps; ++index) {
    const auto step = describer->step(index);
    ASSERT_TRUE(step.has_value());
    for (std::size_t t = 0; t < step->tables.size(); ++t) {
      const Table& table = step->description.tables[t];
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const auto all = column_values(*step, bytes, c, {0, table.rows});
        for (std::uint64_t ranks = 2; ranks <= 4; ++ranks) {
          std::vector<std::string> parts;
          for (std::uint64_t rank = 0; rank < ranks; ++rank) {
            const std::uint64_t first = table.rows * rank / ranks;
            const auto part = column_values(*step, bytes, c, {first, table.rows * (rank + 1) / ranks - first});
            parts.insert(parts.end(), part.begin(), part.end());
          }
          ASSERT_EQ(parts, all) << table.columns[c].name << " on " << ranks << " ranks";
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, TextVectors, testing::ValuesIn(good_vectors()),
                         [](const testing::TestParamInfo<test::Vector>& one) {
                           return test::test_name(one.param.name);
                         });

// A cut number is another number: in a file that ends anywhere, only rows with their line end are complete.
TEST(TextPages, EveryPrefixKeepsItsCompleteRows) {
  const std::string bytes = counted + "12\n" + rows_from(95, 12);
  // From there on the last row has all of its values, and only a line end shows that they are complete.
  const std::size_t last_values = bytes.rfind('"', bytes.size() - 3) + 1;
  for (std::size_t length = counted.size() + 3; length < last_values; ++length) {
    SCOPED_TRACE(length);
    const std::string cut = bytes.substr(0, length);
    const auto describer = describer_of(cut);
    ASSERT_EQ(describer->steps(), 0U);
    EXPECT_EQ(damage_of(*describer, 0).kind(), ErrorKind::bad_file);
    const auto saved = salvaged_step(*describer, 0);
    ASSERT_TRUE(saved.has_value());
    const auto complete = std::count(cut.begin() + static_cast<std::ptrdiff_t>(counted.size()) + 3, cut.end(), '\n');
    const std::uint64_t rows = saved->description.tables.front().rows;
    ASSERT_EQ(rows, static_cast<std::uint64_t>(complete));
    const auto found = numbers_of(*saved, cut, {0, rows});
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], static_cast<double>(95 + i) + 0.25);
  }
}

TEST(TextPages, MissingRowsOfAFixedRowCountAreNoDamageAndAreRepaired) {
  const std::string header = columns + "&data mode=ascii, fixed_row_count=1 &end\n";
  std::string bytes = header + "                1000\n" + rows_from(0, 3) + "3.2";
  const auto describer = describer_of(bytes);
  ASSERT_EQ(describer->steps(), 1U);
  EXPECT_EQ(describer->step(0)->description.tables.front().rows, 3U);
  EXPECT_EQ(describer->step(0)->description.warnings.size(), 1U);
  replay(repair_acts(*describer), bytes);
  EXPECT_EQ(bytes, header + "                   3\n" + rows_from(0, 3));
  EXPECT_TRUE(repair_acts(*describer_of(bytes)).empty()) << "a second repair changes nothing";
}

TEST(TextPages, RowsAfterABadOneOfAFixedRowCountStay) {
  const std::string header = columns + "&data mode=ascii, fixed_row_count=1 &end\n";
  std::string bytes = header + "                1000\n" + rows_from(0, 3) + "bad\n" + rows_from(4, 2);
  const auto describer = describer_of(bytes);
  ASSERT_EQ(describer->steps(), 1U);
  EXPECT_EQ(describer->step(0)->description.tables.front().rows, 3U);
  EXPECT_EQ(describer->file().warnings.size(), 1U) << "that nothing after it is read";
  EXPECT_TRUE(repair_acts(*describer).empty());
}

TEST(TextPages, WithoutRowCountsMissingRowsAreDamage) {
  std::string bytes =
      columns + "&data mode=ascii, no_row_counts=1, fixed_row_count=1 &end\n" + rows_from(0, 3) + "bad\n";
  const auto describer = describer_of(bytes);
  EXPECT_EQ(describer->steps(), 0U);
  EXPECT_EQ(damage_of(*describer, 0).kind(), ErrorKind::bad_file);
  EXPECT_TRUE(repair_acts(*describer).empty());
}

// In a stream of values, blanks are a field of fixed width only if something follows on their line.
TEST(TextPages, BlankFieldsBeforeTheEndOfALineAreRead) {
  const std::string stream =
      "SDDS1\n&column name=x, type=double &end\n"
      "&column name=s, type=string, field_length=2 &end\n"
      "&data mode=ascii, lines_per_row=0 &end\n";
  const std::string surplus = stream + "2\n1 a2   more\n";
  const auto step = verified_step(*describer_of(surplus), 0);
  ASSERT_TRUE(step.has_value());
  EXPECT_EQ(column_values(*step, surplus, 1, {0, 2}), (std::vector<std::string>{" a", "  "}));

  std::string damaged = stream + "5\n1 a2 b\n3 c4   bad\n";
  const auto describer = describer_of(damaged);
  EXPECT_EQ(describer->steps(), 0U);
  EXPECT_EQ(damage_of(*describer, 0).kind(), ErrorKind::bad_file);
  const auto saved = salvaged_step(*describer, 0);
  ASSERT_TRUE(saved.has_value());
  EXPECT_EQ(column_values(*saved, damaged, 1, {0, 2}), (std::vector<std::string>{" a", " b"}));
  EXPECT_EQ(saved->description.tables.front().rows, 2U) << "the line of the damage is not kept";
  EXPECT_EQ(damaged.substr(saved->end), "3 c4   bad\n");
}

TEST(TextPages, BadValuesAreFoundByCheckingValues) {
  const std::string bytes = counted + "4\n" + rows_from(0, 2) + "abc x\n" + rows_from(3, 1) + "1\n" + rows_from(0, 1);
  const auto describer = describer_of(bytes);
  EXPECT_EQ(describer->steps(), 2U);
  EXPECT_TRUE(verified_step(*describer, 1).has_value());
  try {
    static_cast<void>(verified_step(*describer, 0));
    FAIL() << "not seen";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("\"abc\""), std::string::npos) << error.what();
    EXPECT_NE(error.object().find("column x"), std::string::npos);
    EXPECT_EQ(error.offset(), bytes.find("abc"));
  }
  EXPECT_EQ(describer->steps(), 0U);
  EXPECT_EQ(damage_of(*describer, 0).kind(), ErrorKind::bad_file);
  ASSERT_TRUE(salvaged_step(*describer, 0).has_value());
  EXPECT_EQ(numbers_of(*salvaged_step(*describer, 0), bytes, {0, 2}), (std::vector<double>{0.25, 1.25}));
}

TEST(TextPages, TolerancesAreWarnedOfAndStrictlyRefused) {
  const std::string odd = counted + "2 rows\n1,000 a\n2.5x b more\n";
  const auto step = verified_step(*describer_of(odd), 0);
  ASSERT_TRUE(step.has_value());
  EXPECT_EQ(step->description.warnings.size(), 2U) << "values cut and surplus values";
  EXPECT_EQ(test::read_rows(*step, odd, {0, 2}).numbers, (std::vector<double>{1, 2.5}));
  EXPECT_THROW(static_cast<void>(verified_step(*describer_of(odd, {{"strict", "true"}}), 0)), Error);
  const std::string parameter = "SDDS1\n&parameter name=p, type=short &end\n&data mode=ascii &end\n40000\n";
  EXPECT_EQ(describer_of(parameter)->step(0)->description.warnings.size(), 1U);
  EXPECT_THROW(static_cast<void>(describer_of(parameter, {{"strict", "true"}})->step(0)), Error);
  const std::string blank_end = counted + "1\n1 a\n\n \r\n";
  EXPECT_EQ(describer_of(blank_end)->steps(), 1U);
  EXPECT_EQ(describer_of(blank_end)->step(0)->description.warnings.size(), 1U);
  EXPECT_EQ(damage_of(*describer_of(blank_end, {{"strict", "true"}}), 1).kind(), ErrorKind::bad_file);
}

// 3.5 may have become 3: only a line end shows that a number is complete.
TEST(TextPages, ALastLineWithoutAnEndIsWarnedOfAndStrictlyRefused) {
  const std::string parameter = "SDDS1\n&parameter name=p, type=double &end\n&data mode=ascii &end\n3";
  const std::string array = "SDDS1\n&array name=a, type=double &end\n&data mode=ascii &end\n2\n1 3";
  for (const std::string& bytes :
       {counted + "2\n1 a\n3 b", uncounted + "1 a\n3 b", uncounted + "1 a\n3", parameter, array}) {
    SCOPED_TRACE(bytes);
    for (const bool is_cut : {true, false}) {
      const std::string file = is_cut ? bytes : bytes + '\n';
      EXPECT_EQ(describer_of(file)->step(0)->description.warnings.size(), is_cut ? 1U : 0U);
      EXPECT_EQ(verified_step(*describer_of(file), 0)->description.warnings.size(), is_cut ? 1U : 0U);
      const auto strict = describer_of(file, {{"strict", "true"}});
      EXPECT_EQ(strict->steps(), is_cut ? 0U : 1U);
      if (!is_cut) continue;
      EXPECT_EQ(damage_of(*strict, 0).offset(), file.size());
    }
  }
}

TEST(TextPages, RowsWithoutACountEndAtABlankLine) {
  const std::string bytes = uncounted + rows_from(0, 2) + "2.5\n \t\r\n" + rows_from(3, 1) + "\n\n";
  const auto describer = describer_of(bytes);
  ASSERT_EQ(describer->steps(), 3U);
  EXPECT_EQ(numbers_of(*describer->step(0), bytes, {0, 2}), (std::vector<double>{0.25, 1.25})) << "and half a row";
  EXPECT_EQ(describer->step(1)->description.tables.front().rows, 1U);
  EXPECT_EQ(describer->step(2)->description.tables.front().rows, 0U);
  EXPECT_EQ(describer_of(uncounted)->steps(), 1U) << "an empty first page";
  const auto broken = describer_of(uncounted + "1 a\n2\n3 c\n4 d\n");
  EXPECT_THROW(static_cast<void>(verified_step(*broken, 0)), Error);
}

// The reference writes the empty line between pages even without rows, but cannot read such files.
TEST(TextPages, PagesWithoutRowsMayBeSplitByABlankLine) {
  const std::string header = "SDDS1\n&parameter name=p, type=string &end\n&data mode=ascii, no_row_counts=1 &end\n";
  const auto describer = describer_of(header + "a\n\nb\n\n! page number 3\nc\n");
  ASSERT_EQ(describer->steps(), 3U);
  EXPECT_EQ(describer->step(1)->description.attributes.front().value, Value("b"));
  EXPECT_EQ(describer->step(2)->description.attributes.front().value, Value("c"));
}

TEST(TextPages, ABlankLineBeforeTheFirstArrayEndsTheData) {
  const std::string array = "&array name=a, type=double &end\n";
  const std::string page = "1\n5\n1\n1 a\n";
  for (const auto& [parameter, value] : {std::pair("", ""), std::pair("&parameter name=p, type=short &end\n", "7\n")}) {
    const std::string header = std::string("SDDS1\n") + parameter + array + counted.substr(counted.find('\n') + 1);
    for (const auto& [pages, steps] : {std::pair(value + page, 1U), std::pair(std::string(), 0U)}) {
      const std::string bytes = header + pages + value + "\n2\n5 6\n1\n1 a\n";
      const auto describer = describer_of(bytes);
      EXPECT_EQ(describer->steps(), steps);
      EXPECT_FALSE(describer->step(steps).has_value());
      ASSERT_EQ(describer->file().warnings.size(), 1U) << "the rest of the file is reported";
      const auto strict = describer_of(bytes, {{"strict", "true"}});
      EXPECT_EQ(strict->steps(), steps);
      EXPECT_EQ(damage_of(*strict, steps).kind(), ErrorKind::bad_file);
    }
  }
  const std::string two = "SDDS1\n" + array + "&array name=b, type=double &end\n&data mode=ascii &end\n1\n5\n\n1\n6\n";
  EXPECT_EQ(damage_of(*describer_of(two), 0).object(), "step at position 0, array b");
}

TEST(TextPages, ABackslashDoesNotContinueATokenAfterABlank) {
  const std::string bytes = counted + "2\n1 a\\ b\n2 \"a\\ b\"\n";
  const PackedStrings texts = test::read_rows(*verified_step(*describer_of(bytes), 0), bytes, {0, 2}).texts;
  EXPECT_EQ(texts[0], "a\\");
  EXPECT_EQ(texts[1], "a\\ b");
}

TEST(TextPages, BlankLinesAtTheEndAreNoPage) {
  const std::string header = "SDDS1\n&parameter name=p, type=short &end\n&column name=x, type=double &end\n";
  const std::string page = "&data mode=ascii, no_row_counts=1 &end\n1\n2.5\n";
  for (const auto& [rest, warnings] : {std::pair("", 0U), std::pair("\n", 0U), std::pair("\n \r\n", 1U)}) {
    const std::string bytes = header + page + rest;
    const auto describer = describer_of(bytes);
    ASSERT_EQ(describer->steps(), 1U);
    EXPECT_EQ(describer->step(0)->description.warnings.size(), warnings);
    EXPECT_EQ(describer->step(0)->end, (header + page).size()) << "another page would be added there";
    EXPECT_TRUE(repair_acts(*describer).empty());
  }
}

TEST(TextPages, FilesWithoutRowCountsAreReadOnRequest) {
  const std::string header = columns + "&column name=n, type=long &end\n&data mode=ascii &end\n";
  const std::string bytes = header + "1.5e-1 a 1\n2.5 b 2\n";
  const Error error = damage_of(*describer_of(bytes), 0);
  EXPECT_NE(error.advice().find("no_row_counts=true"), std::string::npos) << error.what();
  const auto asked = describer_of(bytes, {{"no_row_counts", "true"}});
  EXPECT_EQ(asked->file().warnings.size(), 1U);
  EXPECT_EQ(test::read_rows(*asked->step(0), bytes, {0, 2}).numbers, (std::vector<double>{0.15, 2.5}));
}

// The last writes of a step, cut anywhere: the step is whole or unfinished, and repair drops an unfinished one.
TEST(TextPages, AnUnfinishedStepIsDropped) {
  const std::string whole = counted + page_comment(1, true) + count_text(1, false) + "\n" + rows_from(0, 1);
  const std::string guarded = page_comment(2, false) + unfinished_count_line() + rows_from(0, 120);
  const std::string published = page_comment_state(true);
  const std::string sealed = count_text(120, true);
  const auto expect_unfinished = [&](const std::string& second) {
    std::string bytes = whole + second;
    const auto describer = describer_of(bytes);
    ASSERT_EQ(describer->steps(), 1U) << second.substr(0, 40);
    EXPECT_NE(damage_of(*describer, 1).message().find("unfinished step"), std::string::npos) << second.substr(0, 40);
    replay(repair_acts(*describer), bytes);
    EXPECT_EQ(bytes, whole);
  };
  std::string second = guarded;
  for (std::size_t i = 0; i < published.size(); ++i) {
    expect_unfinished(second);
    second[i] = published[i];
  }
  const std::size_t count = page_comment(2, true).size();
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    expect_unfinished(second);
    second[count + i] = sealed[i];
  }
  expect_unfinished(second);
  second[count + count_seal(120)] = ' ';
  EXPECT_EQ(describer_of(whole + second)->steps(), 2U);
}

TEST(TextPages, ImpossibleCountsAreRefused) {
  EXPECT_EQ(damage_of(*describer_of(counted + "9223372036854775807\n" + rows_from(0, 2)), 0).kind(),
            ErrorKind::bad_file);
  const std::string array = "SDDS1\n&array name=a, type=long, dimensions=2 &end\n&data mode=ascii &end\n";
  EXPECT_EQ(damage_of(*describer_of(array + "65536 65536\n1 2\n"), 0).kind(), ErrorKind::bad_file);
  EXPECT_EQ(damage_of(*describer_of(array + "-1 -1\n1\n"), 0).kind(), ErrorKind::bad_file);
  EXPECT_EQ(damage_of(*describer_of(array + "2\n1 2\n"), 0).kind(), ErrorKind::bad_file);
}

TEST(TextPages, DimensionsBeyond64BitsAreRefusedWithTheirOffset) {
  const std::string header = "SDDS1\n&array name=a, type=long, dimensions=3 &end\n&data mode=";
  const std::string text = header + "ascii &end\n2147483647 2147483647 2147483647\n1\n";
  const std::string binary =
      header + "binary &end\n" + std::string(4, '\0') + "\xff\xff\xff\x7f\xff\xff\xff\x7f\xff\xff\xff\x7f";
  for (const std::string& bytes : {text, binary}) {
    const auto describer = describer_of(bytes);
    const Error damage = damage_of(*describer, 0);
    EXPECT_NE(std::string(damage.what()).find("exceeds 64 bits"), std::string::npos) << damage.what();
    EXPECT_EQ(damage.file(), "file");
    EXPECT_NE(damage.object().find("array a"), std::string::npos);
    EXPECT_EQ(damage.offset(), bytes == text ? text.find("2147") : binary.find('\xff'));
  }
}

TEST(TextPages, LinesMayBeOfAnyLength) {
  const std::string text(300000, 'y');
  const std::string bytes = counted + "! " + text + "\n2\n1 \"" + text + " ! " + text + "\"\n! \"" + text + "\n2 z\n";
  const auto step = describer_of(bytes)->step(0);
  const test::Rows found = test::read_rows(*step, bytes, {0, 2});
  EXPECT_EQ(found.numbers, (std::vector<double>{1, 2}));
  EXPECT_EQ(found.texts[0], text + " ! " + text);
}

/// A file that counts its reads.
class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::uint64_t size() override { return bytes_.size(); }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override {
    ++reads;
    read_bytes += out.size();
    const std::size_t count = std::min<std::size_t>(out.size(), bytes_.size() - offset);
    std::copy_n(std::as_bytes(std::span(bytes_.data(), bytes_.size())).begin() + static_cast<std::ptrdiff_t>(offset),
                count, out.begin());
    return count;
  }
  std::uint64_t reads = 0;
  std::uint64_t read_bytes = 0;

 private:
  std::string bytes_;
};

TEST(TextPages, ManySmallPagesNeedFewReads) {
  std::string bytes = counted;
  for (int i = 0; i < 20000; ++i) bytes += "2\n" + rows_from(i, 2);
  const auto source = std::make_shared<CountingSource>(bytes);
  const auto describer =
      sdds_format().describe(source, test::context_of("file"), CheckedOptions(sdds_format().read_options, {}));
  EXPECT_EQ(describer->steps(), 20000U);
  EXPECT_LE(source->reads, 20U);
  EXPECT_LE(source->read_bytes, 2 * bytes.size());
  EXPECT_EQ(numbers_of(*describer->step(12345), bytes, {0, 2}), (std::vector<double>{12345.25, 12346.25}));
}

}  // namespace
}  // namespace quire::sdds::text_page_test
