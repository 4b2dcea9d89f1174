// Binary pages of every vector, compared exactly with its truth; and the recoverable part of damaged pages.
//
// The runs are read here record by record, without the decoders of the library.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>

#include "format/sdds/describer.hpp"
#include "format/sdds/elements.hpp"
#include "format/sdds/format.hpp"
#include "format/sdds/record_walk.hpp"
#include "format/sdds/schema.hpp"
#include "format/sdds/text_values.hpp"
#include "format/sdds/vectors.hpp"
#include "quire/base/error.hpp"
#include "quire/model/selection.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/format/describer_capabilities.hpp"

namespace quire::sdds::page_test {
namespace {

using test::Json;
using test::Vector;

std::string name_of(const testing::TestParamInfo<Vector>& vector) { return test::test_name(vector.param.name); }

std::string bytes_of_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

/// The value of a truth file, as it would be in memory.
Value value_of(const Json& truth, Type type) {
  if (type == Type::string) {
    // The truth was read with the reference, which cuts strings at the first zero byte.
    return Value(truth.is_object() ? bytes_of_hex(truth["hex"].text()) : truth.text());
  }
  const std::string& text = truth.text();
  switch (type) {
    case Type::float32:
      return Value(std::strtof(text.c_str(), nullptr));
    case Type::float64:
      return Value(std::strtod(text.c_str(), nullptr));
    case Type::float80:
      return Value(std::strtold(text.c_str(), nullptr));
    case Type::uint64:
      return Value(static_cast<std::uint64_t>(std::stoull(text)));
    case Type::character:
      return Value(static_cast<char>(std::stoi(text)));
    default:
      return Value(static_cast<std::int64_t>(std::stoll(text))).converted_to(type);
  }
}

bool is_nan(const Value& value) {
  if (value.type() == Type::float80) {
    long double number = 0;
    std::memcpy(&number, value.bytes().data(), sizeof number);
    return std::isnan(number);
  }
  return is_floating(value.type()) && std::isnan(value.as_double());
}

void expect_value(const Value& found, const Json& truth) {
  const Value expected = value_of(truth, found.type());
  if (is_nan(expected)) {
    EXPECT_TRUE(is_nan(found));
  } else if (found.type() == Type::string) {
    EXPECT_EQ(found.strings().front().substr(0, found.strings().front().find('\0')), expected.strings().front());
  } else if (found.type() == Type::float80) {
    EXPECT_EQ(std::memcmp(found.bytes().data(), expected.bytes().data(), 10), 0) << found.as_text();
  } else {
    EXPECT_EQ(found, expected) << found.as_text() << " is not " << expected.as_text();
  }
}

/// All values of one cell of a run, and a check that the marks are where the records begin.
std::vector<Value> read_cell(const std::string& bytes, const Run& run, std::size_t cell) {
  std::vector<Value> values;
  std::uint64_t position = run.offset;
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  for (std::uint64_t record = 0; record < run.records; ++record) {
    if (run.record_bytes == 0 && record % run.marks.every == 0) {
      EXPECT_EQ(run.marks.offsets.at(record / run.marks.every), position);
    }
    for (std::size_t i = 0; i < run.cells.size(); ++i) {
      const Type type = run.cells[i].type;
      std::uint64_t size = size_of(type);
      std::uint64_t skip = 0;
      if (type == Type::string) {
        size = static_cast<std::uint64_t>(load<std::int32_t>(data + position, run.order));
        skip = 4;
      }
      if (i == cell) {
        const std::span<const std::byte> raw(data + position + skip, static_cast<std::size_t>(size));
        values.push_back(type == Type::string ? Value(bytes.substr(position + skip, size))
                                              : Value::numbers(type, {}, native_elements(type, run.order, raw)));
      }
      position += skip + size;
    }
  }
  EXPECT_EQ(position, run.offset + run.bytes);
  return values;
}

void compare_values(const std::vector<Value>& found, const Json& truth) {
  const auto& expected = truth["values"].items();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    SCOPED_TRACE(i);
    expect_value(found[i], expected[i]);
  }
}

/// The attributes of a step and of the file, and the number of the step as its parameter.
void compare_parameters(const StepLayout& step, const FileDescription& file, const Json& truth) {
  for (const auto& [name, value] : truth.members()) {
    SCOPED_TRACE("parameter " + name);
    const Attribute* found = find_attribute(step.description.attributes, name);
    if (found == nullptr) found = find_attribute(file.attributes, name);
    if (found != nullptr) {
      expect_value(found->value, value["value"]);
    } else {
      EXPECT_EQ(name, "Step");
      EXPECT_EQ(step.description.number, value["value"].integer());
    }
  }
}

void compare_step(const StepLayout& step, const FileDescription& file, const std::string& bytes, const Json& truth) {
  compare_parameters(step, file, truth["parameters"]);
  for (const auto& [name, array] : truth["arrays"].members()) {
    SCOPED_TRACE("array " + name);
    const std::size_t index = step.description.find_field(name);
    const Field& field = step.description.fields.at(index);
    std::vector<std::uint64_t> extents;
    for (const Json& extent : array["dims"].items()) extents.push_back(std::stoull(extent.text()));
    EXPECT_EQ(field.extents, extents);
    const auto& runs = step.fields.at(index).runs;
    ASSERT_EQ(runs.size(), 1U);
    compare_values(read_cell(bytes, runs.front(), 0), array);
  }
  if (step.description.tables.empty()) {
    EXPECT_EQ(truth["columns"].members().size(), 0U);
    return;
  }
  const Table& table = step.description.tables.front();
  EXPECT_EQ(std::to_string(table.rows), truth["rows"].text());
  std::size_t cells = 0;
  for (const Run& run : step.tables.front().runs) {
    for (std::size_t i = 0; i < run.cells.size(); ++i, ++cells) {
      const std::string& name = table.columns.at(run.cells[i].column).name;
      SCOPED_TRACE("column " + name);
      compare_values(read_cell(bytes, run, i), truth["columns"][name]);
    }
  }
  EXPECT_EQ(cells, table.columns.size());
}

std::unique_ptr<Describer> describer_of(const std::string& name, std::string bytes) {
  const CheckedOptions options(sdds_format().read_options, {});
  return sdds_format().describe(std::make_shared<test::MemorySource>(std::move(bytes)), test::context_of(name),
                                options);
}

class BinaryPages : public testing::TestWithParam<Vector> {};

TEST_P(BinaryPages, AgreeWithTheTruth) {
  const std::string bytes = GetParam().bytes();
  const Json truth = GetParam().truth();
  const auto describer = describer_of(GetParam().name, bytes);
  const auto& pages = truth["pages"].items();
  std::size_t whole = 0;
  while (whole < pages.size() && pages[whole]["status"].text() != "recoverable-error") ++whole;

  for (std::size_t index = 0; index < whole; ++index) {
    SCOPED_TRACE("step " + std::to_string(index));
    const auto step = describer->step(index);
    ASSERT_TRUE(step.has_value());
    compare_step(*step, describer->file(), bytes, pages[index]);
    EXPECT_EQ(step->description.warnings.empty(), pages[index]["status"].text() == "ok" &&
                                                      !GetParam().name.ends_with("trailing_bytes.sdds") &&
                                                      !GetParam().name.ends_with("trunc_rowcount.sdds"));
  }
  EXPECT_EQ(describer->steps(), whole);

  if (truth["end"].text() == "eof") {
    EXPECT_FALSE(describer->step(whole).has_value());
    return;
  }
  try {
    static_cast<void>(describer->step(whole));
    FAIL() << "damage was not seen";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_file) << error.what();
    EXPECT_TRUE(error.offset().has_value()) << error.what();
    EXPECT_LE(error.offset().value_or(0), bytes.size());
    EXPECT_EQ(error.file(), GetParam().name);
  }
  const auto saved = salvaged_step(*describer, whole);
  const bool expected = pages.size() > whole && pages[whole]["columns"].members().size() != 0;
  if (expected) {
    ASSERT_TRUE(saved.has_value());
    compare_step(*saved, describer->file(), bytes, pages[whole]);
  }
}

