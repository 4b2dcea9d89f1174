// The meaning of expressions, one line each: the parser, names, types, units and the errors.

#include "quire/query/expression.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "quire/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace quire::expression_test {
namespace {

Quantity column(const std::string& name, Type type, const std::string& unit = "") {
  Quantity quantity;
  quantity.name = name;
  quantity.type = type;
  quantity.unit = unit;
  return quantity;
}

Attribute attribute(const std::string& name, Value value, const std::string& unit = "") {
  Attribute made;
  made.name = name;
  made.type = value.type();
  made.unit = unit;
  made.value = std::move(value);
  return made;
}

Scope scope() {
  Scope all;
  all.columns = {column("x", Type::float64, "m"),
                 column("y", Type::float64, "m"),
                 column("t", Type::float64, "s"),
                 column("v", Type::float64, "m/s"),
                 column("plain", Type::float64),
                 column("q", Type::float32),
                 column("id", Type::int64),
                 column("big", Type::uint64),
                 column("wide", Type::float80),
                 column("name", Type::string),
                 column("flag", Type::character),
                 column("odd name", Type::int16),
                 column("px", Type::float64, "m$be$nc"),
                 column("xp", Type::float64, "rad")};
  all.attributes = {attribute("charge", Value(1e-9), "C"), attribute("turns", Value(std::int32_t{12})),
                    attribute("label", Value("beam")), attribute("x", Value(5.0)),
                    attribute("list", Value(std::span<const double>(std::vector<double>{1, 2})))};
  all.step = 40;
  return all;
}

/// The value of a constant expression as text.
std::string value(const std::string& text) { return Expression(text).compile(scope()).value().as_text(); }

TEST(Expression, BindsLikeArithmetic) {
  const std::vector<std::pair<std::string, std::string>> table{
      {"1 + 2 * 3", "7"},
      {"(1 + 2) * 3", "9"},
      {"2 ** 3 ** 2", "512"},
      {"-2 ** 2", "-4"},
      {"2 ** -1", "0.5"},
      {"2 ^ 3", "8"},
      {"7 - 2 - 1", "4"},
      {"7 / 2", "3.5"},
      {"-7 % 3", "2"},
      {"7 % -3", "-2"},
      {"-7.5 % 2", "0.5"},
      {"+-+3", "-3"},
      {"0x10", "16"},
      {"1e2 + .5", "100.5"},
      {"1 < 2", "1"},
      {"not 1 < 2", "0"},
      {"!true || true", "1"},
      {"not true and false or true", "1"},
      {"true or false and false", "1"},
      {"1 + 1 == 2 and 3 > 2", "1"},
      {"(1 < 2) + (3 < 4)", "2"},
      {"3 between 1 and 5 and false", "0"},
      {"3 not between 1 and 2", "1"},
      {"3 in (1, 2, 3)", "1"},
      {"3 not in (1, 2, 3)", "0"},
      {"3 in [1, (2 + 1)]", "1"},
      {"3 not in [1, 2]", "1"},
      {"'a' in ('b', 'a')", "1"},
      {"'Q12' like 'Q*'", "1"},
      {"'Q12' not like 'Q*'", "0"},
      {"\"a\"\"b\"", "a\"b"},
      {"where(2 > 1, 'yes', 'no')", "yes"},
      {"min(3, 1, 2)", "1"},
      {"max(3, 1.5)", "3"},
      {"abs(-3)", "3"},
      {"round(2.5)", "2"},
      {"int(-2.7)", "-2"},
      {"sign(-2.5)", "-1"},
      {"bitand(6, 3)", "2"},
      {"hash(0, 0) == hash(0, 0) and hash(0, 0) >= 0", "1"},
      {"hash(1, 0) != hash(0, 1)", "1"},
      {"length('\xC3\xA4\x62')", "2"},
      {"isnan(nan) and not isfinite(inf)", "1"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"18446744073709551615", "18446744073709551615"},
      {"9007199254740993 == 9007199254740992.0", "0"},
      {"charge * 1e9", "1"},
      {"turns / 5", "2.4"},
      {"@x", "5"},
      {"step", "40"},
      {"label == 'beam'", "1"},
      {"c_light", "299792458"},
  };
  for (const auto& [text, expected] : table) EXPECT_EQ(value(text), expected) << text;
}

TEST(Expression, KnowsItsColumnsAndType) {
  const auto check = [](const std::string& text, const std::vector<std::string>& columns, Type type,
                        bool is_condition) {
    const CompiledExpression compiled = Expression(text).compile(scope());
    EXPECT_EQ(compiled.columns(), columns) << text;
    EXPECT_EQ(compiled.type(), type) << text;
    EXPECT_EQ(compiled.is_condition(), is_condition) << text;
    EXPECT_FALSE(compiled.is_constant()) << text;
  };
  check("x", {"x"}, Type::float64, false);
  check("q", {"q"}, Type::float32, false);
  check("q + 1", {"q"}, Type::float64, false);
  check("`odd name`", {"odd name"}, Type::int16, true);
  check("`odd name` + 1", {"odd name"}, Type::int64, true);
  check("big", {"big"}, Type::uint64, true);
  check("wide * x", {"wide", "x"}, Type::float80, false);
  check("id / 2", {"id"}, Type::float64, false);
  check("flag == 'a' and name like 'Q*'", {"flag", "name"}, Type::int32, true);
  check("where(x > y, name, label)", {"x", "y", "name"}, Type::string, false);
  check("row % 2 == 0", {}, Type::int32, true);
  EXPECT_TRUE(Expression("charge > 0").compile(scope()).is_constant());
  EXPECT_EQ(Expression("x + @x + pi * x").names(), (std::vector<std::string>{"x", "pi"}));
}

TEST(Expression, FindsNamesAtAStep) {
  FileDescription file;
  file.attributes = {attribute("code", Value("fodo")), attribute("s", Value(-1.0))};
  StepDescription step;
  step.number = 9;
  step.attributes = {attribute("s", Value(4.5), "m")};
  EXPECT_EQ(Expression("s * 2 + step").compile(scope_of(file, step)).value().as_text(), "18");
  step.tables.resize(2);
  step.tables[0].name = "electrons";
  step.tables[1].name = "ions";
  static_cast<Quantity&>(step.tables[1].columns.emplace_back()) = column("charge", Type::int32);
  const CompiledExpression compiled = Expression("charge > 1 and code == 'fodo'").compile(scope_of(file, step, "ions"));
  EXPECT_EQ(compiled.columns(), (std::vector<std::string>{"charge"}));
  EXPECT_THROW(static_cast<void>(Expression("charge > 1").compile(scope_of(file, step))), Error);
  EXPECT_THROW(static_cast<void>(scope_of(file, step, "photons")), Error);
}

TEST(Expression, CountsMomentaOverMassTimesCAndRadiansAsOneInSums) {
  const auto compiled = [](const std::string& text) { return Expression(text).compile(scope()); };
  for (const char* text :
       {"sqrt(1 + px ** 2) * mc2_electron", "hypot(1, px) * mc2_electron", "(px - 1) * 2 * mc2_electron"}) {
    EXPECT_EQ(compiled(text).unit(), "MeV") << text;
    EXPECT_TRUE(compiled(text).warnings().empty()) << text;
  }
  EXPECT_EQ(compiled("sqrt(1 + xp ** 2)").unit(), "");
  EXPECT_EQ(compiled("px + as_unit(1, 'm_e c')").unit(), "m$be$nc");
  EXPECT_THROW(compiled("px + xp"), Error);
}

TEST(Expression, WarnsOnceWhenANumberIsAddedToAQuantityWithAUnit) {
  const auto compiled = [](const std::string& text) { return Expression(text).compile(scope()); };
  for (const char* text : {"x + 1", "1 - x", "x + 1 + x + 2", "hypot(x, 1)", "(x + turns / turns + 1) * t"}) {
    EXPECT_EQ(compiled(text).unit(), "") << text;
    EXPECT_EQ(compiled(text).warnings().size(), 1) << text;
  }
  EXPECT_EQ(compiled("x + 1").warnings()[0],
            "\"x + 1\" adds a number to a quantity in m: the result has no unit; as_unit(1, \"m\") is a number with a "
            "unit");
  for (const char* text : {"x + 0", "x > 1", "x + plain", "x + as_unit(1, 'm')", "x % 1", "min(x, 1)", "x - inf"}) {
    EXPECT_TRUE(compiled(text).warnings().empty()) << text;
  }
}

TEST(Expression, CarriesUnits) {
  const auto unit = [](const std::string& text) { return Expression(text).compile(scope()).unit(); };
  EXPECT_EQ(unit("x"), "m");
  EXPECT_EQ(unit("2 * x + y"), "m");
  EXPECT_EQ(unit("x * t"), "m s");
  EXPECT_EQ(unit("x / t"), "m/s");
  EXPECT_EQ(unit("1 / t"), "1/s");
  EXPECT_EQ(unit("v * t"), "(m/s) s");
  EXPECT_EQ(unit("x / t - v"), "m/s");
  EXPECT_EQ(unit("sqrt(x * x + y ** 2)"), "m");
  EXPECT_EQ(unit("x ** 3"), "m^3");
  EXPECT_EQ(unit("sqrt(x)"), "m^(1/2)");
  EXPECT_EQ(unit("x / y"), "");
  EXPECT_EQ(unit("x * plain"), "");
  EXPECT_EQ(unit("x + plain"), "m");
  EXPECT_EQ(unit("x > y"), "");
  EXPECT_EQ(unit("hypot(x, y)"), "m");
  EXPECT_EQ(unit("atan2(x, y)"), "");
  EXPECT_EQ(unit("as_unit(x * 1e3, 'mm')"), "mm");
  EXPECT_EQ(unit("where(t > 0, x, y)"), "m");
  EXPECT_EQ(unit("cbrt(x)"), "m^(1/3)");
  EXPECT_EQ(unit("px ** 2 * x"), "(m$be$nc)^2 m");
}

struct Wrong {
  std::string text;
  ErrorKind kind;
  std::string message;
  std::string caret;
};

TEST(Expression, ErrorsShowTheirPlace) {
  const std::vector<Wrong> table{
      {"x +", ErrorKind::usage, "ends where a value is expected", "       ^"},
      {"(x", ErrorKind::usage, "not closed", "      ^"},
      {"x y", ErrorKind::usage, "\"y\" at character 3 is not expected: an operator is missing", "      ^"},
      {"x > 1 AND y > 2", ErrorKind::usage, "\"AND\" at character 7 is no operator: write and", "          ^^^"},
      {"x > 1)", ErrorKind::usage, "\")\" at character 6 closes nothing", "         ^"},
      {"x > 1, y > 1", ErrorKind::usage, "write and between conditions", "         ^"},
      {"x > ) 1", ErrorKind::usage, "a value is expected at character 5, not \")\"", "        ^"},
      {"x <> 1", ErrorKind::usage, "written !=", "      ^^"},
      {"x => 1", ErrorKind::usage, "written >=", "      ^^"},
      {"name == Q1", ErrorKind::missing, "a text is written in quotes: 'Q1'", "            ^^"},
      {"name in ('Q1', Q2)", ErrorKind::missing, "a text is written in quotes: 'Q2'", "                   ^^"},
      {"name like Q", ErrorKind::missing, "a text is written in quotes: 'Q'", "              ^"},
      {"True == 1", ErrorKind::missing, "; write true", "    ^^^^"},
      {"x = 1", ErrorKind::usage, "written ==", "      ^"},
      {"x & y", ErrorKind::usage, "&&", "      ^"},
      {"x | y", ErrorKind::usage, "||", "      ^"},
      {"1 < x < 2", ErrorKind::usage, "not chained", "          ^"},
      {"x between 1 or 2", ErrorKind::usage, "second limit", "                ^^"},
      {"x in [1, 2)", ErrorKind::usage, "not closed by ]", "              ^"},
      {"x in (1, 2]", ErrorKind::usage, "not closed by )", "              ^"},
      {"x[0]", ErrorKind::usage, "\"[\" at character 2 is not expected", "     ^"},
      {"x not 3", ErrorKind::usage, "after not", "          ^"},
      {"'open", ErrorKind::usage, "closing", "    ^"},
      {"a.b", ErrorKind::usage, "backticks", "     ^"},
      {"12ab", ErrorKind::usage, "ends in a letter", "    ^^^"},
      {"1e999", ErrorKind::usage, "range", "    ^^^^^"},
      {"99999999999999999999", ErrorKind::usage, "64 bits", "    ^^^^^^^^^^^^^^^^^^^^"},
      {"and > 3", ErrorKind::usage, "backticks", "    ^^^"},
      {"x > 1 and yy > 2", ErrorKind::missing, "nearest: y", "              ^^"},
      {"foo > 2", ErrorKind::missing, "\"foo\"; there are: x, y", "    ^^^"},
      {"qqqqqq(x)", ErrorKind::missing, "no function \"qqqqqq\"\n", "    ^^^^^^"},
      {"sqr(x)", ErrorKind::missing, "nearest: sqrt", "    ^^^"},
      {"sqrt + 1", ErrorKind::missing, "arguments", "    ^^^^"},
      {"@y", ErrorKind::missing, "no attribute", "    ^^"},
      {"list > 1", ErrorKind::usage, "2 values", "    ^^^^"},
      {"name > 1", ErrorKind::usage, "text and number", "         ^"},
      {"name + 1", ErrorKind::usage, "text", "    ^^^^"},
      {"x and y", ErrorKind::usage, "condition", "    ^"},
      {"x + t", ErrorKind::usage, "units differ: m and s", "      ^"},
      {"x > t", ErrorKind::usage, "units differ: m and s", "      ^"},
      {"sqrt(x, y)", ErrorKind::usage, "takes 1", "    ^^^^"},
      {"bitand(x, 1)", ErrorKind::usage, "integers only", "    ^^^^^^"},
      {"9223372036854775807 + 1", ErrorKind::type, "beyond int64", "                        ^"},
      {"1 % 0", ErrorKind::type, "division by 0", "      ^"},
  };
  for (const Wrong& wrong : table) {
    try {
      static_cast<void>(Expression(wrong.text).compile(scope()));
      ADD_FAILURE() << wrong.text << " is accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), wrong.kind) << wrong.text;
      EXPECT_NE(error.message().find(wrong.message), std::string::npos) << error.message();
      EXPECT_EQ(error.message().substr(error.message().find_last_of('\n') + 1), wrong.caret) << error.message();
      EXPECT_NE(error.message().find("\n    " + wrong.text + "\n"), std::string::npos) << error.message();
    }
  }
}

TEST(Expression, DepthAndLengthAreBounded) {
  std::string sum = "1";
  for (int i = 0; i < 20000; ++i) sum += "+1";
  for (const std::string& text : {std::string(100000, '('), std::string(100000, '-') + "1", sum,
                                  std::string(2 << 20, '1'), std::string("not ") + std::string(50000, '!') + "true"}) {
    EXPECT_THROW(Expression{text}, Error);
  }
}

TEST(Expression, LongErrorsAreCut) {
  const std::string text = std::string(300, ' ') + "x + \xC3\xA4 + " + std::string(300, 'y');
  try {
    static_cast<void>(Expression(text).compile(scope()));
    FAIL();
  } catch (const Error& error) {
    const std::string& message = error.message();
    const std::size_t shown = message.find('\n') + 1;
    EXPECT_LT(message.find('\n', shown) - shown, 120u);
  }
}

TEST(Expression, TheCorpusOfTheFuzzerHoldsNoSurprise) {
  const char* const data = std::getenv("QUIRE_TEST_DATA");
  ASSERT_NE(data, nullptr);
  const std::filesystem::path folder = std::filesystem::path(data) / "expressions";
  int tried = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    for (std::size_t length = 0; length <= bytes.size(); ++length) {
      LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), length);
    }
    ++tried;
  }
  EXPECT_GE(tried, 20);
}

}  // namespace
}  // namespace quire::expression_test
