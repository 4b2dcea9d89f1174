// Numbers from text by the rules of scanf, each type compared with the C library where possible.

#include "kernels/number_text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <tuple>

#include "quire/base/error.hpp"

namespace quire::kernels::number_text_test {
namespace {

/// The value and the number of characters that were read; 0 characters: no number.
template <class Number>
struct Read {
  Number number{};
  std::size_t used = 0;
  bool fits = true;
};

template <class Number>
Read<Number> read(const std::string& text) {
  Read<Number> result;
  const NumberText found = parse_number(text.data(), text.data() + text.size(), result.number);
  if (found) result.used = static_cast<std::size_t>(found.end - text.data());
  result.fits = found.fits;
  return result;
}

template <class Number>
void expect_read(const std::string& text, Number number, std::size_t used, bool fits = true) {
  SCOPED_TRACE('"' + text + '"');
  const auto found = read<Number>(text);
  EXPECT_EQ(found.used, used);
  EXPECT_EQ(found.number, number);
  EXPECT_EQ(found.fits, fits);
}

TEST(NumberText, IntegersAreTheLeadingDigits) {
  expect_read<std::int32_t>("12", 12, 2);
  expect_read<std::int32_t>("+3", 3, 2);
  expect_read<std::int32_t>("  -7 8", -7, 4);
  expect_read<std::int32_t>("3.7", 3, 1);
  expect_read<std::int32_t>("1,000", 1, 1);
  expect_read<std::int32_t>("0x10", 0, 1);
  expect_read<std::int32_t>("012", 12, 3);
  expect_read<std::int32_t>("2.9 rows", 2, 1);
}

TEST(NumberText, IntegersSaturateAndAreCut) {
  expect_read<std::int16_t>("40000", -25536, 5, false);
  expect_read<std::int32_t>("99999999999", 1215752191, 11, false);
  expect_read<std::uint16_t>("-1", 65535, 2, false);
  expect_read<std::uint32_t>("-1", 4294967295U, 2, false);
  expect_read<std::int64_t>("9223372036854775807", std::numeric_limits<std::int64_t>::max(), 19);
  expect_read<std::int64_t>("-9223372036854775808", std::numeric_limits<std::int64_t>::min(), 20);
  expect_read<std::int64_t>("-9223372036854775809", std::numeric_limits<std::int64_t>::min(), 20, false);
  expect_read<std::int64_t>("99999999999999999999999", std::numeric_limits<std::int64_t>::max(), 23, false);
  expect_read<std::uint64_t>("18446744073709551615", std::numeric_limits<std::uint64_t>::max(), 20);
  expect_read<std::uint64_t>("18446744073709551616", std::numeric_limits<std::uint64_t>::max(), 20, false);
  expect_read<std::uint64_t>("-1", std::numeric_limits<std::uint64_t>::max(), 2, false);
  expect_read<std::uint16_t>("9223372036854775808", 0, 19, false);
  expect_read<std::uint32_t>("-18446744073709551615", 1, 21, false);
  expect_read<std::uint16_t>("-99999999999999999999", 65535, 21, false);
  expect_read<std::uint32_t>("4294967295", 4294967295U, 10);
  expect_read<std::uint8_t>("255", 255, 3);
  expect_read<std::int8_t>("-129", 127, 4, false);
}

TEST(NumberText, WhatIsNoNumberIsNone) {
  for (const char* text : {"", " ", "abc", "-", "+", "--1", "+-1", "-+1", ".", "e5", "\"1\"", "!"}) {
    EXPECT_EQ(read<double>(text).used, 0U) << text;
    EXPECT_EQ(read<std::int32_t>(text).used, 0U) << text;
    EXPECT_EQ(read<long double>(text).used, 0U) << text;
  }
}

// scanf cannot put characters back: the beginning of a longer form without its rest is an error.
TEST(NumberText, AnIncompleteFormIsNoNumber) {
  for (const char* text : {"infi", "INFIN", "-infinit", "infinit y", "0x", "0Xg", "-0x", "0x-1", "0x "}) {
    EXPECT_EQ(read<double>(text).used, 0U) << text;
    EXPECT_EQ(read<float>(text).used, 0U) << text;
    EXPECT_EQ(read<long double>(text).used, 0U) << text;
  }
  expect_read<double>("infx", std::numeric_limits<double>::infinity(), 3);
  expect_read<long double>("infinityi", std::numeric_limits<long double>::infinity(), 8);
}

TEST(NumberText, FloatingNumbersMayBeOfEveryForm) {
  expect_read<double>("+2.5e3", 2500, 6);
  expect_read<double>(".5", 0.5, 2);
  expect_read<double>("5.", 5, 2);
  expect_read<double>("7", 7, 1);
  expect_read<double>("-0.5 x", -0.5, 4);
  expect_read<double>("1E-3", 0.001, 4);
  expect_read<double>("3.5abc", 3.5, 3);
  expect_read<double>("1.5D+03", 1.5, 3);
  expect_read<double>("1e", 1, 1);
  expect_read<double>("1e+", 1, 1);
  expect_read<double>("1.000e+000", 1, 10);
  expect_read<double>("0x10", 16, 4);
  expect_read<double>("-0x1.8p3", -12, 8);
  expect_read<double>("0x.g", 0, 1);
  expect_read<double>("\t1,000", 1, 2);
  expect_read<float>("0x1.8p3", 12, 7);
  for (const auto& [text, number, used] :
       std::initializer_list<std::tuple<const char*, long double, std::size_t>>{{"0x1.8p3", 12, 7},
                                                                                {"0x.g", 0, 1},
                                                                                {"+.5e", .5L, 3},
                                                                                {"5.e+", 5, 2},
                                                                                {"-1.5D+03", -1.5L, 4},
                                                                                {"2.5E3x", 2500, 5}}) {
    expect_read<long double>(text, number, used);
  }
}

TEST(NumberText, InfinitiesNotNumbersAndZeros) {
  const double infinity = std::numeric_limits<double>::infinity();
  expect_read<double>("inf", infinity, 3);
  expect_read<double>("-Infinity", -infinity, 9);
  expect_read<double>("+INF", infinity, 4);
  expect_read<double>("1e400", infinity, 5);
  expect_read<double>("-1e99999999999999999999", -infinity, 23);
  expect_read<double>("1e-400", 0, 6);
  expect_read<double>("0." + std::string(500, '0') + "1", 0, 503);
  expect_read<double>("1" + std::string(500, '0'), infinity, 501);
  expect_read<float>("1e39", std::numeric_limits<float>::infinity(), 4);
  expect_read<long double>("1e5000", std::numeric_limits<long double>::infinity(), 6);
  EXPECT_TRUE(std::isnan(read<double>("nan").number));
  EXPECT_TRUE(std::isnan(read<float>("-NaN").number));
  EXPECT_TRUE(std::isnan(read<long double>("-nan").number));
  expect_read<long double>("-INFinity", -std::numeric_limits<long double>::infinity(), 9);
  EXPECT_TRUE(std::signbit(read<double>("-0").number));
  EXPECT_TRUE(std::signbit(read<float>("-1e-99").number));
}

TEST(NumberText, DenormalNumbersAreKept) {
  expect_read<double>("4.9406564584124654e-324", std::numeric_limits<double>::denorm_min(), 23);
  expect_read<float>("1.401298e-45", std::numeric_limits<float>::denorm_min(), 12);
  expect_read<long double>("3.6451995318824746025e-4951", std::numeric_limits<long double>::denorm_min(), 27);
}

/// Random bits printed with enough digits and read again, and the same text read by the C library.
template <class Number, class Convert>
void compare_with_the_c_library(const char* format, Convert convert) {
  std::mt19937_64 random(20261122);
  for (int i = 0; i < 20000; ++i) {
    std::array<std::uint64_t, 2> bits{random(), random()};
    if constexpr (sizeof(Number) > 8) bits[0] |= 1ULL << 63U;  // the leading one is explicit
    Number number;
    std::memcpy(&number, bits.data(), sizeof number);
    if (!std::isfinite(number)) continue;
    std::array<char, 64> text{};
    const int size = std::snprintf(text.data(), text.size(), format, number);
    Number found = 0;
    const auto parsed = parse_number(text.data(), text.data() + size, found);
    ASSERT_EQ(parsed.end, text.data() + size);
    ASSERT_EQ(found, convert(text.data())) << text.data();
    ASSERT_EQ(found, number) << text.data();
  }
}

TEST(NumberText, EveryDigitCounts) {
  compare_with_the_c_library<double>("%.17g", [](const char* text) { return std::strtod(text, nullptr); });
  compare_with_the_c_library<long double>("%.21Lg", [](const char* text) { return std::strtold(text, nullptr); });
}

TEST(NumberText, TypesKnownAtRunTime) {
  std::array<std::byte, 17> out{};
  out.fill(std::byte{0xcc});
  const std::string text = "1.5 ";
  const auto found = parse_number(Type::float80, text.data(), text.data() + text.size(), out.data() + 1);
  EXPECT_EQ(found.end, text.data() + 3);
  for (std::size_t i = 11; i < 17; ++i) EXPECT_EQ(out.at(i), std::byte{0}) << "padding";
  EXPECT_THROW(static_cast<void>(parse_number(Type::string, text.data(), text.data() + 1, out.data())), Error);
  EXPECT_THROW(static_cast<void>(parse_number(Type::character, text.data(), text.data() + 1, out.data())), Error);
  out.fill(std::byte{0xcc});
  EXPECT_FALSE(parse_number(Type::int32, text.data() + 3, text.data() + 4, out.data()));
  EXPECT_EQ(out[0], std::byte{0xcc});
}

}  // namespace
}  // namespace quire::kernels::number_text_test
