#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "model/name_index.hpp"
#include "model/near_names.hpp"
#include "quire/base/error.hpp"
#include "quire/model/description.hpp"
#include "quire/model/selection.hpp"
#include "quire/model/value.hpp"
#include "quire/spi/base/archive.hpp"

namespace quire::model_test {
namespace {

ErrorKind kind_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "no error";
  return ErrorKind::internal;
}

// Must not compile: a view of a temporary vector.
static_assert(!std::is_convertible_v<std::vector<double>, ConstView>);
static_assert(std::is_convertible_v<std::vector<double>&, ConstView>);
static_assert(std::is_convertible_v<std::span<const double>, ConstView>);
static_assert(!std::is_convertible_v<std::vector<double>, View>);

TEST(Type, NamesGoThereAndBack) {
  for (int i = 0; i <= static_cast<int>(Type::string); ++i) {
    const auto type = static_cast<Type>(i);
    EXPECT_EQ(type_named(name(type)), type);
  }
  EXPECT_EQ(kind_of([] { static_cast<void>(type_named("float63")); }), ErrorKind::usage);
}

TEST(Type, WideningIsWithoutLossAndNarrowingIsNot) {
  EXPECT_TRUE(converts_without_loss(Type::int32, Type::float64));
  EXPECT_TRUE(converts_without_loss(Type::uint8, Type::int16));
  EXPECT_TRUE(converts_without_loss(Type::int64, Type::float80));
  EXPECT_FALSE(converts_without_loss(Type::int64, Type::float64));
  EXPECT_FALSE(converts_without_loss(Type::int8, Type::uint64));
  EXPECT_FALSE(converts_without_loss(Type::float32, Type::int64));
  EXPECT_FALSE(converts_without_loss(Type::character, Type::int8));
  EXPECT_FALSE(converts_without_loss(Type::float64, Type::string));
}

TEST(Value, HoldsScalarsArraysAndTexts) {
  EXPECT_EQ(Value().as_text(), "");
  EXPECT_EQ(Value().count(), 1U);
  EXPECT_EQ(Value(1.5).as_text(), "1.5");
  EXPECT_EQ(Value("beam").type(), Type::string);
  const std::vector<std::int32_t> numbers{3, -4};
  const Value array{std::span<const std::int32_t>(numbers)};
  EXPECT_EQ(array.shape(), std::vector<std::uint64_t>{2});
  EXPECT_EQ(array.as_integer(1), -4);
  EXPECT_EQ(kind_of([&] { static_cast<void>(array.as_integer(2)); }), ErrorKind::usage);
}

TEST(Value, ConvertsWhereNothingIsLost) {
  EXPECT_EQ(Value(3.0).as_integer(), 3);
  EXPECT_EQ(Value(std::uint8_t{200}).converted_to(Type::float32).as_double(), 200.0);
  EXPECT_EQ(kind_of([] { static_cast<void>(Value(3.5).as_integer()); }), ErrorKind::type);
  EXPECT_EQ(kind_of([] { static_cast<void>(Value(1e300).as_integer()); }), ErrorKind::type);
  EXPECT_EQ(kind_of([] { static_cast<void>(Value("3").as_integer()); }), ErrorKind::type);
  const Value nan(std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(std::isnan(nan.converted_to(Type::float32).as_double()));
  EXPECT_EQ(kind_of([&] { static_cast<void>(nan.as_integer()); }), ErrorKind::type);
}

TEST(Value, EdgesOfIntegersAreExact) {
  const Value largest(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(largest.as_integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(kind_of([&] { static_cast<void>(largest.as_double()); }), ErrorKind::type);
  const Value smallest(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(smallest.as_double(), -0x1p63);
  EXPECT_EQ(Value(-0x1p63).as_integer(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(kind_of([] { static_cast<void>(Value(0x1p63).as_integer()); }), ErrorKind::type);
  EXPECT_EQ(Value(0x1p63).converted_to(Type::int64, true).as_integer(), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Value(-1).converted_to(Type::uint8, true).as_integer(), 0);
}

TEST(Value, TextReadsBackToTheSameNumber) {
  for (const double number : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0}) {
    EXPECT_EQ(std::strtod(Value(number).as_text().c_str(), nullptr), number);
  }
  EXPECT_EQ(Value('x').as_text(), "x");
}

TEST(Slice, VolumesAreChecked) {
  EXPECT_EQ(volume({}), 1U);
  EXPECT_EQ(volume({3, 0, 5}), 0U);
  EXPECT_EQ(kind_of([] {
              static_cast<void>(volume({std::uint64_t{1} << 33, std::uint64_t{1} << 33}));
            }),
            ErrorKind::bad_file);
}

TEST(View, PartsOfStringsAndNumbers) {
  PackedStrings packed;
  for (const char* text : {"a", "", "ccc"}) packed.push_back(text);
  EXPECT_EQ(ConstView(packed).part(1, 2).part(1, 1).text(0), "ccc");
  const std::vector<double> numbers{1, 2, 3};
  EXPECT_EQ(ConstView(numbers).part(2, 1).data, reinterpret_cast<const std::byte*>(&numbers[2]));
}

TEST(Description, ErrorsNameTheNearest) {
  Table table;
  for (const char* column : {"betax", "betay", "s"}) {
    table.columns.emplace_back();
    table.columns.back().name = column;
  }
  try {
    static_cast<void>(table.find("betaz"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::missing);
    EXPECT_NE(std::string(error.what()).find("nearest: betax, betay"), std::string::npos) << error.what();
  }
}

TEST(Model, NearNamesHaveMostOfTheLettersInTheirOrder) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(near_names("betaz", {"s", "betax", "alphax", "betay"}), (Names{"betax", "betay"}));
  EXPECT_EQ(near_names("STEP", {"steps", "step", "Step"}, 2), (Names{"step", "Step"}));
  EXPECT_EQ(near_names("enrgy", {"entry", "energy"}), (Names{"energy", "entry"}));
  EXPECT_EQ(near_names("foo", {"x", "px", "y", ""}), Names{});
  EXPECT_EQ(near_names("pz", {"px"}), Names{});  // a half of the letters
  EXPECT_EQ(near_names("", {"", "x"}), Names{});
  EXPECT_EQ(near_names(std::string(201, 'x'), {std::string(201, 'x')}), Names{});
}

TEST(Model, MissingNamesComeWithNearOnesOrElseAll) {
  EXPECT_EQ(nearest_names("nope", {"p", "u", "p", "p", "u", "v"}), "; there are: p, u, v");
  EXPECT_EQ(nearest_names("p", {"rho", "p", "p"}), " (nearest: p)");
  EXPECT_EQ(nearest_names("p", {}), "");
  EXPECT_EQ(nearest_names("nope", {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13"}),
            "; there are: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 1 more");
}

TEST(Error, ShowsZeroBytesAndTheTextAfterThem) {
  Error error(ErrorKind::unsupported, "no such name");
  error.on(std::string("a\0b", 3)).advise("call it a_b");
  EXPECT_STREQ(error.what(), "a\\x00b: no such name; call it a_b");
  EXPECT_EQ(error.object(), std::string("a\0b", 3));
}

TEST(Error, ContainsLocationAndAdviceAndCanBePacked) {
  Error error(ErrorKind::bad_file, "negative row count");
  error.in_file("a.b").on("step 3").at(17).from_rank(2).advise("run quire recover");
  EXPECT_STREQ(error.what(), "a.b: step 3: negative row count (at byte 17) [rank 2]; run quire recover");
  const Error back = Error::unpack(error.pack());
  EXPECT_STREQ(back.what(), error.what());
  EXPECT_EQ(back.kind(), ErrorKind::bad_file);
  EXPECT_EQ(back.offset(), 17U);
}

TEST(Archive, RefusesMessagesThatEndEarly) {
  StepDescription step;
  step.tables.emplace_back();
  auto bytes = pack(step);
  bytes.pop_back();
  EXPECT_EQ(kind_of([&] { static_cast<void>(unpack<StepDescription>(bytes)); }), ErrorKind::internal);
}

TEST(RowSelectionTest, EndsAfterItsGreatestRow) {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(RowSelection(std::vector<std::uint64_t>{4, 9, 2}).end(), 10U);
  EXPECT_EQ(RowSelection(std::vector<std::uint64_t>{}).end(), 0U);
  EXPECT_EQ(RowSelection(Slice{7, 3}).end(), 10U);
  EXPECT_EQ(RowSelection(Slice{7, 0}).end(), 0U) << "nothing ends nowhere, wherever it begins";
  EXPECT_EQ(RowSelection(Hyperslab{{1}, {5}, {3}, {2}}).end(), 13U);
  EXPECT_EQ(RowSelection(Selection({Hyperslab{{20}, {}, {1}, {}}, Hyperslab{{0}, {}, {3}, {}}})).end(), 21U);
  EXPECT_THROW(static_cast<void>(RowSelection(Selection(Box{{0, 0}, {1, 1}})).end()), Error);
  EXPECT_THROW(static_cast<void>(RowSelection(std::vector<std::uint64_t>{largest}).end()), Error);
  EXPECT_THROW(static_cast<void>(RowSelection(Hyperslab{{0}, {largest}, {3}, {}}).end()), Error);
}

Quantity quantity(const std::string& name, Type type, const std::string& unit = {}) {
  Quantity result;
  result.name = name;
  result.type = type;
  result.unit = unit;
  return result;
}

TEST(WithoutValues, TypesTextsAndAxesStayAndNothingElse) {
  StepDescription step;
  step.number = 7;
  step.attributes.push_back({quantity("charge", Type::float64, "C"), Value(1.5)});
  const std::vector<std::int16_t> pair{3, 4};
  step.attributes.push_back({quantity("pair", Type::int16), Value(std::span<const std::int16_t>(pair))});
  step.attributes.push_back({quantity("label", Type::string), Value("a text")});
  step.tables.push_back({.name = "electrons", .rows = 5, .columns = {{quantity("x", Type::float64, "m")}}});
  Field field;
  field.name = "phi";
  field.extents = {3, 4};
  field.components = 2;
  step.fields.push_back(field);
  const StepDescription bare = without_values(step);
  EXPECT_EQ(bare.number, 0);
  ASSERT_EQ(bare.attributes.size(), 3U);
  EXPECT_EQ(bare.attributes[0].unit, "C");
  EXPECT_EQ(bare.attributes[0].value, Value(0.0));
  EXPECT_EQ(bare.attributes[1].value, Value::numbers(Type::int16, {0}, {}));
  EXPECT_EQ(bare.attributes[2].value, Value(""));
  ASSERT_EQ(bare.tables.size(), 1U);
  EXPECT_EQ(bare.tables[0].rows, 0U);
  EXPECT_EQ(bare.tables[0].columns, step.tables[0].columns);
  ASSERT_EQ(bare.fields.size(), 1U);
  EXPECT_EQ(bare.fields[0].extents, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_EQ(bare.fields[0].components, 2U);
}

/// A name that counts how often it is compared.
struct CountedName {
  std::string text;
  std::size_t* looks;
  operator std::string_view() const noexcept {
    ++*looks;
    return text;
  }
};
struct CountedItem {
  CountedName name;
};

TEST(NameIndex, LooksAtEveryNameOfALongListOnce) {
  constexpr std::size_t many = 20000;
  std::size_t looks = 0;
  std::vector<CountedItem> items;
  NameIndex index;
  for (std::size_t i = 0; i < many; ++i) {
    const std::string name = "column" + std::to_string(i);
    ASSERT_FALSE(index.contains(items, name));
    items.push_back({{name, &looks}});
    ASSERT_EQ(index.find(items, name), i);
  }
  EXPECT_LE(looks, many + 1000);
}

TEST(NameIndex, FindsTheFirstItemOfAName) {
  for (const std::size_t count : {3U, 300U}) {
    std::vector<std::string> names(count, "same");
    names[1] = "other";
    NameIndex index;
    EXPECT_EQ(index.find(names, "same"), 0U);
    EXPECT_EQ(index.find(names, "other"), 1U);
    EXPECT_FALSE(index.contains(names, "none"));
    names.erase(names.begin());
    index.clear();
    EXPECT_EQ(index.find(names, "other"), 0U);
  }
}

}  // namespace
}  // namespace quire::model_test
