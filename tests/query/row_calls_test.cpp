// Calls over rows, and the normal form of expressions.

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/query/expression.hpp"

namespace quire::row_calls_test {
namespace {

std::vector<std::string> texts_of(const std::string& text) {
  std::vector<std::string> found;
  for (const RowCall& call : Expression(text).row_calls()) found.push_back(call.text);
  return found;
}

Quantity column(const std::string& name, Type type, const std::string& unit) {
  Quantity quantity;
  quantity.name = name;
  quantity.type = type;
  quantity.unit = unit;
  return quantity;
}

TEST(NormalForm, HasOneSpellingAndNoNeedlessParentheses) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"((x))+( y*2 )", "x + y * 2"},
      {"(x+y)*2", "(x + y) * 2"},
      {"x-(y-z)", "x - (y - z)"},
      {"(x-y)-z", "x - y - z"},
      {"x/(y*z)", "x / (y * z)"},
      {"(x^2)^3", "(x ** 2) ** 3"},
      {"x^(2^3)", "x ** 2 ** 3"},
      {"-(x**2)", "-x ** 2"},
      {"(-x)**2", "(-x) ** 2"},
      {"x ** (-y)", "x ** -y"},
      {"-(x + y)", "-(x + y)"},
      {"! x>3 && (y<2||z)", "not x > 3 and (y < 2 or z)"},
      {"(not x) == 1", "(not x) == 1"},
      {"(x < 1) + (y < 2)", "(x < 1) + (y < 2)"},
      {"x not in (1,2)", "not x in (1, 2)"},
      {"x between (1+2) and 4", "x between 1 + 2 and 4"},
      {"name like 'Q*'", "name like \"Q*\""},
      {"`odd name` + `and` + `x`", "`odd name` + `and` + x"},
      {"@x * @`a b`", "@x * @`a b`"},
      {"max( x,(y) )", "max(x, y)"},
      {"1e-3 + .5 + 0x10 + 12345678901234567890", "1e-3 + .5 + 0x10 + 12345678901234567890"},
      {"true or false", "true or false"},
      {R"('say "no"')", R"("say ""no""")"},
  };
  for (const auto& [text, expected] : table) {
    EXPECT_EQ(Expression(text).normal_form(), expected) << text;
    EXPECT_EQ(Expression(expected).normal_form(), expected) << text;
  }
}

TEST(RowCalls, AreTheOutermostOnesEachOnce) {
  EXPECT_EQ(texts_of("x + 1"), (std::vector<std::string>{}));
  EXPECT_EQ(texts_of("x / max( x ) + max(x)"), (std::vector<std::string>{"max(x)"}));
  EXPECT_EQ(texts_of("max(x, y) + min(x)"), (std::vector<std::string>{"min(x)"}));
  EXPECT_EQ(texts_of("sum((x - mean(x))^2) > lag(y, 2)"),
            (std::vector<std::string>{"sum((x - mean(x)) ** 2)", "lag(y, 2)"}));
}

TEST(RowCalls, HaveArgumentsThatAreExpressions) {
  const std::vector<RowCall> calls = Expression("1 + at_max(s * 2, abs(x)) + t").row_calls();
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].function, "at_max");
  ASSERT_EQ(calls[0].arguments.size(), 2U);
  EXPECT_EQ(calls[0].arguments[0].normal_form(), "s * 2");
  EXPECT_EQ(calls[0].arguments[1].names(), (std::vector<std::string>{"x"}));
  EXPECT_EQ(Expression("1 + at_max(s * 2, abs(x)) + t").names(), (std::vector<std::string>{"s", "x", "t"}));
}

TEST(RowCalls, TakeAColumnOfTheirText) {
  Scope scope;
  scope.columns = {column("max(x)", Type::float64, "m"), column("x", Type::float64, "m")};
  const CompiledExpression compiled = Expression("x / max((x))").compile(scope);
  EXPECT_EQ(compiled.columns(), (std::vector<std::string>{"x", "max(x)"}));
  EXPECT_TRUE(compiled.is_pure());
  EXPECT_FALSE(compiled.uses_row());
  EXPECT_TRUE(Expression("row + max(x)").compile(scope).uses_row());
}

TEST(RowCalls, ShowWhatIsWrong) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      const Expression expression(text);
      static_cast<void>(expression.row_calls());
      static_cast<void>(expression.compile(Scope{}));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("1 + sum(2)").find("sum(2) needs the rows of a table"), std::string::npos);
  EXPECT_NE(message("1 + sum(2, 3)").find("sum takes 1 argument, not 2\n    1 + sum(2, 3)\n        ^^^"),
            std::string::npos);
  EXPECT_NE(message("lag()").find("lag takes 1 to 3 arguments, not 0"), std::string::npos);
  EXPECT_NE(message("cumsun(x)").find("cumsum"), std::string::npos);
}

TEST(Scope, KnowsThePageAndTheNumberOfRows) {
  Scope scope;
  scope.page = 3;
  scope.rows = 100;
  EXPECT_EQ(Expression("page * 1000 + rows").compile(scope).value().as_text(), "3100");
  scope.columns = {column("rows", Type::int64, "")};
  EXPECT_EQ(Expression("rows").compile(scope).columns(), (std::vector<std::string>{"rows"}));
  EXPECT_THROW(static_cast<void>(Expression("page").compile(Scope{})), Error);
}

TEST(Functions, OfCpp17AreNanOutsideOfTheirDomain) {
  const auto value = [](const std::string& text) { return Expression(text).compile(Scope{}).value().as_double(0); };
  EXPECT_NEAR(value("bessel_j(1, 2.0)"), 0.5767248077568734, 1e-14);
  EXPECT_NEAR(value("bessel_j(1, -2.0)"), -0.5767248077568734, 1e-14);
  EXPECT_NEAR(value("bessel_j(2, -2.0)"), 0.3528340286156377, 1e-14);
  EXPECT_NEAR(value("bessel_y(0, 2.0)"), 0.5103756726497451, 1e-14);
  EXPECT_NEAR(value("bessel_i(1, -1.0)"), -0.5651591039924851, 1e-14);
  EXPECT_NEAR(value("bessel_k(0, 1.0)"), 0.42102443824070834, 1e-14);
  EXPECT_NEAR(value("comp_ellint_1(0.5)"), 1.685750354812596, 1e-14);
  EXPECT_NEAR(value("comp_ellint_2(0.5)"), 1.467462209339427, 1e-14);
  EXPECT_EQ(value("gamma(5 + 1)"), 120);
  EXPECT_NEAR(value("lgamma(0.5)"), 0.5723649429247001, 1e-15);
  EXPECT_EQ(value("fmod(-7.5, 2)"), -1.5);
  for (const char* text : {"bessel_y(0, -1.0)", "bessel_k(-1, 2.0)", "comp_ellint_1(1.5)", "bessel_j(0.5, -1.0)"}) {
    EXPECT_NE(value(text), value(text)) << text;
  }
}

}  // namespace
}  // namespace quire::row_calls_test
