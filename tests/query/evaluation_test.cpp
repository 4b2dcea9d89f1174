// Evaluation of blocks against a loop over single values, for all types, strides and block borders.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/query/expression.hpp"
#include "quire/spi/model/dispatch.hpp"

namespace quire::evaluation_test {
namespace {

constexpr std::size_t rows = 10000;  // whole blocks and a part of one

Quantity column(const std::string& name, Type type) {
  Quantity quantity;
  quantity.name = name;
  quantity.type = type;
  return quantity;
}

CompiledExpression compile(const std::string& text, const std::vector<Quantity>& columns) {
  Scope scope;
  scope.columns = columns;
  return Expression(text).compile(scope);
}

/// Values of a type around the small integers, with whatever else the type has.
template <class Number>
std::vector<Number> sample() {
  std::mt19937_64 random(sizeof(Number));
  std::vector<Number> values(rows);
  for (Number& value : values) {
    value = static_cast<Number>(static_cast<std::int64_t>(random() % 41) - (std::is_signed_v<Number> ? 20 : 0));
    if constexpr (std::is_floating_point_v<Number>) value /= 4;
  }
  values[1] = std::numeric_limits<Number>::max();
  values[rows - 1] = std::numeric_limits<Number>::lowest();
  if constexpr (std::is_floating_point_v<Number>) {
    values[2] = std::numeric_limits<Number>::quiet_NaN();
    values[3] = std::numeric_limits<Number>::infinity();
    values[4] = -values[3];
    values[5] = -Number{0};
  }
  return values;
}

template <class Number>
class EvaluationOf : public testing::Test {};
using NumberTypes = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                   std::int64_t, std::uint64_t, float, double, long double>;
TYPED_TEST_SUITE(EvaluationOf, NumberTypes);

TYPED_TEST(EvaluationOf, ComparesAndSelects) {
  const auto values = sample<TypeParam>();
  const CompiledExpression compiled = compile("x > 1.25 or x == 0 or x < -3", {column("x", TypeOf<TypeParam>::value)});
  std::vector<std::uint64_t> expected;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto value = static_cast<long double>(values[i]);
    if (value > 1.25L || value == 0 || value < -3) expected.push_back(100 + i);
  }
  std::vector<std::uint64_t> found;
  compiled.select(std::vector<ConstView>{values}, 100, rows, found);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(compiled.count(std::vector<ConstView>{values}, 100, rows), expected.size());
}

TYPED_TEST(EvaluationOf, GivesABareColumnBackUnchanged) {
  const auto values = sample<TypeParam>();
  const CompiledExpression compiled = compile("x", {column("x", TypeOf<TypeParam>::value)});
  ASSERT_EQ(compiled.type(), TypeOf<TypeParam>::value);
  std::vector<TypeParam> out(rows);
  compiled.evaluate(std::vector<ConstView>{values}, 0, View(out));
  for (std::size_t i = 0; i < rows; ++i) {
    EXPECT_TRUE(out[i] == values[i] || (out[i] != out[i] && values[i] != values[i])) << i;
  }
}

TYPED_TEST(EvaluationOf, TakesStridesAndOddPlaces) {
  const auto values = sample<TypeParam>();
  constexpr std::size_t stride = sizeof(TypeParam) + 3;
  std::vector<std::byte> memory(1 + rows * stride);
  for (std::size_t i = 0; i < rows; ++i) std::memcpy(memory.data() + 1 + i * stride, &values[i], sizeof(TypeParam));
  const ConstView view(TypeOf<TypeParam>::value, memory.data() + 1, rows, stride);
  const CompiledExpression compiled = compile("x >= 2", {column("x", TypeOf<TypeParam>::value)});
  std::uint64_t expected = 0;
  for (const TypeParam value : values) expected += value >= TypeParam{2} ? 1 : 0;
  EXPECT_EQ(compiled.count(std::vector<ConstView>{view}, 0, rows), expected);
}

TEST(Evaluation, ArithmeticIsThatOfFloat64) {
  const auto x = sample<double>();
  const auto q = sample<float>();
  const auto i = sample<std::int32_t>();
  const CompiledExpression compiled =
      compile("x * 2 + q / (i + 0.5) - x ** 2 % 3",
              {column("x", Type::float64), column("q", Type::float32), column("i", Type::int32)});
  ASSERT_EQ(compiled.columns(), (std::vector<std::string>{"x", "q", "i"}));
  std::vector<double> out(rows);
  compiled.evaluate(std::vector<ConstView>{x, q, i}, 0, View(out));
  for (std::size_t row = 0; row < rows; ++row) {
    double rest = std::fmod(x[row] * x[row], 3);
    if (rest < 0) rest += 3;
    const double expected = x[row] * 2 + static_cast<double>(q[row]) / (i[row] + 0.5) - rest;
    EXPECT_TRUE(out[row] == expected || (std::isnan(out[row]) && std::isnan(expected))) << row;
  }
}

TEST(Evaluation, IntegersStayExact) {
  const std::vector<std::int64_t> id{9007199254740992, 9007199254740993, 9007199254740994, INT64_MIN, INT64_MAX};
  const std::vector<std::uint64_t> big{0, 1, 9007199254740993, UINT64_MAX - 1, UINT64_MAX};
  const std::vector<double> x{9007199254740992.0, 9007199254740992.0, 2.5, -1e300, std::nan("")};
  const std::vector<Quantity> columns{column("id", Type::int64), column("big", Type::uint64),
                                      column("x", Type::float64)};
  const auto rows_of = [&](const std::string& text) {
    const CompiledExpression compiled = compile(text, columns);
    std::vector<ConstView> views;
    for (const std::string& name : compiled.columns()) {
      views.push_back(name == "id" ? ConstView(id) : name == "big" ? ConstView(big) : ConstView(x));
    }
    std::vector<std::uint64_t> found;
    compiled.select(views, 0, 5, found);
    return found;
  };
  using Rows = std::vector<std::uint64_t>;
  EXPECT_EQ(rows_of("id == 9007199254740993"), (Rows{1}));
  EXPECT_EQ(rows_of("id > 9007199254740992.0"), (Rows{1, 2, 4}));
  EXPECT_EQ(rows_of("id == x"), (Rows{0}));
  EXPECT_EQ(rows_of("id > x"), (Rows{1, 2, 3}));
  EXPECT_EQ(rows_of("x < id"), (Rows{1, 2, 3}));
  EXPECT_EQ(rows_of("id != x"), (Rows{1, 2, 3}));
  EXPECT_EQ(rows_of("id < 1e300 and id > -1e300"), (Rows{0, 1, 2, 3, 4}));
  EXPECT_EQ(rows_of("big == 18446744073709551615"), (Rows{4}));
  EXPECT_EQ(rows_of("big > -1"), (Rows{0, 1, 2, 3, 4}));
  EXPECT_EQ(rows_of("big > id"), (Rows{3, 4}));
  EXPECT_EQ(rows_of("id in (1, 9007199254740993)"), (Rows{1}));
  EXPECT_EQ(rows_of("id in (1,2,3,4,5,6,7,8,9,9007199254740993)"), (Rows{1}));
  EXPECT_EQ(rows_of("big in (1,2,3,4,5,6,7,8,9,18446744073709551615)"), (Rows{1, 4}));
}

TEST(Evaluation, NoNumberSatisfiesNoComparison) {
  const std::vector<double> x{std::nan(""), 1};
  for (const std::string text :
       {"x < 2", "x >= 1", "x == 1", "x != 2", "x between 0 and 2", "x in (1, 2)", "x in (1,2,3,4,5,6,7,8,9,10)"}) {
    std::vector<std::uint64_t> found;
    compile(text, {column("x", Type::float64)}).select(std::vector<ConstView>{x}, 0, 2, found);
    EXPECT_EQ(found, (std::vector<std::uint64_t>{1})) << text;
  }
  std::vector<std::uint64_t> found;
  compile("not (x == 1)", {column("x", Type::float64)}).select(std::vector<ConstView>{x}, 0, 2, found);
  EXPECT_EQ(found, (std::vector<std::uint64_t>{0}));
}

TEST(Evaluation, TextsAndCharacters) {
  const std::vector<std::string> name{"Q1", "Q2", "D1", "D2", "S1", "Q3"};
  PackedStrings packed;
  for (const std::string& text : name) packed.push_back(text);
  const std::vector<char> flag{'a', 'b', 'a', '\0', 'c', 'a'};
  const std::vector<Quantity> columns{column("name", Type::string), column("flag", Type::character)};
  const CompiledExpression condition = compile("name not like 'Q*' and flag in ('a', 'c')", columns);
  for (const ConstView& view : {ConstView(std::span<const std::string>(name)), ConstView(packed)}) {
    std::vector<std::uint64_t> found;
    condition.select(std::vector<ConstView>{view, flag}, 0, 6, found);
    EXPECT_EQ(found, (std::vector<std::uint64_t>{2, 4}));
  }
  PackedStrings out;
  compile("where(flag == 'a', name, 'none')", columns).evaluate(std::vector<ConstView>{flag, packed}, 0, View(out, 6));
  ASSERT_EQ(out.size(), 6u);
  EXPECT_EQ(out[0], "Q1");
  EXPECT_EQ(out[1], "none");
  std::vector<char> letters(6);
  compile("flag", columns).evaluate(std::vector<ConstView>{flag}, 0, View(letters));
  EXPECT_EQ(letters, flag);
}

TEST(Evaluation, RowsAndConstantsFillWholeBlocks) {
  std::vector<std::int64_t> out(rows);
  compile("row * 2", {}).evaluate({}, 1000, View(out));
  for (std::size_t i = 0; i < rows; ++i) ASSERT_EQ(out[i], 2 * (1000 + static_cast<std::int64_t>(i)));
  std::vector<double> same(rows);
  compile("pi", {}).evaluate({}, 0, View(same));
  EXPECT_EQ(same.front(), same.back());
  std::vector<std::uint64_t> all;
  compile("true", {}).select({}, 5, rows, all);
  EXPECT_EQ(all.size(), rows);
  EXPECT_EQ(all.front(), 5u);
  EXPECT_EQ(compile("1 > 2", {}).count({}, 0, rows), 0u);
}

TEST(Evaluation, ErrorsNameTheRow) {
  std::vector<std::int64_t> id(rows, 1);
  id[5000] = INT64_MAX;
  const CompiledExpression compiled = compile("id + 1", {column("id", Type::int64)});
  std::vector<std::int64_t> out(rows);
  try {
    compiled.evaluate(std::vector<ConstView>{id}, 100, View(out));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::type);
    EXPECT_NE(error.message().find("row 5100"), std::string::npos) << error.message();
  }
  std::vector<std::int32_t> narrow(rows);
  EXPECT_THROW(compile("id", {column("id", Type::int64)}).evaluate(std::vector<ConstView>{id}, 0, View(narrow)), Error);
  EXPECT_THROW(compiled.evaluate({}, 0, View(out)), Error);
  std::vector<std::uint64_t> found;
  const std::vector<double> x(rows, 1.0);
  EXPECT_THROW(compile("x + 1", {column("x", Type::float64)}).select(std::vector<ConstView>{x}, 0, rows, found), Error);
}

