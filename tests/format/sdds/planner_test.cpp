// Writing with the pure planner alone: canonical files byte for byte, the same bytes from any number of ranks,
// unfinished steps, appending, agreement of steps, 64-bit row counts.

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "format/sdds/describer.hpp"
#include "format/sdds/format.hpp"
#include "format/sdds/header_writer.hpp"
#include "format/sdds/loaded_file.hpp"
#include "format/sdds/memory_writer.hpp"
#include "format/sdds/schema.hpp"
#include "format/sdds/vectors.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/archive.hpp"

namespace quire::sdds::planner_test {
namespace {

using test::describer_of;
using test::expect_same;
using test::header_of;
using test::load_file;
using test::LoadedFile;
using test::MemoryWriter;
using test::not_from_the_model;
using test::options_like;
using test::Vector;
using test::write_file;

std::vector<Vector> whole_vectors() {
  std::vector<Vector> chosen;
  for (const char* mode : {"binary", "ascii"}) {
    for (Vector& vector : test::vectors("ok", mode)) {
      // One includes another file; the last page of the other is an empty line after no rows.
      const bool is_special = vector.name == "include_main.sdds" || vector.name == "asc_nrc_blank_pages.sdds";
      if (!vector.name.starts_with("bad_") && !is_special) chosen.push_back(std::move(vector));
    }
  }
  return chosen;
}

class RoundTrip : public testing::TestWithParam<Vector> {};

TEST_P(RoundTrip, WritesTheSameBytesOnAnyNumberOfRanks) {
  const std::string original = GetParam().bytes();
  const LoadedFile loaded = load_file(original);
  const Options options = options_like(header_of(original));
  const std::string one = write_file(loaded, 1, options);
  for (int ranks = 2; ranks <= 4; ++ranks) EXPECT_EQ(write_file(loaded, ranks, options), one) << ranks << " ranks";
  expect_same(load_file(one), loaded);
}

TEST_P(RoundTrip, WritesTheBytesOfTheReference) {
  if (!GetParam().canonical) return;
  // The largest number has too few digits to be read back; each run of the reference numbers pages from 1.
  if (GetParam().name == "extremes_ascii.sdds" || GetParam().name == "append_page_ascii.sdds") return;
  const std::string original = GetParam().bytes();
  Options options = options_like(header_of(original));
  options["canonical"] = "true";
  const std::string found = write_file(load_file(original), 3, options);
  // The parallel layer of the reference writes other headers than its serial one, which Quire follows on any ranks.
  const bool is_parallel = GetParam().writer.starts_with("MPI lib");
  if (!is_parallel && !not_from_the_model().contains(GetParam().name)) {
    EXPECT_EQ(found, original);
  } else if (!GetParam().name.starts_with("fixedrows_unfinished") && !GetParam().name.starts_with("header_only")) {
    EXPECT_EQ(found.substr(header_of(found).data_offset), original.substr(header_of(original).data_offset));
  }
}

// Also if the model lists definitions in another order, or has none without a step.
TEST_P(RoundTrip, HasTheHeaderOfTheReference) {
  if (!GetParam().canonical) return;
  const std::string original = GetParam().bytes();
  const Header header = header_of(original);
  std::string expected = original.substr(0, header.data_offset);
  if (GetParam().writer.starts_with("MPI lib") && header.version >= 3) {
    // There the byte order is in a comment, for every version.
    const std::string mark = "!# little-endian\n";
    ASSERT_NE(expected.find(mark), std::string::npos);
    expected.erase(expected.find(mark), mark.size());
    const std::string mode = "mode=binary, ";
    expected.insert(expected.find(mode) + mode.size(), "endian=little, ");
  }
  EXPECT_EQ(write_header(header, {.canonical = true}), expected);
}

TEST_P(RoundTrip, KeepsEveryValueInOtherLayouts) {
  const LoadedFile loaded = load_file(GetParam().bytes());
  std::vector<Options> layouts = sdds_format().writing_variants;
  const std::size_t columns = header_of(GetParam().bytes()).columns.size();
  for (Options& options : layouts) {
    if (options.contains("canonical")) continue;  // fewer digits
    if (options.contains("lines_per_row") && columns < 3) options["lines_per_row"] = "1";
    options["step_parameter"] = options_like(header_of(GetParam().bytes())).at("step_parameter");
    std::string shown;
    for (const auto& [name, value] : options) shown += name + "=" + value + " ";
    SCOPED_TRACE(shown);
    expect_same(load_file(write_file(loaded, 3, options)), loaded);
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, RoundTrip, testing::ValuesIn(whole_vectors()),
                         [](const auto& vector) { return test::test_name(vector.param.name); });

/// A small run: one column of numbers, one of strings, one attribute.
class SmallRun : public testing::Test {
 protected:
  StepPart part(std::int64_t number, std::uint64_t rows = 3) {
    StepPart part;
    part.description.number = number;
    Attribute time;
    time.name = "time";
    time.value = Value(0.5 * static_cast<double>(number));
    time.type = Type::float64;
    part.description.attributes.push_back(std::move(time));
    Table& table = part.description.tables.emplace_back();
    table.rows = rows;
    table.columns.emplace_back().name = "x";
    table.columns.back().unit = "m";
    table.columns.emplace_back().name = "s";
    table.columns.back().type = Type::string;
    part.tables.push_back(
        {ConstView(numbers_).part(0, rows), ConstView(std::span<const std::string>(texts_)).part(0, rows)});
    std::uint64_t bytes = 0;
    for (std::uint64_t i = 0; i < rows; ++i) bytes += texts_[i].size();
    part.string_bytes.push_back({0, bytes});
    return part;
  }

  void write(MemoryWriter& writer, std::int64_t number, bool publish = true) {
    std::vector<StepPart> parts;
    parts.push_back(part(number));
    writer.write(std::move(parts), publish);
  }

  static std::vector<std::int64_t> numbers(const std::string& bytes) {
    const auto describer = describer_of("file", bytes);
    std::vector<std::int64_t> all;
    for (std::uint64_t i = 0; i < describer->steps(); ++i) all.push_back(describer->step_number(i));
    return all;
  }

  /// Writes a step that must be refused, and returns the error.
  template <class Change>
  Error refusal(MemoryWriter& writer, std::int64_t number, Change change) {
    std::vector<StepPart> parts;
    parts.push_back(part(number));
    change(parts.front().description);
    try {
      writer.write(std::move(parts));
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "accepted";
    return {ErrorKind::internal, "accepted"};
  }

  std::vector<double> numbers_{1, 2, 3};
  std::vector<std::string> texts_{"one", "", "three"};
};

using Numbers = std::vector<std::int64_t>;

// Each run numbers its pages from 1.
TEST(AppendedPages, HaveTheBytesOfTheReference) {
  for (const char* name : {"append_page_ascii.sdds", "append_page_bin.sdds"}) {
    SCOPED_TRACE(name);
    const std::string original = test::read_vector(name);
    const LoadedFile all = load_file(original);
    LoadedFile first = all;
    first.steps.pop_back();
    Options options = options_like(header_of(original));
    options["canonical"] = "true";
    MemoryWriter more(sdds_format(), 2, options);
    more.resume(write_file(first, 3, options), std::nullopt, false);
    std::vector<StepPart> parts;
    for (int rank = 0; rank < 2; ++rank) parts.push_back(test::part_of(all.steps.back(), rank, 2));
    more.write(std::move(parts));
    EXPECT_EQ(more.finish(), original);
  }
}

TEST_F(SmallRun, KeepsItsNumbers) {
  MemoryWriter writer(sdds_format(), 1, {});
  for (const std::int64_t number : {5, 9, 12}) write(writer, number);
  EXPECT_EQ(numbers(writer.bytes()), (Numbers{5, 9, 12}));
  EXPECT_EQ(refusal(writer, 12, [](StepDescription&) {}).kind(), ErrorKind::conflict);
  const Error too_wide = refusal(writer, 3'000'000'000, [](StepDescription&) {});
  EXPECT_EQ(too_wide.kind(), ErrorKind::type);
  EXPECT_EQ(too_wide.object(), "Step");
  EXPECT_NE(too_wide.advice().find("step_type=long64"), std::string::npos);
}

TEST_F(SmallRun, KeepsNumbersBeyond31BitsOnRequest) {
  const Numbers expected{0, std::int64_t{1} << 31, std::int64_t{1} << 40, (std::int64_t{1} << 62) + 1};
  for (const char* mode : {"binary", "ascii"}) {
    MemoryWriter writer(sdds_format(), 1, {{"step_type", "long64"}, {"mode", mode}});
    write(writer, expected[0]);
    write(writer, expected[1]);
    EXPECT_EQ(header_of(writer.bytes()).version, 5);
    const Fact fact = describer_of("file", writer.bytes())->file().layout.back();
    EXPECT_EQ(fact.name + "=" + fact.value, "step_type=long64");

    MemoryWriter more(sdds_format(), 1, {{"mode", mode}});
    more.resume(writer.bytes(), std::nullopt, false);
    write(more, expected[2]);
    write(more, expected[3]);
    EXPECT_EQ(numbers(more.bytes()), expected);
    // The first number may need 64 bits without the option.
    MemoryWriter late(sdds_format(), 1, {{"mode", mode}});
    write(late, expected[1]);
    write(late, expected[2]);
    EXPECT_EQ(numbers(late.bytes()), (Numbers{expected[1], expected[2]}));
  }
}

TEST_F(SmallRun, ContinuesNoFileWithAnotherTypeOfNumbersThanRequested) {
  MemoryWriter narrow(sdds_format(), 1, {});
  write(narrow, 0);
  MemoryWriter wide(sdds_format(), 1, {{"step_type", "long64"}});
  write(wide, 0);
  EXPECT_THROW(MemoryWriter(sdds_format(), 1, {{"step_type", "long"}}).resume(wide.bytes(), {}, false), Error);
  EXPECT_THROW(MemoryWriter(sdds_format(), 1, {{"step_type", "long64"}}).resume(narrow.bytes(), {}, false), Error);
  EXPECT_NO_THROW(MemoryWriter(sdds_format(), 1, {{"step_type", "long64"}}).resume(wide.bytes(), {}, false));
}

TEST_F(SmallRun, CountsItsStepsWithoutTheParameter) {
  MemoryWriter writer(sdds_format(), 1, {{"step_parameter", "false"}});
  EXPECT_EQ(refusal(writer, 1, [](StepDescription&) {}).kind(), ErrorKind::conflict);
  write(writer, 0);
  write(writer, 1);
  EXPECT_EQ(numbers(writer.bytes()), (Numbers{0, 1}));
  EXPECT_EQ(writer.bytes().find("name=Step"), std::string::npos);
}

// A parameter Step that counts something else, as in files with one page for each turn.
TEST_F(SmallRun, CountsItsStepsIfStepIsNoNumberOfSteps) {
  MemoryWriter writer(sdds_format(), 1, {});
  const auto write_own = [&](std::int64_t number, std::int32_t own) {
    std::vector<StepPart> parts;
    parts.push_back(part(number));
    Attribute& attribute = parts[0].description.attributes.emplace_back();
    attribute.name = "Step";
    attribute.value = Value(own);
    attribute.type = Type::int32;
    writer.write(std::move(parts));
  };
  for (const std::int64_t number : {0, 1, 2}) write_own(number, 1);
  EXPECT_EQ(numbers(writer.bytes()), (Numbers{0, 1, 2}));
  EXPECT_EQ(describer_of("file", writer.bytes())->step(2)->description.attributes.back().value, Value(std::int32_t{1}));
  EXPECT_THROW(write_own(7, 7), Error);

  MemoryWriter numbered(sdds_format(), 1, {});
  std::swap(writer, numbered);
  write_own(3, 3);
  write_own(7, 7);
  EXPECT_EQ(numbers(writer.bytes()), (Numbers{3, 7}));
}

TEST_F(SmallRun, AnUnpublishedStepIsRefused) {
  MemoryWriter writer(sdds_format(), 1, {});
  write(writer, 1);
  const std::string whole = writer.bytes();
  write(writer, 2, false);
  EXPECT_GT(writer.bytes().size(), whole.size());
  EXPECT_EQ(numbers(writer.bytes()), Numbers{1});
  EXPECT_THROW(static_cast<void>(describer_of("file", writer.bytes())->step(1)), Error);
  // The next step overwrites it.
  write(writer, 3);
  EXPECT_EQ(numbers(writer.bytes()), (Numbers{1, 3}));
}

TEST_F(SmallRun, AnUnfinishedFirstStepIsNoStep) {
  MemoryWriter writer(sdds_format(), 1, {});
  write(writer, 1, false);
  EXPECT_TRUE(numbers(writer.bytes()).empty());
  write(writer, 1);
  EXPECT_EQ(numbers(writer.bytes()), Numbers{1});
}

/// A file without steps, and without the options of its writer.
TEST_F(SmallRun, IsValidWithoutAnyStepAndAcceptsTheFirstOneLater) {
  FileDescription file;
  file.title = "a run of two programs";
  Attribute code;
  code.name = "code";
  code.value = Value(std::string("of mine"));
  code.type = Type::string;
  file.attributes.push_back(code);
  const std::vector<Options> layouts{
      {}, {{"byte_order", "big"}, {"major_order", "column"}}, {{"mode", "ascii"}}, {{"step_type", "long64"}}};
  for (const Options& layout : layouts) {
    MemoryWriter alone(sdds_format(), 1, layout);
    alone.set_file(file);
    write(alone, 3);

    MemoryWriter first(sdds_format(), 1, layout);
    first.set_file(file);
    const std::string empty = first.finish();
    EXPECT_EQ(describer_of("file", empty)->steps(), 0U);
    EXPECT_EQ(describer_of("file", empty)->file().title, file.title);
    for (const int ranks : {1, 3}) {
      MemoryWriter second(sdds_format(), ranks, {});
      second.resume(empty, std::nullopt, false);
      EXPECT_EQ(second.bytes(), empty);
      std::vector<StepPart> parts;
      for (int rank = 0; rank < ranks; ++rank) parts.push_back(part(3, rank == 0 ? 3 : 0));
      second.write(std::move(parts));
      EXPECT_EQ(second.bytes(), alone.bytes());
    }
    MemoryWriter idle(sdds_format(), 1, {});
    idle.resume(empty, std::nullopt, false);
    EXPECT_EQ(idle.finish(), empty);
  }
  // The header of another writer is kept, and with it the structure of its steps, which is empty.
  MemoryWriter foreign(sdds_format(), 1, {});
  foreign.resume("SDDS1\n! by hand\n&data mode=binary &end\n", std::nullopt, false);
  EXPECT_EQ(refusal(foreign, 0, [](const StepDescription&) {}).kind(), ErrorKind::conflict);
}

TEST_F(SmallRun, ContinuesAfterAGivenStep) {
  MemoryWriter writer(sdds_format(), 1, {{"byte_order", "big"}, {"major_order", "column"}});
  for (const std::int64_t number : {1, 2, 3, 4}) write(writer, number);
  const std::string whole = writer.bytes();

  MemoryWriter at_end(sdds_format(), 2, {});
  at_end.resume(whole, std::nullopt, false);
  EXPECT_EQ(at_end.bytes(), whole);

  MemoryWriter refused(sdds_format(), 1, {});
  EXPECT_THROW(refused.resume(whole, 2, false), Error);

  MemoryWriter dropping(sdds_format(), 3, {});
  dropping.resume(whole, 2, true);
  EXPECT_EQ(numbers(dropping.bytes()), (Numbers{1, 2}));
  for (const std::int64_t number : {3, 4}) {
    std::vector<StepPart> parts;
    for (int rank = 0; rank < 3; ++rank) parts.push_back(part(number, rank == 1 ? 3 : 0));
    dropping.write(std::move(parts));
  }
  // The layout and every byte of the file are kept.
  EXPECT_EQ(dropping.bytes(), whole);

  MemoryWriter other_layout(sdds_format(), 1, {{"byte_order", "little"}});
  EXPECT_THROW(other_layout.resume(whole, std::nullopt, false), Error);
}

TEST_F(SmallRun, RefusesToContinueAfterAMissingStep) {
  MemoryWriter writer(sdds_format(), 1, {});
  for (const std::int64_t number : {0, 10, 20}) write(writer, number);
  for (const std::int64_t after : {-1, 5, 99}) {
    for (const bool drop : {false, true}) {
      MemoryWriter more(sdds_format(), 1, {});
      try {
        more.resume(writer.bytes(), after, drop);
        FAIL() << "continued after step " << after;
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::missing);
        EXPECT_EQ(error.message(), "there is no step " + std::to_string(after) + " to append after");
        EXPECT_EQ(error.advice(), "the last step is 20");
      }
    }
  }
}

TEST_F(SmallRun, ContinuesAfterAnUnfinishedStep) {
  MemoryWriter writer(sdds_format(), 1, {});
  write(writer, 1);
  const std::string whole = writer.bytes();
  write(writer, 2, false);
  for (const std::string& tail : {writer.bytes(), whole + "\xff\xff", whole + "\xff"}) {
    MemoryWriter again(sdds_format(), 1, {});
    again.resume(tail, std::nullopt, false);
    EXPECT_EQ(again.bytes(), whole);
    write(again, 2);
    EXPECT_EQ(numbers(again.bytes()), (Numbers{1, 2}));
  }
  // Damage that Quire never causes is only removed on request.
  MemoryWriter damaged(sdds_format(), 1, {});
  EXPECT_THROW(damaged.resume(whole + std::string("\x05\0\0\0cut", 7), std::nullopt, false), Error);
}

TEST_F(SmallRun, ContinuesFilesOfOthers) {
  const std::string original = test::read_vector("pages_bin_le_col.sdds");
  const LoadedFile loaded = load_file(original);
  for (int ranks = 1; ranks <= 3; ++ranks) {
    MemoryWriter writer(sdds_format(), ranks, {});
    writer.resume(original, 2, true);
    for (std::size_t i = 3; i < loaded.steps.size(); ++i) {
      std::vector<StepPart> parts;
      for (int rank = 0; rank < ranks; ++rank) parts.push_back(test::part_of(loaded.steps[i], rank, ranks));
      writer.write(std::move(parts));
    }
    EXPECT_EQ(writer.bytes(), original) << ranks << " ranks";
  }
}

TEST_F(SmallRun, StepsMustAgree) {
  MemoryWriter writer(sdds_format(), 1, {});
  write(writer, 1);
  const std::string whole = writer.bytes();
  const auto column = [](StepDescription& step) -> Column& { return step.tables.front().columns.front(); };
  struct Case {
    ErrorKind kind;
    std::string object;
    std::function<void(StepDescription&)> change;
  };
  for (const Case& wrong : std::vector<Case>{
           {ErrorKind::conflict, "y", [&](StepDescription& step) { column(step).name = "y"; }},
           {ErrorKind::conflict, "x", [&](StepDescription& step) { column(step).unit = "mm"; }},
           {ErrorKind::conflict, "x", [](StepDescription& step) { step.tables.clear(); }},
           {ErrorKind::type, "s", [](StepDescription& step) { step.tables[0].columns[1].type = Type::int32; }},
           {ErrorKind::conflict, "time", [](StepDescription& step) { step.attributes.clear(); }},
           {ErrorKind::conflict, "phase", [](StepDescription& step) { step.attributes[0].name = "phase"; }},
           {ErrorKind::unsupported, "a b", [&](StepDescription& step) { column(step).name = "a b"; }},
           {ErrorKind::unsupported, "second",
            [](StepDescription& step) { step.tables.emplace_back().name = "second"; }},
       }) {
    const Error error = refusal(writer, 2, wrong.change);
    EXPECT_EQ(error.kind(), wrong.kind) << error.what();
    EXPECT_EQ(error.object(), wrong.object) << error.what();
  }
  EXPECT_EQ(numbers(writer.bytes()), Numbers{1});
  write(writer, 2);
  EXPECT_EQ(numbers(writer.bytes()), (Numbers{1, 2}));
}

TEST_F(SmallRun, RefusesTextsThatItCannotStoreExactly) {
  MemoryWriter writer(sdds_format(), 1, {});
  struct Case {
    std::string what;
    std::string Quantity::*text;
  };
  for (const Case& one : {Case{"unit", &Quantity::unit}, Case{"symbol", &Quantity::symbol},
                          Case{"description", &Quantity::description}}) {
    const Error error =
        refusal(writer, 1, [&](StepDescription& step) { step.tables.front().columns.front().*one.text = "m\n"; });
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    EXPECT_EQ(error.object(), "x");
    EXPECT_NE(error.message().find("its " + one.what + " cannot be written"), std::string::npos) << error.what();
  }
}

TEST_F(SmallRun, WidensNarrowerTypes) {
  MemoryWriter writer(sdds_format(), 1, {});
  write(writer, 1);
  std::vector<StepPart> parts;
  parts.push_back(part(2));
  const std::vector<float> narrow{4, 5, 6};
  parts[0].description.tables[0].columns[0].type = Type::float32;
  parts[0].tables[0][0] = ConstView(narrow);
  parts[0].description.attributes[0].value = Value(std::int32_t{7});
  writer.write(std::move(parts));
  const LoadedFile loaded = load_file(writer.bytes());
  std::vector<double> wide(3);
  std::memcpy(wide.data(), loaded.steps[1].numbers[0].data(), sizeof(double) * 3);
  EXPECT_EQ(wide, (std::vector<double>{4, 5, 6}));
  EXPECT_EQ(loaded.steps[1].description.attributes[0].value, Value(7.0));
}

TEST_F(SmallRun, StoresArrayAttributesAsArrays) {
  MemoryWriter writer(sdds_format(), 2, {{"byte_order", "big"}});
  const std::vector<double> centroid{1, 2, 3};
  FileDescription file;
  Attribute of_file;
  of_file.name = "box size";
  of_file.value = Value(std::span<const double>(centroid));
  of_file.type = Type::float64;
  file.attributes.push_back(of_file);
  writer.set_file(file);
  std::vector<Attribute> expected;
  for (std::int64_t number = 0; number < 2; ++number) {
    std::vector<StepPart> parts;
    for (int rank = 0; rank < 2; ++rank) {
      parts.push_back(part(number));
      Attribute array;
      array.name = "names";
      array.type = Type::string;
      array.value = Value::texts({2}, {"a", std::string(static_cast<std::size_t>(number), 'b')});
      parts.back().description.attributes.push_back(array);
    }
    writer.write(std::move(parts));
  }
  const auto describer = describer_of("file", writer.bytes());
  ASSERT_EQ(describer->file().attributes.size(), 1U);
  EXPECT_EQ(describer->file().attributes[0].name, "box_size");
  EXPECT_EQ(describer->file().attributes[0].value, of_file.value);
  for (std::uint64_t i = 0; i < 2; ++i) {
    const auto step = describer->step(i);
    EXPECT_TRUE(step->description.fields.empty());
    ASSERT_EQ(step->description.attributes.size(), 2U);
    EXPECT_EQ(step->description.attributes[1].value.strings()[1].size(), i);
  }
}

TEST_F(SmallRun, WritesComponentsAsArrays) {
  MemoryWriter writer(sdds_format(), 2, {});
  const std::vector<double> left{1, 2, 5, 6};
  const std::vector<double> right{3, 4, 7, 8};
  std::vector<StepPart> parts;
  for (int rank = 0; rank < 2; ++rank) {
    StepPart& mine = parts.emplace_back();
    Field& field = mine.description.fields.emplace_back();
    field.name = "E";
    field.extents = {2, 4};
    field.components = 2;
    const std::vector<double>& values = rank == 0 ? left : right;
    mine.fields.push_back({Box{{0, rank == 0 ? 0U : 2U}, {2, 2}}, {ConstView(values), ConstView(values)}, {}});
  }
  writer.write(std::move(parts));
  const LoadedFile loaded = load_file(writer.bytes());
  ASSERT_EQ(loaded.steps.at(0).description.fields.size(), 2U);
  EXPECT_EQ(loaded.steps[0].description.fields[1].name, "E[1]");
  for (const auto& bytes : loaded.steps[0].numbers) {
    std::vector<double> values(8);
    std::memcpy(values.data(), bytes.data(), sizeof(double) * 8);
    EXPECT_EQ(values, (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
  }
}

// With more rows than marks, a reader starts near its rows and skips the rest.
TEST_F(SmallRun, ReadsStringsFromTheMiddle) {
  constexpr std::uint64_t rows = 10000;
  numbers_.resize(rows);
  texts_.resize(rows);
  for (std::uint64_t i = 0; i < rows; ++i) {
    numbers_[i] = static_cast<double>(i);
    texts_[i] = std::string(i % 7, 'x') + std::to_string(i);
  }
  for (const char* major : {"row", "column"}) {
    MemoryWriter writer(sdds_format(), 1, {{"major_order", major}});
    std::vector<StepPart> parts;
    parts.push_back(part(0, rows));
    writer.write(std::move(parts));
    const auto layout = describer_of("file", writer.bytes())->step(0);
    for (const Slice slice : {Slice{0, 3}, Slice{4095, 5}, Slice{4999, 100}, Slice{9999, 1}, Slice{9998, 0}}) {
      const auto [numbers, texts] = test::read_rows(*layout, writer.bytes(), slice);
      ASSERT_EQ(texts.size(), slice.count);
      for (std::uint64_t i = 0; i < slice.count; ++i) {
        EXPECT_EQ(numbers[i], numbers_[slice.first + i]);
        EXPECT_EQ(texts[i], texts_[slice.first + i]);
      }
    }
  }
}

TEST_F(SmallRun, CountsRowsWith64BitsIfNecessary) {
  constexpr std::uint64_t each = 2'000'000'000;
  const CheckedOptions options(sdds_format().write_options, {{"byte_order", "little"}, {"step_parameter", "false"}});
  const auto planner = sdds_format().plan_writing(options);
  StepPart mine;
  mine.description.tables.emplace_back().rows = each;
  mine.description.tables[0].columns.emplace_back().name = "x";
  mine.tables.push_back({ConstView(Type::float64, nullptr, each, 8)});
  mine.string_bytes.push_back({0});
  mine.description = planner->accept(mine.description, false);
  const Measure root = planner->measure(mine, true);
  const Measure other = planner->measure(mine, false);
  Measure total(root.size());
  std::transform(root.begin(), root.end(), other.begin(), total.begin(), std::plus<>());

  const WritePlan guard = planner->guard(mine);
  const std::uint64_t page = guard.extents.at(0).length - 4;
  const Placement first = planner->place(mine, Measure(root.size(), 0), total, true);
  const Placement second = planner->place(mine, root, total, false);
  ASSERT_EQ(first.title.extents.size(), 1U);
  EXPECT_EQ(first.title.extents[0].offset, page + 4);
  EXPECT_EQ(first.title.extents[0].length, 8U);
  const auto* count = std::get<const std::byte*>(first.title.extents[0].source);
  EXPECT_EQ(quire::load<std::uint64_t>(count, ByteOrder::little), 2 * each);
  EXPECT_EQ(first.tables[0].at(0).offset, page + 12);
  EXPECT_EQ(second.tables[0].at(0).offset, page + 12 + each * 8);
  EXPECT_EQ(second.end, page + 12 + 2 * each * 8);
  const auto publication = planner->publish(mine, total);
  const auto& write = std::get<PublishWrite>(publication.at(0));
  EXPECT_EQ(write.offset, page);
  EXPECT_EQ(quire::load<std::int32_t>(write.bytes.data(), ByteOrder::little), INT32_MIN);
}

TEST_F(SmallRun, RefusesPartsOfAFieldOfStrings) {
  const auto planner = sdds_format().plan_writing(CheckedOptions(sdds_format().write_options, {}));
  StepPart mine;
  Field& field = mine.description.fields.emplace_back();
  field.name = "labels";
  field.type = Type::string;
  field.extents = {3};
  mine.fields.push_back({whole(field.extents), {ConstView(std::span<const std::string>(texts_))}, {}});
  mine.description = planner->accept(mine.description, false);
  EXPECT_NO_THROW(static_cast<void>(planner->measure(mine, true)));
  EXPECT_NO_THROW(static_cast<void>(planner->measure(mine, false)));
  mine.fields.front().selection = Box{{0}, {2}};
  EXPECT_THROW(static_cast<void>(planner->measure(mine, true)), Error);
  EXPECT_THROW(static_cast<void>(planner->measure(mine, false)), Error);
}

}  // namespace
}  // namespace quire::sdds::planner_test
