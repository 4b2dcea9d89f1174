#include "kernels/value_list.hpp"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "quire/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace quire::kernels::value_list_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Number>
std::vector<std::uint32_t> scanned(const std::vector<Number>& values, const KeyRange& range) {
  std::vector<std::uint32_t> rows;
  for (std::size_t row = 0; row < values.size(); ++row) {
    const Key key = key_of(values[row]);
    if (range.lower <= key && key <= range.upper) rows.push_back(static_cast<std::uint32_t>(row));
  }
  return rows;
}

/// The rows of a range, with those candidates whose values are in it.
template <class Number>
std::vector<std::uint32_t> found(const std::vector<Number>& values, const ValueList& list, const KeyRange& range) {
  const ListedRows rows = listed_rows(list.bins, list.content, 0, range, values.size());
  std::vector<std::uint32_t> all = rows.certain;
  for (const std::uint32_t row : rows.candidates) {
    const Key key = key_of(values[row]);
    if (range.lower <= key && key <= range.upper) all.push_back(row);
  }
  EXPECT_TRUE(std::ranges::is_sorted(rows.certain));
  EXPECT_TRUE(std::ranges::is_sorted(rows.candidates));
  std::ranges::sort(all);
  return all;
}

template <class Number>
void expect_answers_of_a_scan(const std::vector<Number>& values, std::size_t most_candidates) {
  const ValueList list = list_values(values);
  EXPECT_TRUE(is_list_of(values, list.bins, list.content));
  for (std::size_t i = 1; i < list.bins.size(); ++i) EXPECT_LT(list.bins[i - 1].upper, list.bins[i].lower);
  std::vector<Key> limits{0, 1, sign_bit, sign_bit + 1, key_of_nan - 1, key_of_nan};
  for (std::size_t row = 0; row < values.size(); row += values.size() / 7 + 1) {
    for (const Key key : {key_of(values[row]) - 1, key_of(values[row]), key_of(values[row]) + 1}) limits.push_back(key);
  }
  for (const Key lower : limits) {
    for (const Key upper : limits) {
      ASSERT_EQ(found(values, list, {lower, upper}), scanned(values, {lower, upper})) << lower << " to " << upper;
    }
    const ListedRows rows = listed_rows(list.bins, list.content, 0, {lower, key_of_nan}, values.size());
    EXPECT_LE(rows.candidates.size(), most_candidates);
  }
}

TEST(Keys, HaveTheOrderOfTheValues) {
  const std::vector<double> values{-infinity, -1e300, -1, -1e-310, -0.0, 1e-310, 0.5, 1, infinity, nan};
  for (std::size_t i = 1; i < values.size(); ++i) EXPECT_LT(key_of(values[i - 1]), key_of(values[i]));
  EXPECT_EQ(key_of(0.0), key_of(-0.0));
  EXPECT_EQ(key_of(-nan), key_of_nan);
  EXPECT_EQ(key_of(0.1F), key_of(static_cast<double>(0.1F)));
  EXPECT_LT(key_of(std::int64_t{(1L << 53)}), key_of(std::int64_t{(1L << 53) + 1}));
  EXPECT_LT(key_of(std::int8_t{-128}), key_of(std::int8_t{-1}));
  EXPECT_EQ(key_of(std::numeric_limits<std::uint64_t>::max()), key_of_nan);
}

TEST(ValueLists, HaveTheAnswersOfAScan) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const std::size_t count : {0, 1, 2, 511, 513, 20000}) {
    std::vector<double> values(count);
    for (double& value : values) value = normal(random) + 3;
    expect_answers_of_a_scan(values, count < 20000 ? count : 100);
    std::ranges::sort(values);
    expect_answers_of_a_scan(values, count < 20000 ? count : 100);
  }
}

TEST(ValueLists, SeparateSpecialValues) {
  std::mt19937_64 random(2);
  std::vector<double> values;
  const std::array special{nan, -nan, 0.0, -0.0, infinity, -infinity, 1e-310, -1e300, 1.0, 2.0};
  for (std::size_t i = 0; i < 5000; ++i) values.push_back(special[random() % special.size()]);
  expect_answers_of_a_scan(values, values.size());
  const std::vector<float> narrow(values.begin(), values.end());
  expect_answers_of_a_scan(narrow, values.size());
}