TEST(Evaluation, BlocksThatAreDecidedAreJumpedOver) {
  std::vector<double> x(rows);
  std::vector<std::int16_t> h(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    x[i] = static_cast<double>(i);
    h[i] = static_cast<std::int16_t>(i % 7);
  }
  const std::vector<Quantity> columns{column("x", Type::float64), column("h", Type::int16)};
  const auto check = [&](const std::string& text, auto expected) {
    std::vector<std::uint64_t> wanted;
    for (std::size_t i = 0; i < rows; ++i) {
      if (expected(x[i], h[i])) wanted.push_back(i);
    }
    std::vector<std::uint64_t> found;
    compile(text, columns).select(std::vector<ConstView>{x, h}, 0, rows, found);
    EXPECT_EQ(found, wanted) << text;
  };
  check("x < 3000 and h == 3", [](double a, int b) { return a < 3000 && b == 3; });
  check("x < 3000 or h == 3", [](double a, int b) { return a < 3000 || b == 3; });
  check("x > 5000 and (x < 7000 or h == 3) or x < 10 and h > 2",
        [](double a, int b) { return (a > 5000 && (a < 7000 || b == 3)) || (a < 10 && b > 2); });
  check("not (x > 5000 and not (h == 1 or x > 9000 and h == 2))",
        [](double a, int b) { return !(a > 5000 && !(b == 1 || (a > 9000 && b == 2))); });
  check("(x > 4000 and h == 1) + (x > 8000 and h < 3) == 2", [](double a, int b) { return a > 8000 && b == 1; });
}

TEST(Evaluation, ErrorsDoNotDependOnBlocks) {
  std::vector<double> x(rows, 0.0);
  std::vector<std::int64_t> id(rows, 1);
  id[7000] = INT64_MAX;
  std::vector<std::uint64_t> found;
  const CompiledExpression compiled =
      compile("x > 1 and id + 1 > 0", {column("x", Type::float64), column("id", Type::int64)});
  EXPECT_THROW(compiled.select(std::vector<ConstView>{x, id}, 0, rows, found), Error);
}

TEST(Evaluation, EmptyTables) {
  std::vector<std::uint64_t> found;
  const std::vector<double> none;
  compile("x > 1", {column("x", Type::float64)}).select(std::vector<ConstView>{none}, 0, 0, found);
  EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace quire::evaluation_test
