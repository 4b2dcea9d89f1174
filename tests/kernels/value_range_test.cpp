#include "kernels/value_range.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

namespace quire::kernels::value_range_test {
namespace {

template <class Number>
class ValueRangeTest : public ::testing::Test {};
using Numbers = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                 std::int64_t, std::uint64_t, float, double, long double, char>;
TYPED_TEST_SUITE(ValueRangeTest, Numbers);

template <class Number>
ValueRange<Number> expected(std::span<const Number> numbers, std::size_t step) {
  ValueRange<Number> range;
  for (std::size_t i = 0; i < numbers.size(); i += step) {
    if (numbers[i] != numbers[i]) {
      ++range.nans;
    } else {
      range.lower = std::min(range.lower, numbers[i]);
      range.upper = std::max(range.upper, numbers[i]);
    }
  }
  return range;
}

/// Any bits but those of a long double, which not all are numbers.
template <class Number>
std::vector<Number> some_numbers(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Number> numbers(count);
  for (Number& number : numbers) {
    if constexpr (std::floating_point<Number>) {
      constexpr Number special[] = {std::numeric_limits<Number>::quiet_NaN(), std::numeric_limits<Number>::infinity(),
                                    -std::numeric_limits<Number>::infinity(), std::numeric_limits<Number>::max()};
      const std::uint64_t choice = random() % 40;
      number = choice < seed % 5 ? special[choice] : static_cast<Number>(static_cast<double>(random()) - 0x1p63);
    } else {
      number = static_cast<Number>(random());
    }
  }
  return numbers;
}

TYPED_TEST(ValueRangeTest, IsThatOfALoopOnEveryProcessor) {
  for (std::size_t count = 0; count < 600; count += count < 300 ? 1 : 37) {
    const auto numbers = some_numbers<TypeParam>(count, count);
    for (const std::size_t step : {1, 2}) {
      const auto range = expected<TypeParam>(numbers, step);
      for (const bool vectors : {false, has_avx2()}) {
        const auto found = range_of<TypeParam>(std::as_bytes(std::span(numbers)).data(),
                                               static_cast<std::ptrdiff_t>(step * sizeof(TypeParam)),
                                               (count + step - 1) / step, vectors);
        EXPECT_EQ(found.lower, range.lower) << count;
        EXPECT_EQ(found.upper, range.upper) << count;
        EXPECT_EQ(found.nans, range.nans) << count;
      }
    }
  }
}

TYPED_TEST(ValueRangeTest, NeedsNoAlignment) {
  const auto numbers = some_numbers<TypeParam>(333, 1);
  const auto bytes = std::as_bytes(std::span(numbers));
  std::vector<std::byte> moved(bytes.size() + 1);
  std::ranges::copy(bytes, moved.begin() + 1);
  const auto found = range_of<TypeParam>(moved.data() + 1, sizeof(TypeParam), numbers.size());
  const auto range = expected<TypeParam>(numbers, 1);
  EXPECT_EQ(found.lower, range.lower);
  EXPECT_EQ(found.upper, range.upper);
  EXPECT_EQ(found.nans, range.nans);
}

TEST(RangeOfFinite, RaisesNoExceptionOfFloatingPoint) {
  const std::vector<double> numbers(1000, std::numeric_limits<double>::max());
  std::feclearexcept(FE_ALL_EXCEPT);
  const auto range = range_of<double>(std::as_bytes(std::span(numbers)).data(), sizeof(double), numbers.size());
  EXPECT_EQ(std::fetestexcept(FE_OVERFLOW | FE_INVALID), 0);
  EXPECT_EQ(range.upper, numbers.front());
}

TEST(RangeOfNan, HasNoNumbers) {
  const std::vector<double> numbers(1000, std::numeric_limits<double>::quiet_NaN());
  const auto range = range_of<double>(std::as_bytes(std::span(numbers)).data(), sizeof(double), numbers.size());
  EXPECT_GT(range.lower, range.upper);
  EXPECT_EQ(range.nans, numbers.size());
}

}  // namespace
}  // namespace quire::kernels::value_range_test
