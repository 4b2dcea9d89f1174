#include "kernels/block_limits.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "quire/base/error.hpp"

namespace quire::block_limits_test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t block = BlockLimits::block_rows;

ConstView view_of(std::span<const double> values) {
  return {Type::float64, std::as_bytes(values).data(), values.size(), sizeof(double)};
}

/// The limits of all values, of which several ranks have parts that begin at these rows.
BlockLimits joined(const std::vector<double>& values, std::vector<std::uint64_t> firsts) {
  BlockLimits all(Type::float64);
  firsts.push_back(values.size());
  for (std::size_t part = 0; part + 1 < firsts.size(); ++part) {
    BlockLimits limits(Type::float64);
    limits.add(firsts[part], view_of(std::span(values).subspan(firsts[part], firsts[part + 1] - firsts[part])));
    all.append(limits);
  }
  return all;
}

std::vector<double> numbers_in(const std::vector<std::byte>& section, std::size_t count) {
  std::vector<double> numbers(count);
  std::memcpy(numbers.data(), section.data(), count * sizeof(double));
  return numbers;
}

TEST(BlockLimits, AreThoseOfEachBlock) {
  std::vector<double> values(2 * block + 10);
  std::iota(values.begin(), values.end(), 0.0);
  values[7] = nan;
  for (std::size_t row = block; row < 2 * block; ++row) values[row] = nan;
  const std::vector<std::byte> section = joined(values, {0}).section();
  ASSERT_EQ(section.size(), 3 * (8 + 8 + 2));
  const std::vector<double> limits = numbers_in(section, 6);
  EXPECT_EQ(limits[0], 0);
  EXPECT_TRUE(std::isnan(limits[1]));
  EXPECT_EQ(limits[2], 2 * block);
  EXPECT_EQ(limits[3], block - 1);
  EXPECT_TRUE(std::isnan(limits[4]));
  EXPECT_EQ(limits[5], 2 * block + 9);
  std::vector<std::uint16_t> nans(3);
  std::memcpy(nans.data(), section.data() + 48, 6);
  EXPECT_EQ(nans, (std::vector<std::uint16_t>{1, block, 0}));
}

TEST(BlockLimits, OfPartsAreThoseOfTheWhole) {
  std::vector<double> values(3 * block + 1);
  for (std::size_t row = 0; row < values.size(); ++row) values[row] = std::sin(static_cast<double>(row * row));
  values[block] = nan;
  const BlockLimits whole = joined(values, {0});
  for (const std::vector<std::uint64_t>& firsts :
       {std::vector<std::uint64_t>{0, 1}, {0, 0, 5, 5}, {0, block, 2 * block}, {0, 10, 20, block + 1, 3 * block + 1}}) {
    const BlockLimits parts = joined(values, firsts);
    EXPECT_EQ(parts.rows(), whole.rows());
    EXPECT_EQ(parts.section(), whole.section());
  }
}

TEST(BlockLimits, OfTextAreNone) {
  BlockLimits text(Type::string);
  text.append(BlockLimits(Type::string));
  EXPECT_FALSE(BlockLimits::limits(text.type()));
  EXPECT_EQ(text.rows(), 0U);
}

TEST(BlockLimits, RefuseRowsInAWrongOrder) {
  const std::vector<double> values(10);
  BlockLimits limits(Type::float64);
  limits.add(block, view_of(values));
  EXPECT_THROW(limits.add(0, view_of(values)), Error);
  EXPECT_THROW(limits.append(BlockLimits(Type::int32)), Error);
}

}  // namespace
}  // namespace quire::block_limits_test