TEST(ValueLists, KeepAllDigitsOfIntegers) {
  std::mt19937_64 random(3);
  std::vector<std::int64_t> integers;
  std::vector<std::uint64_t> naturals;
  for (std::size_t i = 0; i < 3000; ++i) {
    integers.push_back((std::int64_t{1} << 53) + static_cast<std::int64_t>(random() % 5000) - 2500);
    naturals.push_back(std::numeric_limits<std::uint64_t>::max() - random() % 5000);
  }
  expect_answers_of_a_scan(integers, 0x400);
  expect_answers_of_a_scan(naturals, 0x400);
}

TEST(ValueLists, HaveOneBinForAFrequentValue) {
  std::mt19937_64 random(4);
  std::vector<std::int32_t> values;
  for (std::int32_t i = 0; i < 20000; ++i) values.push_back(random() % 3 == 0 ? 7 : i);
  const ValueList list = list_values(values);
  const Key seven = key_of(std::int32_t{7});
  const auto bin = std::ranges::find_if(list.bins, [&](const ListBin& one) { return one.lower == seven; });
  ASSERT_NE(bin, list.bins.end());
  EXPECT_EQ(bin->upper, seven);
  EXPECT_GT(bin->rows, 6000);
  expect_answers_of_a_scan(values, 700);
}

TEST(ValueLists, AreSmallForFewValuesAndForRuns) {
  std::vector<std::int64_t> scattered(100000);
  std::mt19937_64 random(5);
  for (auto& value : scattered) value = static_cast<std::int64_t>(random() % 2);
  EXPECT_LT(list_values(scattered).content.size(), 2 * 100000 / 8 + 100);
  std::vector<std::int64_t> runs(100000);
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i] = static_cast<std::int64_t>(i / 5000 % 2);
  EXPECT_LT(list_values(runs).content.size(), 200);
  expect_answers_of_a_scan(runs, 0);
}

TEST(ValueLists, OfRandomNumbersHaveTwoFifthsOfTheirBytes) {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  std::vector<double> values(400000);
  for (double& value : values) value = normal(random);
  const ValueList list = list_values(values);
  EXPECT_LT(list.bins.size() * sizeof(ListBin) + list.content.size(), values.size() * sizeof(double) * 43 / 100);
}

TEST(ValueLists, DamageIsAnError) {
  std::mt19937_64 random(7);
  std::vector<double> values(3000);
  for (double& value : values) value = static_cast<double>(random() % 100000);
  const ValueList list = list_values(values);
  for (std::size_t i = 0; i < list.content.size(); i += 97) {
    ValueList damaged = list;
    damaged.content[i] ^= std::byte{1};
    EXPECT_THROW((void)listed_rows(damaged.bins, damaged.content, 0, {}, values.size()), Error);
  }
  EXPECT_THROW((void)listed_rows(list.bins, list.content, 0, {}, values.size() / 2), Error);
  EXPECT_THROW((void)listed_rows(list.bins, list.content, 1, {}, values.size()), Error);
  EXPECT_THROW((void)listed_rows(list.bins, std::span(list.content).first(100), 0, {}, values.size()), Error);
  values[17] = 1e9;
  EXPECT_FALSE(is_list_of(values, list.bins, list.content));
}

/// A list of one bin of rows with one value, whose checksum is right.
ValueList one_bin(std::uint32_t first, std::uint8_t form, const std::vector<std::uint8_t>& stored, std::uint32_t rows) {
  ValueList made;
  for (int shift = 0; shift < 32; shift += 8) made.content.push_back(static_cast<std::byte>(first >> shift));
  made.content.push_back(std::byte{form});
  for (const std::uint8_t byte : stored) made.content.push_back(std::byte{byte});
  const std::uint64_t checksum = XXH3_64bits(made.content.data(), made.content.size());
  made.bins.push_back(
      {.lower = 7, .upper = 7, .offset = 0, .rows = rows, .checksum = static_cast<std::uint32_t>(checksum)});
  return made;
}

