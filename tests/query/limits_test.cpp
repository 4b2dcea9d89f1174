// Whether rows whose columns have known limits can satisfy a condition.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "query/scope.hpp"
#include "quire/query/expression.hpp"

namespace quire::limits_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool may_hold(const std::string& text, double lower, double upper) {
  const std::array limits{ColumnLimits{"x", lower, upper}, ColumnLimits{"i", lower, upper}};
  return Expression(text).may_hold(test::scope(), limits);
}

TEST(Limits, ExcludeConditionsThatNoRowSatisfies) {
  for (const char* text : {"x > 4",           "x >= 4.1",
                           "x < 0",           "x == 7",
                           "x in (5, 6)",     "x between 5 and 9",
                           "x > 3 and x < 0", "-x > 1",
                           "x + 1 > 6",       "x - 10 > 0",
                           "2 * x > 9",       "x / 2 > 2.1",
                           "x ** 2 > 17",     "abs(x - 10) < 5",
                           "sqrt(x) > 2.1",   "x > limit + 2",
                           "x > @limit * 2",  "1 / x > 1.1",
                           "false",           "x < 0 or x > 5",
                           "i > 4",           "i == 7",
                           "2 * i + 1 > 10",  "i in (5, 6)",
                           "not (i > 0)",     "x > 3 and i > 100",
                           "i % 2 > 5"}) {
    EXPECT_FALSE(may_hold(text, 1, 4)) << text;
  }
}

TEST(Limits, KeepConditionsThatARowCanSatisfy) {
  for (const char* text : {"x >= 4",           "x <= 1",
                           "x == 1",           "x != 2",
                           "x in (9, 3)",      "x between 4 and 9",
                           "x > 3 or x < 0",   "-x < -3.9",
                           "x + 1 >= 5",       "x * x >= 16",
                           "x ** 2 >= 16",     "x ** 3 > 1e9",
                           "abs(x - 10) <= 6", "sqrt(x) >= 2",
                           "x > limit",        "true",
                           "y > 100",          "i >= 4",
                           "row > 100",        "x > 3 and i > 3",
                           "not (i > 1)",      "i ** 2 >= 16",
                           "i / 3 > 1.3",      "i % 3 > 1",
                           "x % 2 > 5",        "x + y > 1000",
                           "exp(x) < 0",       "1 / (x - 2) > 1e9"}) {
    EXPECT_TRUE(may_hold(text, 1, 4)) << text;
  }
}

bool must_hold(const std::string& text, bool may_be_nan = false) {
  const std::array limits{ColumnLimits{"x", 1, 4, may_be_nan}, ColumnLimits{"i", 1, 4}};
  return Expression(text).must_hold(test::scope(), limits);
}

TEST(Limits, KnowConditionsThatAllRowsSatisfy) {
  for (const char* text : {"x >= 1", "x < 5 and i > 0", "x != 7", "2 * x > 1", "not (x > 4)", "i between 0 and 4",
                           "i in (1, 2) or i > 0", "true", "x * x >= 0 or y > 3", "row >= 0"}) {
    EXPECT_TRUE(must_hold(text)) << text;
  }
  for (const char* text : {"x > 1", "y > -1e30", "i == 1", "i + 9223372036854775807 > 0", "isnan(x)", "x > y",
                           "sqrt(x) > 0", "x < max(x) + 1", "t == 'a'"}) {
    EXPECT_FALSE(must_hold(text)) << text;
  }
  for (const char* text : {"x >= 1", "x != 7", "x == x or x < 9"}) EXPECT_FALSE(must_hold(text, true)) << text;
}

TEST(Limits, DoNotExcludeNan) {
  for (const char* text :
       {"not (x > 0)", "isnan(x)", "not (x between 0 and 9)", "not (abs(x) < 100)", "not (x != 9)"}) {
    EXPECT_TRUE(may_hold(text, 1, 4)) << text;
  }
}

TEST(Limits, AreUnknownIfTheyAreNan) {
  EXPECT_TRUE(may_hold("x > 4", std::nan(""), 4));
  EXPECT_TRUE(may_hold("x > 4", 1, std::nan("")));
  EXPECT_TRUE(may_hold("x > 4", -infinity, infinity));
  EXPECT_FALSE(may_hold("x > 4", -infinity, 3));
}

bool may_fail(const std::string& text, double lower, double upper) {
  const std::array limits{ColumnLimits{"i", lower, upper}, ColumnLimits{"u", lower, upper},
                          ColumnLimits{"x", lower, upper}};
  return Expression(text).may_fail(test::scope(), limits);
}

TEST(Limits, KnowIntegersThatMayBeBeyondInt64) {
  for (const char* text : {"i + i > 0",
                           "2 * i == 4",
                           "-i < 0 or i - 5 < 0",
                           "abs(-i) > 3",
                           "u + 1 > 0",
                           "-u < 0",
                           "i > 0 and u % 5 > 2",
                           "int(x) > 2",
                           "where(i > 0, u, i) > 2",
                           "max(u, i) > 1",
                           "bitand(u, 1) == 1",
                           "x < 0 and i * i > 2",
                           "x in (1, i * 2)",
                           "x between 0 and i * 2",
                           "sqrt(i + i) > 0",
                           "max(i * i) > 0 and x < 0",
                           "sum(i) > 0",
                           "cumsum(i) > 0",
                           "where(i * 2 > 0, 'a', 'b') like 'a'",
                           "isnan(i * 2)",
                           "int(u) > 1",
                           "(i + 1) % 3 > 1 or -i > 3"}) {
    EXPECT_TRUE(may_fail(text, -0x1p63, 0x1p64)) << text;
    EXPECT_TRUE(may_hold(text, -0x1p63, 0x1p64)) << text;
  }
  for (const char* text : {"i % (i - 3) > 0", "5 % (2 - i) == 1", "int(x) > 0"})
    EXPECT_TRUE(may_fail(text, 1, 4)) << text;
}