class AllPages : public testing::TestWithParam<Vector> {};

TEST_P(AllPages, AreTheSameInAnyOrder) {
  const auto forwards = describer_of(GetParam().name, GetParam().bytes());
  const auto backwards = describer_of(GetParam().name, GetParam().bytes());
  const std::uint64_t steps = forwards->steps();
  for (std::uint64_t index = steps; index-- > 0;) {
    const auto one = forwards->step(steps - 1 - index);
    const auto other = backwards->step(index);
    ASSERT_TRUE(one && other);
    EXPECT_EQ(pack(*other), pack(*forwards->step(index)));
  }
}

// The result must not depend on the number of bytes that a parser receives at once.
TEST_P(AllPages, AreTheSameFromSingleBytes) {
  const std::string bytes = GetParam().bytes();
  const auto describer = describer_of(GetParam().name, bytes);
  test::MemorySource source(bytes);
  const Header header = read_header(source, test::context_of(GetParam().name), {});
  const std::uint64_t steps = std::min<std::uint64_t>(describer->steps(), 2);
  std::uint64_t offset = header.data_offset;
  for (std::uint64_t index = 0; index < steps; ++index) {
    const auto page = describe_page({&header, bytes.size(), 1 << 20, index == 0}, offset);
    Window window;
    while (const auto need = page->advance(window)) {
      ASSERT_GT(need->length, 0U);
      ASSERT_LE(need->offset + need->length, bytes.size());
      window = {need->offset, std::as_bytes(std::span(bytes)).subspan(need->offset, need->length)};
    }
    const auto taken = page->take();
    ASSERT_TRUE(taken.has_value());
    const auto expected = describer->step(index);
    EXPECT_EQ(pack(taken->layout.tables), pack(expected->tables));
    EXPECT_EQ(pack(taken->layout.fields), pack(expected->fields));
    offset = taken->layout.end;
  }
}

