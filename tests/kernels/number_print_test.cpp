// Numbers as text: shortest digits read back exactly, the others equal those of printf.

#include "kernels/number_print.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "quire/base/error.hpp"

namespace quire::kernels::number_print_test {
namespace {

template <class Number>
std::string printed(Number number, Digits digits) {
  std::array<char, widest_number + 1> text;
  text.fill('#');
  std::byte bytes[sizeof(Number)];
  std::memcpy(bytes, &number, sizeof number);
  char* const end = number_printer(TypeOf<Number>::value, digits)(bytes, text.data());
  EXPECT_EQ(text[widest_number], '#') << "beyond the end";
  return {text.data(), end};
}

template <class Number>
std::string by_printf(Number number) {
  std::array<char, 64> text{};
  if constexpr (std::is_same_v<Number, float>) {
    std::snprintf(text.data(), text.size(), "%15.8e", static_cast<double>(number));
  } else if constexpr (std::is_same_v<Number, double>) {
    std::snprintf(text.data(), text.size(), "%22.15e", number);
  } else {
    std::snprintf(text.data(), text.size(), "%22.18Le", number);
  }
  return text.data();
}

template <class Number>
Number read_back(const std::string& text) {
  if constexpr (std::is_same_v<Number, float>) return std::strtof(text.c_str(), nullptr);
  if constexpr (std::is_same_v<Number, double>) return std::strtod(text.c_str(), nullptr);
  if constexpr (std::is_same_v<Number, long double>) return std::strtold(text.c_str(), nullptr);
}

/// Special values, powers of ten and their neighbours, random bits.
template <class Number>
std::vector<Number> awkward() {
  using Limits = std::numeric_limits<Number>;
  std::vector<Number> all{0,
                          -Number{0},
                          1,
                          -1,
                          Limits::max(),
                          Limits::lowest(),
                          Limits::min(),
                          Limits::denorm_min(),
                          Limits::epsilon(),
                          Limits::infinity(),
                          -Limits::infinity(),
                          Limits::quiet_NaN(),
                          -Limits::quiet_NaN()};
  for (int exponent = Limits::min_exponent10; exponent <= Limits::max_exponent10; ++exponent) {
    if (exponent % 97 != 0 && std::abs(exponent) > 320) continue;
    const Number power = read_back<Number>("1e" + std::to_string(exponent));
    for (const Number number : {power, std::nextafter(power, Number{0}), -std::nextafter(power, Limits::infinity())}) {
      all.push_back(number);
    }
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 20000; ++i) {
    // Any exponent, any fraction.
    const auto fraction = static_cast<Number>(random()) / static_cast<Number>(18446744073709551616.0L);
    const int exponent =
        static_cast<int>(random() % (Limits::max_exponent - Limits::min_exponent + 60)) + Limits::min_exponent - 60;
    all.push_back((random() % 2 == 0 ? 1 : -1) * std::ldexp(1 + fraction, exponent));
    all.push_back(static_cast<Number>(static_cast<std::int64_t>(random() % 2000) - 1000) / 8);
  }
  return all;
}

template <class Number>
void expect_bytes(const std::vector<Number>& numbers, Digits digits) {
  std::uint64_t bytes = 0;
  for (const Number number : numbers) bytes += printed(number, digits).size();
  const Source source{reinterpret_cast<const std::byte*>(numbers.data()), sizeof(Number)};
  EXPECT_EQ(printed_bytes(TypeOf<Number>::value, digits, source, numbers.size()), bytes);
  for (const Number& number : numbers) {
    const Source one{reinterpret_cast<const std::byte*>(&number), sizeof(Number)};
    ASSERT_EQ(printed_bytes(TypeOf<Number>::value, digits, one, 1), printed(number, digits).size())
        << printed(number, digits);
  }
}

template <class Number>
class PrintFloating : public testing::Test {};
using Floating = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(PrintFloating, Floating);

TYPED_TEST(PrintFloating, ShortestDigitsReadBackToTheSameValue) {
  for (const TypeParam number : awkward<TypeParam>()) {
    const std::string text = printed(number, Digits::shortest);
    const auto back = read_back<TypeParam>(text);
    if (std::isnan(number)) {
      ASSERT_EQ(text, std::signbit(number) ? "-nan" : "nan");
    } else {
      ASSERT_EQ(back, number) << text;
      ASSERT_EQ(std::signbit(back), std::signbit(number)) << text;
    }
  }
}

TYPED_TEST(PrintFloating, TheOthersAreThoseOfPrintf) {
  for (const TypeParam number : awkward<TypeParam>()) {
    ASSERT_EQ(printed(number, Digits::printf), by_printf(number));
  }
}

TYPED_TEST(PrintFloating, BytesAreCountedExactly) {
  const auto numbers = awkward<TypeParam>();
  expect_bytes(numbers, Digits::shortest);
  expect_bytes(numbers, Digits::printf);
}

template <class Number>
class PrintInteger : public testing::Test {};
using Integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(PrintInteger, Integers);

TYPED_TEST(PrintInteger, AreDecimal) {
  using Limits = std::numeric_limits<TypeParam>;
  std::vector<TypeParam> numbers{0, 1, 9, 10, 99, 100, Limits::max(), Limits::min(), TypeParam(Limits::max() - 1)};
  if (std::is_signed_v<TypeParam>) numbers.push_back(static_cast<TypeParam>(-1));
  for (const TypeParam number : numbers) {
    EXPECT_EQ(printed(number, Digits::shortest), std::to_string(number));
    EXPECT_EQ(printed(number, Digits::printf), std::to_string(number));
  }
  expect_bytes(numbers, Digits::shortest);
}

TEST(Print, RefusesWhatIsNoNumber) {
  EXPECT_THROW(static_cast<void>(number_printer(Type::string, Digits::shortest)), Error);
  EXPECT_THROW(static_cast<void>(number_printer(Type::character, Digits::shortest)), Error);
}

}  // namespace
}  // namespace quire::kernels::number_print_test