TEST(Limits, KnowIntegersThatAreWithinInt64) {
  for (const char* text :
       {"i + i > 0", "2 * i == 4", "-i < 0", "abs(i - 9) > 3", "u + 1 > 0", "u % 5 > 2", "max(u, i) > 1", "i ** 9 > 4",
        "bitand(u, 1) == 1", "x in (1, i * 2)", "i % 3 > 0 or x < 0", "row + 1 > 5", "where(i > 0, u, i) > 2",
        "i > -9223372036854775808", "int(u) > 1", "length(t) + 1 > 3", "(x > 0) + (i > 0) == 2", "max(x) > 2"}) {
    EXPECT_FALSE(may_fail(text, 1, 4)) << text;
  }
  for (const char* text : {"x + x > 0", "x * i > 4", "i / 3 > 1", "i > 3", "u > 3", "sqrt(u) > 3", "i == u",
                           "min(u) > 3", "sum(x) > 1", "i < mean(i)"}) {
    EXPECT_FALSE(may_fail(text, -0x1p63, 0x1p64)) << text;
  }
}

/// A random expression of numbers.
std::string number(std::mt19937& random, int depth) {
  const auto choose = [&](unsigned count) { return random() % count; };
  constexpr std::array leaves{"x", "y", "0.1", "3", "limit", "1e-3", "-2.5", "i", "i", "u"};
  if (depth == 0) return leaves[choose(leaves.size())];
  const std::string a = number(random, depth - 1);
  const std::string b = number(random, depth - 1);
  switch (choose(9)) {
    case 0:
      return "abs(" + a + ")";
    case 1:
      return "sqrt(" + a + ")";
    case 2:
      return "(" + a + ") ** 2";
    case 3:
      return "-(" + a + ")";
    case 4:
      return "max(" + a + ", " + b + ")";
    default:
      constexpr std::array operations{" + ", " - ", " * ", " / ", " % "};
      return "(" + a + ")" + operations[choose(operations.size())] + "(" + b + ")";
  }
}

std::string condition(std::mt19937& random, int depth) {
  const auto choose = [&](unsigned count) { return random() % count; };
  if (depth == 0) {
    constexpr std::array comparisons{" < ", " <= ", " > ", " >= ", " == ", " != "};
    return number(random, 2) + comparisons[choose(comparisons.size())] + number(random, 1);
  }
  const std::string a = condition(random, depth - 1);
  switch (choose(3)) {
    case 0:
      return "not (" + a + ")";
    case 1:
      return "(" + a + ") and (" + condition(random, depth - 1) + ")";
    default:
      return "(" + a + ") or (" + condition(random, depth - 1) + ")";
  }
}

TEST(Limits, AgreeWithTheRowsThatSatisfyTheConditionOrFail) {
  std::mt19937 random(7);
  constexpr std::size_t rows = 40;
  int excluded = 0;
  int certain = 0;
  for (int round = 0; round < 3000; ++round) {
    const double begin = std::uniform_real_distribution(-3.0, 3.0)(random);
    const double length = std::uniform_real_distribution(0.0, 1.0)(random);
    std::vector<double> x;
    std::vector<float> y;
    std::vector<std::int64_t> i;
    std::vector<std::uint64_t> u;
    const std::int64_t far = round % 4 == 0 ? std::int64_t{1} << (random() % 63) : 0;
    for (std::size_t row = 0; row < rows; ++row) {
      x.push_back(begin + length * std::uniform_real_distribution(0.0, 1.0)(random));
      y.push_back(static_cast<float>(x.back()) / 2);
      i.push_back(static_cast<std::int64_t>(row % 5) + std::lround(begin) + far);
      u.push_back(static_cast<std::uint64_t>(far) * 2 + row);
    }
    if (round % 10 == 0) x[3] = std::nan("");
    double lower = infinity;
    double upper = -infinity;
    for (const double value : x) {
      if (value < lower) lower = value;
      if (value > upper) upper = value;
    }
    const auto [least, greatest] = std::minmax_element(y.begin(), y.end());
    const auto [first, last] = std::minmax_element(i.begin(), i.end());
    const double most = static_cast<double>(u.back());
    const std::array limits{ColumnLimits{"x", lower, upper, round % 10 == 0},
                            ColumnLimits{"y", *least, *greatest, false},
                            ColumnLimits{"i", static_cast<double>(*first), static_cast<double>(*last)},
                            ColumnLimits{"u", static_cast<double>(u.front()), std::nextafter(most, infinity)}};
    const std::string text = condition(random, round % 3);
    const Expression expression(text);
    const CompiledExpression compiled = expression.compile(test::scope());
    std::vector<ConstView> views;
    for (const std::string& name : compiled.columns()) {
      if (name == "x") views.emplace_back(x);
      if (name == "y") views.emplace_back(y);
      if (name == "i") views.emplace_back(i);
      if (name == "u") views.emplace_back(u);
    }
    const bool may_hold = expression.may_hold(test::scope(), limits);
    if (expression.must_hold(test::scope(), limits)) {
      EXPECT_EQ(compiled.count(views, 0, rows), rows) << text << " for x in " << lower << " to " << upper;
      ++certain;
    }
    if (!may_hold) {
      EXPECT_EQ(compiled.count(views, 0, rows), 0U) << text << " for x in " << lower << " to " << upper;
      ++excluded;
    }
  }
  EXPECT_GT(excluded, 300);
  EXPECT_GT(certain, 300);
}

}  // namespace
}  // namespace quire::limits_test
