#include "exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace fodo {
namespace {

double exact_sum(const std::vector<double>& numbers) {
  ExactSum sum;
  for (const double number : numbers) sum.add(number);
  return sum.rounded();
}

constexpr double tiny = std::numeric_limits<double>::denorm_min();
constexpr double huge = std::numeric_limits<double>::max();

TEST(ExactSum, OfNothingOrOneNumberIsThatNumber) {
  EXPECT_EQ(exact_sum({}), 0.0);
  for (const double number : {1.0, -1.0, 0.1, -1e-300, tiny, -tiny, huge, -huge, 3 * tiny, 0x1p-1022, 1e17 + 2}) {
    EXPECT_EQ(exact_sum({number}), number);
  }
}

TEST(ExactSum, KeepsTheRestOfACancellation) {
  EXPECT_EQ(exact_sum({1e308, 1.0, -1e308}), 1.0);
  EXPECT_EQ(exact_sum({huge, huge, tiny, -huge, -huge}), tiny);
  EXPECT_EQ(exact_sum({0.1, 0.2, 0.3, -0.6}), 0x1p-55);
  EXPECT_EQ(exact_sum({-huge, tiny, 1.0, huge}), 1.0);
}

TEST(ExactSum, RoundsOnceToNearestTiesToEven) {
  constexpr double large = 0x1p53;
  EXPECT_EQ(exact_sum({large, 1.0}), large);
  EXPECT_EQ(exact_sum({large, 1.0, tiny}), large + 2);
  EXPECT_EQ(exact_sum({large, 1.0, -tiny}), large);
  EXPECT_EQ(exact_sum({large, 3.0}), large + 4);
  EXPECT_EQ(exact_sum({-large, -1.0, -tiny}), -large - 2);
  EXPECT_EQ(exact_sum({2 * large - 1, 0.5}), 2 * large);  // carries into a new bit
}

TEST(ExactSum, ReportsANumberThatIsNotFinite) {
  EXPECT_TRUE(std::isnan(exact_sum({1.0, std::numeric_limits<double>::infinity()})));
  EXPECT_TRUE(std::isnan(exact_sum({std::numeric_limits<double>::quiet_NaN(), 1.0})));
}

// Multiples of 2^-40 whose sum, in this unit, fits into 64 bits.
TEST(ExactSum, EqualsIntegerArithmeticInAnyOrder) {
  std::mt19937_64 random(3);
  std::vector<double> numbers(5000);
  std::int64_t whole = 0;
  for (double& number : numbers) {
    const auto integer = static_cast<std::int64_t>(random() >> 14) - (std::int64_t{1} << 49);
    whole += integer;
    number = std::ldexp(static_cast<double>(integer), -40);
  }
  const double expected = std::ldexp(static_cast<double>(whole), -40);
  EXPECT_EQ(exact_sum(numbers), expected);
  std::ranges::sort(numbers);
  EXPECT_EQ(exact_sum(numbers), expected);
  std::ranges::reverse(numbers);
  EXPECT_EQ(exact_sum(numbers), expected);
}

TEST(ExactSum, OfPartsByWordsIsTheSumOfAll) {
  const std::vector<double> numbers{1e300, -3.0, 1e-300, -1e300, 7.25, -1e-5, tiny, 1e22, -1e22};
  std::array<std::uint64_t, ExactSum::word_count> words{};
  for (std::size_t first = 0; first < numbers.size(); first += 3) {
    ExactSum part;
    for (std::size_t i = first; i < first + 3; ++i) part.add(numbers[i]);
    const auto more = part.words();
    for (std::size_t i = 0; i < words.size(); ++i) words[i] += more[i];
  }
  EXPECT_EQ(ExactSum::from_words(words).rounded(), exact_sum(numbers));
}

}  // namespace
}  // namespace fodo
