// What conditions ask of single columns.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/value_list.hpp"
#include "query/scope.hpp"
#include "quire/query/expression.hpp"

namespace quire::selector_test {
namespace {

using kernels::key_of;
using Kind = Selector::Kind;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Number>
bool accepts(const Selector& selector, Number value) {
  for (const auto& [lower, upper] : selector.keys) {
    if (lower <= key_of(value) && key_of(value) <= upper) return true;
  }
  return false;
}

template <class Number>
void expect_truths_of_evaluation(const std::string& text, const std::vector<Number>& values) {
  const Selector selector = Expression(text).selector(test::scope());
  ASSERT_EQ(selector.kind, Kind::column) << text;
  const CompiledExpression compiled = Expression(text).compile(test::scope());
  for (const Number value : values) {
    const std::vector<Number> one{value};
    const std::vector<ConstView> columns(1, ConstView(one));
    EXPECT_EQ(accepts(selector, value), compiled.count(columns, 0, 1) == 1) << text << " for " << value;
  }
}

TEST(Selectors, HaveTheTruthsOfTheEvaluation) {
  const std::vector<double> reals{-infinity, -1e300, -2.5,   -1,     -0.0,   0.0,      1e-310, 0.5,    1,
                                  2.5,       0x1p53, 0x1p62, 0x1p63, 0x1p64, infinity, nan,    -1e-310};
  const std::vector<float> narrow{-1, 0.1F, 0.2F, 2.5F, 0x1p53F, std::numeric_limits<float>::infinity(), 16777216};
  constexpr std::int64_t large = std::int64_t{1} << 53;
  const std::vector<std::int64_t> integers{std::numeric_limits<std::int64_t>::min(),
                                           -large - 1,
                                           -large,
                                           -3,
                                           -2,
                                           -1,
                                           0,
                                           1,
                                           2,
                                           3,
                                           large - 1,
                                           large,
                                           large + 1,
                                           std::numeric_limits<std::int64_t>::max() - 1,
                                           std::numeric_limits<std::int64_t>::max()};
  const std::vector<std::uint64_t> naturals{0,
                                            1,
                                            2,
                                            3,
                                            std::uint64_t{1} << 53,
                                            (std::uint64_t{1} << 53) + 1,
                                            std::uint64_t{1} << 63,
                                            std::numeric_limits<std::uint64_t>::max()};
  for (const char* constant : {"0",
                               "-0.0",
                               "2.5",
                               "-2.5",
                               "0.1",
                               "1",
                               "-1",
                               "1e300",
                               "1 / 0.0",
                               "-1 / 0.0",
                               "0.0/0.0",
                               "9007199254740993",
                               "9007199254740992",
                               "-9007199254740993",
                               "9223372036854775807",
                               "9223372036854775808",
                               "18446744073709551615",
                               "1e19",
                               "2e19",
                               "-1e19",
                               "9.2233720368547758e18",
                               "limit",
                               "-limit",
                               "2 * 3 - 4.5",
                               "pi",
                               "1 + 1"}) {
    for (const char* sign : {"<", "<=", ">", ">=", "==", "!="}) {
      const std::string right = std::string(" ") + sign + " (" + constant + ")";
      const std::string left = std::string("(") + constant + ") " + sign + " ";
      expect_truths_of_evaluation("x" + right, reals);
      expect_truths_of_evaluation(left + "x", reals);
      expect_truths_of_evaluation("not (x" + right + ")", reals);
      expect_truths_of_evaluation("y" + right, narrow);
      expect_truths_of_evaluation("i" + right, integers);
      expect_truths_of_evaluation("not (" + left + "i)", integers);
      expect_truths_of_evaluation("u" + right, naturals);
    }
  }
  for (const char* text : {"x between -1 and 2.5", "not (x between -1 and 2.5)", "x in (1, 0, -2.5, 1)",
                           "not (x in (1, 0.5))", "isnan(x)", "not isnan(x)", "x > 0 and x < 2 or x == -1",
                           "x > 0 and not (x == 1)", "x < 0 or x >= 0", "not (x < 0 or x > 1)"}) {
    expect_truths_of_evaluation(text, reals);
  }
}

/// They are compiled one by one: without copies of the whole expression, which would take minutes.
TEST(Selectors, TakeManyComputedConstants) {
  constexpr int count = 20000;
  std::string text = "i in (0 + 0";
  for (int value = 1; value < count; ++value) text += "," + std::to_string(2 * value) + "+0";
  const Selector selector = Expression(text + ")").selector(test::scope());
  ASSERT_EQ(selector.kind, Kind::column);
  EXPECT_EQ(selector.keys.size(), count);
  EXPECT_TRUE(accepts(selector, std::int64_t{2 * count - 2}));
  EXPECT_FALSE(accepts(selector, std::int64_t{2 * count}));
}

TEST(Selectors, KeepWhatColumnsDoNotDecide) {
  for (const char* text : {"x > y", "x + 1 > 2", "g > 1", "t == 'a'", "abs(x) > 1", "x > max(x)", "i", "row > 5",
                           "not (x > i)", "x in (1, y)"}) {
    EXPECT_EQ(Expression(text).selector(test::scope()).kind, Kind::unknown) << text;
  }
}

TEST(Selectors, HaveOnePartForEachColumn) {
  const Selector both = Expression("x > 1 and (i < 3 and x < 2) and x + i > 5").selector(test::scope());
  EXPECT_EQ(both.kind, Kind::both);
  ASSERT_EQ(both.parts.size(), 3);
  EXPECT_EQ(both.parts[0].column, "x");
  EXPECT_EQ(both.parts[0].keys, (Selector::Keys{{key_of(1.0) + 1, key_of(2.0) - 1}}));
  EXPECT_EQ(both.parts[1].column, "i");
  EXPECT_EQ(both.parts[2].kind, Kind::unknown);
  const Selector either = Expression("not (x > 1 and i < 3)").selector(test::scope());
  EXPECT_EQ(either.kind, Kind::either);
  EXPECT_EQ(either.parts.size(), 2);
  EXPECT_EQ(Expression("true").selector(test::scope()).kind, Kind::both);
  EXPECT_EQ(Expression("x > 1 and 2 > limit").selector(test::scope()).kind, Kind::either);
  EXPECT_EQ(Expression("x > 1 and 2 < limit").selector(test::scope()).kind, Kind::column);
  EXPECT_EQ(Expression("not true").selector(test::scope()).kind, Kind::either);
}

}  // namespace
}  // namespace quire::selector_test
