#include "random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace fodo {
namespace {

using Words = std::array<std::uint32_t, 4>;

// The known answers that the authors of Philox publish (philox 4x32, 10 rounds).
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Gaussian, HasTheMomentsOfTheDistribution) {
  constexpr int count = 200000;
  double sum = 0;
  double squares = 0;
  double products = 0;
  double fourth = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double value = gaussian(7, i, 2);
    ASSERT_LE(std::abs(value), 6.0);
    sum += value;
    squares += value * value;
    products += value * gaussian(7, i, 3);
    fourth += value * value * value * value;
  }
  // Five standard deviations of each mean.
  const double tolerance = 5 / std::sqrt(count);
  EXPECT_NEAR(sum / count, 0, tolerance);
  EXPECT_NEAR(squares / count, 1, tolerance * std::sqrt(2.0));
  EXPECT_NEAR(products / count, 0, tolerance);
  EXPECT_NEAR(fourth / count, 3 - 0.1, tolerance * std::sqrt(96.0));  // twelve numbers: kurtosis 3 - 6/(5 12)
}

TEST(Gaussian, DependsOnSeedParticleAndCoordinate) {
  const double value = gaussian(1, 2, 3);
  EXPECT_EQ(value, gaussian(1, 2, 3));
  EXPECT_NE(value, gaussian(2, 2, 3));
  EXPECT_NE(value, gaussian(1, 3, 3));
  EXPECT_NE(value, gaussian(1, 2, 4));
  EXPECT_NE(value, gaussian(1, 2 + (std::uint64_t{1} << 32), 3));
}

}  // namespace
}  // namespace fodo