INSTANTIATE_TEST_SUITE_P(Vectors, AllPages, testing::ValuesIn(test::vectors("ok", "")), name_of);
INSTANTIATE_TEST_SUITE_P(Vectors, BinaryPages, testing::ValuesIn(test::vectors("ok", "binary")), name_of);

// Every prefix of a good file is either a shorter good file or damaged.
class CutPages : public testing::TestWithParam<const char*> {};

TEST_P(CutPages, KeepTheirWholeSteps) {
  const std::string bytes = test::read_vector(GetParam());
  const auto whole = describer_of(GetParam(), bytes);
  const std::uint64_t steps = whole->steps();
  std::vector<std::uint64_t> ends;
  for (std::uint64_t i = 0; i < steps; ++i) ends.push_back(whole->step(i)->end);
  test::MemorySource source(bytes);
  const std::uint64_t begin = read_header(source, {}, {}).data_offset;

  for (std::size_t length = begin; length < bytes.size(); ++length) {
    SCOPED_TRACE(length);
    const auto cut = describer_of(GetParam(), bytes.substr(0, length));
    const auto expected =
        static_cast<std::uint64_t>(std::count_if(ends.begin(), ends.end(), [&](auto end) { return end <= length; }));
    ASSERT_EQ(cut->steps(), expected);
    const std::uint64_t last = expected == 0 ? begin : ends[expected - 1];
    if (length - last < 4) {
      EXPECT_FALSE(cut->step(expected).has_value());
      continue;
    }
    try {
      static_cast<void>(cut->step(expected));
      FAIL() << "damage was not seen";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_file);
      EXPECT_LE(error.offset().value_or(length + 1), length);
    }
    if (const auto saved = salvaged_step(*cut, expected)) {
      EXPECT_LE(saved->end, length);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, CutPages,
                         testing::Values("types_bin_le_row.sdds", "types_bin_be_row.sdds", "types_bin_le_col.sdds",
                                         "marker64_be.sdds", "strings_bin_le.sdds", "arrays_bin_nocols.sdds"),
                         [](const auto& file) { return test::test_name(file.param); });

std::string little(std::int32_t number) {
  std::string bytes(4, '\0');
  store(reinterpret_cast<std::byte*>(bytes.data()), number, ByteOrder::little);
  return bytes;
}

const std::string small_header = "SDDS1\n!# little-endian\n&column name=x, type=double, &end\n&data mode=binary &end\n";

TEST(Pages, AnUnfinishedStepEndsTheFileWithDamage) {
  const std::string whole = small_header + little(0);
  const auto describer = describer_of("file", whole + little(-1) + "whatever comes after it");
  EXPECT_EQ(describer->steps(), 1U);
  try {
    static_cast<void>(describer->step(1));
    FAIL() << "damage was not seen";
  } catch (const Error& error) {
    EXPECT_EQ(error.offset(), whole.size());
    EXPECT_NE(std::string(error.what()).find("unfinished step"), std::string::npos);
  }
  const Publication acts = repair_acts(*describer);
  ASSERT_EQ(acts.size(), 1U);
  EXPECT_EQ(std::get<PublishResize>(acts.front()).size, whole.size());
}

TEST(Pages, RepairDoesNotChangeForeignDamage) {
  const std::string bytes = test::read_vector("bad_trunc_page2.sdds");
  EXPECT_TRUE(repair_acts(*describer_of("file", bytes)).empty());
  EXPECT_TRUE(repair_acts(*describer_of("file", test::read_vector("pages_bin_le.sdds"))).empty());
}

TEST(Pages, RepairCorrectsTheRowCountOfACutStep) {
  const std::string bytes = test::read_vector("fixedrows_unfinished_bin.sdds");
  const auto describer = describer_of("file", bytes);
  const Publication acts = repair_acts(*describer);
  ASSERT_FALSE(acts.empty());
  const auto& write = std::get<PublishWrite>(acts.front());
  std::string repaired = bytes;
  std::memcpy(repaired.data() + write.offset, write.bytes.data(), write.bytes.size());
  const auto again = describer_of("file", repaired);
  ASSERT_EQ(again->steps(), 1U);
  EXPECT_EQ(again->step(0)->description.tables.at(0).rows, 5U);
  EXPECT_TRUE(again->step(0)->description.warnings.empty());
}

TEST(Pages, HugeCountsNeedNoMemory) {
  const std::string marker = little(INT32_MIN);
  const std::string huge(8, '\x7f');
  for (const std::string& count : {little(2000000000), marker + huge, marker + std::string(7, '\xff') + '\x00'}) {
    const auto describer = describer_of("file", small_header + count + "12345678");
    EXPECT_THROW(static_cast<void>(describer->step(0)), Error);
  }
  // The product of both dimensions is 2^32: the reference reads it as 0.
  const std::string array =
      "SDDS1\n&array name=a, type=double, dimensions=2, &end\n&data mode=binary, endian=little &end\n";
  EXPECT_THROW(static_cast<void>(describer_of("file", array + little(0) + little(65536) + little(65536))->step(0)),
               Error);
  EXPECT_THROW(static_cast<void>(
                   describer_of("file", array + little(0) + little(-2) + little(-2) + std::string(32, '\0'))->step(0)),
               Error);
  // More dimensions than the file has bytes.
  const std::string many = "SDDS1\n&array name=a, type=double, dimensions=2000000000, &end\n&data mode=binary &end\n";
  EXPECT_THROW(static_cast<void>(describer_of("file", many + little(0) + "1234")->step(0)), Error);
}

TEST(Pages, AnUndeclaredByteOrderIsSuspectedWhenTheCountIsHuge) {
  const std::string header = "SDDS1\n&column name=x, type=double, &end\n&data mode=binary &end\n";
  const std::string count = native_order == ByteOrder::little ? std::string("\0\0\0\3", 4) : std::string("\3\0\0\0", 4);
  try {
    static_cast<void>(describer_of("file", header + count + std::string(24, '\0'))->step(0));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(error.advice().find("byte order"), std::string::npos) << error.what();
  }
}

TEST(Pages, NumbersComeFromTheParameterStepWhileItGrows) {
  const std::string header =
      "SDDS1\n!# little-endian\n&parameter name=Step, type=long, &end\n&column name=x, type=double, &end\n&data "
      "mode=binary &end\n";
  const auto page = [](std::int32_t number) { return little(0) + little(number); };
  auto describer = describer_of("file", header + page(3) + page(7));
  EXPECT_EQ(describer->step_number(0), 3);
  EXPECT_EQ(describer->step(1)->description.number, 7);
  EXPECT_TRUE(describer->step(1)->description.attributes.empty());
  describer = describer_of("file", header + page(3) + page(3));
  EXPECT_EQ(describer->step_number(1), 1);
  EXPECT_EQ(describer->step_number(0), 0);
  EXPECT_EQ(describer->step(1)->description.attributes.size(), 1U);
}

TEST(Pages, ABadFixedValueIsDamageOfTheFirstStep) {
  const auto describer = describer_of(
      "file", "SDDS1\n&parameter name=p, type=long, fixed_value=none, &end\n&data mode=binary &end\n" + little(0));
  EXPECT_TRUE(describer->file().attributes.empty());
  EXPECT_THROW(static_cast<void>(describer->step(0)), Error);
}

TEST(Pages, AParameterBeyondTheBudgetIsRefused) {
  DescribeContext context;
  context.memory_budget = 1 << 16;
  const std::string bytes = "SDDS1\n&parameter name=s, type=string, &end\n&data mode=binary, endian=little &end\n" +
                            little(0) + little(1 << 20) + std::string(1 << 20, 's');
  const CheckedOptions options(sdds_format().read_options, {});
  const auto describer = sdds_format().describe(std::make_shared<test::MemorySource>(bytes), context, options);
  try {
    static_cast<void>(describer->step(0));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::memory);
  }
}

