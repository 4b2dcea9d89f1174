#include "kernels/checksum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "quire/base/error.hpp"

namespace quire::checksum_test {
namespace {

template <class Number>
CanonicalColumn column_of(const std::vector<Number>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()), sizeof(Number), sizeof(Number), {}};
}

CanonicalColumn column_of(const std::string& bytes, const std::vector<std::uint64_t>& offsets) {
  return {reinterpret_cast<const std::byte*>(bytes.data()), 0, 0, offsets};
}

std::uint64_t sum_of(std::uint64_t rows, std::vector<CanonicalColumn> columns) {
  return sum_of_row_hashes(rows, columns);
}

// Values published with the hash: XXH3-64 of no bytes and of one zero byte, seed 0.
TEST(Checksum, IsXxh3OfTheBytes) {
  const std::vector<std::uint8_t> zero{0};
  EXPECT_EQ(sum_of(1, {column_of(zero)}), 0xC44BDFF4074EECDBULL);
}

TEST(Checksum, AddsUpWhateverTheOrderAndTheParts) {
  const std::vector<double> x{1.5, -2.0, 0.0, 7.25};
  const std::vector<std::int32_t> id{4, 3, 2, 1};
  const std::vector<double> x_shuffled{0.0, 7.25, 1.5, -2.0};
  const std::vector<std::int32_t> id_shuffled{2, 1, 4, 3};
  const std::uint64_t all = sum_of(4, {column_of(x), column_of(id)});
  EXPECT_EQ(all, sum_of(4, {column_of(x_shuffled), column_of(id_shuffled)}));

  const std::vector<double> x_tail{0.0, 7.25};
  const std::vector<std::int32_t> id_tail{2, 1};
  EXPECT_EQ(all, sum_of(2, {column_of(x), column_of(id)}) + sum_of(2, {column_of(x_tail), column_of(id_tail)}));
  // The same values in different rows.
  EXPECT_NE(all, sum_of(4, {column_of(x_shuffled), column_of(id)}));
}

TEST(Checksum, CountsOnlyTheWidthOfANumber) {
  std::array<std::byte, 32> clean{};
  std::array<std::byte, 32> padded{};
  padded[12] = std::byte{0xFF};
  const CanonicalColumn left{clean.data(), 16, 10, {}};
  const CanonicalColumn right{padded.data(), 16, 10, {}};
  EXPECT_EQ(sum_of(2, {left}), sum_of(2, {right}));
}

TEST(Checksum, DistinguishesTextsWithEqualConcatenation) {
  const std::string bytes = "abc";
  const std::vector<std::uint64_t> early{0, 1};
  const std::vector<std::uint64_t> late{0, 2};
  const std::vector<std::uint64_t> rest_early{1, 3};
  const std::vector<std::uint64_t> rest_late{2, 3};
  EXPECT_NE(sum_of(1, {column_of(bytes, early), column_of(bytes, rest_early)}),
            sum_of(1, {column_of(bytes, late), column_of(bytes, rest_late)}));
}

TEST(Checksum, RefusesOffsetsThatFallOrDoNotFitTheRows) {
  const std::string bytes = "abc";
  const std::vector<std::uint64_t> falling{0, 2, 1};
  const std::vector<std::uint64_t> few{0, 3};
  EXPECT_THROW((void)sum_of(2, {column_of(bytes, falling)}), Error);
  EXPECT_THROW((void)sum_of(2, {column_of(bytes, few)}), Error);
}

TEST(Checksum, IsZeroForNothing) {
  EXPECT_EQ(sum_of(0, {column_of(std::vector<double>{})}), 0U);
  EXPECT_EQ(sum_of(3, {}), 0U);
}

}  // namespace
}  // namespace quire::checksum_test