TEST(ValueLists, OfRowsBeyondTheTableAreAnError) {
  constexpr std::size_t total = 100;
  const auto rows_of = [](const ValueList& list) { return listed_rows(list.bins, list.content, 0, {}, total).certain; };
  EXPECT_EQ(rows_of(one_bin(95, form_bits, {0b10011}, 3)), (std::vector<std::uint32_t>{95, 96, 99}));
  // The last rows of these are within the table again modulo 2^32.
  for (const std::uint32_t first : {0xFFFFFFF0U, 0xFFFFFFFFU, 97U}) {
    EXPECT_THROW((void)rows_of(one_bin(first, form_bits, {1, 0, 0xFF}, 9)), Error) << first;
    EXPECT_THROW((void)rows_of(one_bin(first, form_bits, {0b11111}, 5)), Error) << first;
    EXPECT_THROW((void)rows_of(one_bin(first, 5, {31}, 2)), Error) << first;
    EXPECT_THROW((void)rows_of(one_bin(first, form_runs, {1, 0, 0, 0, 20, 0, 0, 0, 2, 0, 0, 0}, 3)), Error) << first;
  }
  EXPECT_THROW((void)rows_of(one_bin(0, form_bits, {1, 1}, 1)), Error);
  EXPECT_THROW((void)rows_of(one_bin(0, form_bits, {1}, 2)), Error);
}

TEST(ValueLists, TheFuzzersEntryTakesAnything) {
  std::mt19937_64 random(8);
  for (int trial = 0; trial < 20000; ++trial) {
    // A table of up to 255 rows, and bins of up to 7 rows with any bytes after the form.
    std::vector<std::uint8_t> bytes{0, static_cast<std::uint8_t>(random())};
    for (std::uint64_t bin = random() % 3; bin < 3; ++bin) {
      const auto form = static_cast<std::uint8_t>(random() % 35);
      const auto length = static_cast<std::uint8_t>(5 + random() % 12);
      const std::uint8_t high = random() % 4 == 0 ? 0xFF : 0;
      const auto low = static_cast<std::uint8_t>(random());
      bytes.insert(bytes.end(), {0, static_cast<std::uint8_t>(random() % 8), static_cast<std::uint8_t>(random() % 3),
                                 length, low, high, high, high, form});
      for (int i = 5; i < length; ++i) bytes.push_back(static_cast<std::uint8_t>(random() & random()));
    }
    ASSERT_EQ(LLVMFuzzerTestOneInput(bytes.data(), bytes.size()), 0);
    ASSERT_EQ(LLVMFuzzerTestOneInput(bytes.data(), random() % bytes.size()), 0);
  }
}

TEST(ValueLists, RefuseWhatHasNone) {
  const std::vector<long double> extended{1};
  EXPECT_THROW((void)list_values(extended), Error);
  const double one = 1;
  EXPECT_THROW(
      (void)list_values(ConstView(Type::float64, reinterpret_cast<const std::byte*>(&one), most_listed_rows + 1, 8)),
      Error);
}

TEST(ValueLists, AreCombined) {
  using Rows = std::vector<std::uint32_t>;
  EXPECT_EQ(common_rows(Rows{1, 4, 5, 9}, Rows{0, 4, 9, 10, 11}), (Rows{4, 9}));
  EXPECT_EQ(common_rows(Rows{}, Rows{1}), Rows{});
  Rows many(100);
  std::iota(many.begin(), many.end(), 50);
  EXPECT_EQ(common_rows(Rows{1, 60, 149}, many), (Rows{60, 149}));
  EXPECT_EQ(common_rows(many, Rows{49, 50, 150}), Rows{50});
  EXPECT_EQ(united_rows(Rows{1, 4, 5, 9}, Rows{0, 4, 9, 10, 11}), (Rows{0, 1, 4, 5, 9, 10, 11}));
  EXPECT_EQ(united_rows(Rows{}, Rows{1}), Rows{1});
}

}  // namespace
}  // namespace quire::kernels::value_list_test
