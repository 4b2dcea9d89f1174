// Wildcards and units.

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "query/unit.hpp"
#include "query/wildcard.hpp"

namespace quire::query::parts_test {
namespace {

TEST(Wildcard, MatchesWholeTexts) {
  const std::vector<std::tuple<std::string, std::string, bool>> table{
      {"", "", true},          {"", "*", true},          {"a", "", false},         {"Q12", "Q*", true},
      {"D12", "Q*", false},    {"Q12", "*2", true},      {"Q12", "Q?2", true},     {"Q2", "Q?2", false},
      {"abc", "[a-c]*", true}, {"xbc", "[a-c]*", false}, {"xbc", "[^a-c]*", true}, {"xbc", "[!x]*", false},
      {"]", "[]]", true},      {"-", "[a-]", true},      {"a*", "a\\*", true},     {"ab", "a\\*", false},
      {"a[b", "a[b", true},    {"aXbXc", "*X*X*", true}, {"aXbc", "*X*X*", false}, {"q", "Q", false},
      {"a\\", "a\\", true},    {"aaab", "*a*a*b", true}, {"abab", "*ab", true},    {"aba", "*ab", false},
  };
  for (const auto& [text, pattern, expected] : table) {
    EXPECT_EQ(matches_wildcard(text, pattern), expected) << text << " like " << pattern;
  }
}

TEST(Wildcard, TakesNoExponentialTime) {
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "*a";
  EXPECT_FALSE(matches_wildcard(std::string(20000, 'a'), pattern + "b"));
}

TEST(Units, CancelAndAgree) {
  const Unit metre = Unit::of("m");
  const Unit second = Unit::of(" s ");
  EXPECT_EQ(metre.times(second).over(second).text(), "m");
  EXPECT_EQ(metre.over(metre).text(), "");
  EXPECT_EQ(metre.over(second).over(second).text(), "m/s^2");
  EXPECT_EQ(Unit::of("m/s").over(second).text(), "(m/s)/s");
  EXPECT_EQ(Unit::of("m$be$nc").to_the(2).text(), "(m$be$nc)^2");
  EXPECT_EQ(Unit::pure().over(metre).text(), "1/m");
  EXPECT_TRUE(metre.times(second).agrees_with(second.times(metre)));
  EXPECT_TRUE(metre.agrees_with(Unit::pure()));
  EXPECT_TRUE(metre.agrees_with(Unit::of("")));
  EXPECT_FALSE(metre.agrees_with(Unit::of("mm")));
  EXPECT_EQ(metre.times(Unit::of("")).text(), "");
  EXPECT_EQ(metre.times(Unit::of("1")).text(), "m");
  EXPECT_EQ(Unit::pure().or_of(metre).text(), "m");
  EXPECT_EQ(metre.or_of(Unit::unknown()).text(), "m");
  EXPECT_EQ(metre.to_the(0).text(), "");
}

}  // namespace
}  // namespace quire::query::parts_test
