#include "format/text/digits.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace quire::text::digits_test {
namespace {

TEST(Digits, NumbersArePaddedByZerosUpToTheirWidth) {
  EXPECT_EQ(zero_padded(7, 6), "000007");
  EXPECT_EQ(zero_padded(1234567, 6), "1234567");
  EXPECT_EQ(zero_padded(0, 0), "0");
  EXPECT_EQ(zero_padded(std::numeric_limits<std::uint64_t>::max(), 21), "018446744073709551615");
}

TEST(Digits, HexadecimalDigitsAreUpperCase) {
  EXPECT_EQ(zero_padded(0xB, 4, 16), "000B");
  EXPECT_EQ(zero_padded(0x10FFFF, 4, 16), "10FFFF");
}

TEST(Digits, RealsArePrintedAsByPrintf) {
  EXPECT_EQ(significant(0.1, 17), "0.10000000000000001");
  EXPECT_EQ(significant(-std::numeric_limits<double>::max(), 17), "-1.7976931348623157e+308");
  EXPECT_EQ(significant(1e-5, 6), "1e-05");
  EXPECT_EQ(significant(6.283185307179586, 6), "6.28319");
  EXPECT_EQ(significant(1, 6), "1");
  EXPECT_EQ(significant(std::numeric_limits<double>::infinity(), 6), "inf");
}

}  // namespace
}  // namespace quire::text::digits_test