TEST(RecordWalk, HasAtMost4096Marks) {
  for (const std::uint64_t records : {1ULL, 4095ULL, 4096ULL, 4097ULL, 8192ULL, 8193ULL, 1ULL << 40}) {
    const std::uint64_t every = mark_distance(records);
    EXPECT_EQ(every & (every - 1), 0U);
    EXPECT_LE((records + every - 1) / every, 4096U);
    if (every > 1) {
      EXPECT_GT((records + every / 2 - 1) / (every / 2), 4096U);
    }
  }
}

TEST(TextValues, AreReadAsTheReferenceReadsThem) {
  EXPECT_EQ(parameter_from(Type::float64, "3.5abc"), Value(3.5));
  EXPECT_EQ(parameter_from(Type::int32, "1,000"), Value(std::int32_t{1}));
  EXPECT_EQ(parameter_from(Type::int32, "0x10"), Value(std::int32_t{0}));
  EXPECT_EQ(parameter_from(Type::float64, "0x10"), Value(16.0));
  EXPECT_EQ(parameter_from(Type::int16, "40000"), Value(std::int16_t{-25536}));
  EXPECT_EQ(parameter_from(Type::int32, "99999999999"), Value(std::int32_t{1215752191}));
  EXPECT_EQ(parameter_from(Type::uint16, "-1"), Value(std::uint16_t{65535}));
  EXPECT_EQ(parameter_from(Type::float64, "1e999"), Value(HUGE_VAL));
  EXPECT_EQ(parameter_from(Type::float64, "-1e-999"), Value(-0.0));
  EXPECT_EQ(parameter_from(Type::float64, "\"2.5\""), Value(2.5));
  EXPECT_EQ(parameter_from(Type::float64, "none"), std::nullopt);
  EXPECT_EQ(parameter_from(Type::int32, " "), std::nullopt);
  EXPECT_EQ(parameter_from(Type::character, "\\040x"), Value(' '));
  EXPECT_EQ(parameter_from(Type::string, " a b "), Value(" a b "));
  EXPECT_EQ(parameter_from(Type::string, "\"a b\" c"), Value("a b"));
  EXPECT_EQ(parameter_from(Type::string, "\\89 \\400 x"), Value("I "));
  EXPECT_EQ(parameter_from(Type::string, ""), Value(""));
}

TEST(TextValues, AreReadBackFromTheirLines) {
  for (const char* text :
       {"", " ", "a b", "\"quoted\" text", "back\\slash\\", "line\nend\ttab", "caf\xc3\xa9", "!x", "\\n"}) {
    EXPECT_EQ(parameter_from(Type::string, parameter_line(Value(text))), Value(text)) << text;
    EXPECT_FALSE(parameter_line(Value(text)).ends_with('\\'));
  }
  for (int code = 0; code < 256; ++code) {
    const Value value(static_cast<char>(code));
    EXPECT_EQ(parameter_from(Type::character, parameter_line(value)), value) << code;
  }
  for (const double number : {0.1, -0.0, 1e308, 5e-324, 1.0 / 3.0}) {
    EXPECT_EQ(parameter_from(Type::float64, parameter_line(Value(number))), Value(number));
  }
  EXPECT_EQ(parameter_from(Type::uint64, parameter_line(Value(UINT64_MAX))), Value(UINT64_MAX));
  EXPECT_THROW(static_cast<void>(parameter_line(Value(std::string(1, '\0')))), Error);
}

}  // namespace
}  // namespace quire::sdds::page_test
