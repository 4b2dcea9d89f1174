#include "kernels/bins.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "kernels/version.hpp"
#include "quire/base/error.hpp"

namespace quire::kernels::bins_test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
using Places = std::vector<std::int32_t>;

Places places_of(const std::vector<double>& values, const BinAxis& axis, const Version& version) {
  Places places(values.size(), -7);
  place_in_bins(values, axis, false, places, version);
  return places;
}

TEST(Bins, EndsAreClosedBelowAndOpenAbove) {
  const std::vector<double> values{0, -0.0, -1e-300, 0.999, 1, 2.5, 3, 3.5, 1e300, -1e300, infinity, -infinity, nan};
  for (const Version* version : versions()) {
    EXPECT_EQ(places_of(values, {0, 1, 3, -infinity}, *version), (Places{1, 1, 0, 1, 2, 3, 4, 4, 4, 0, 4, 0, 0}));
    EXPECT_EQ(places_of(values, {0, 1, 3, 3}, *version), (Places{1, 1, 0, 1, 2, 3, 3, 4, 4, 0, 4, 0, 0}));
    EXPECT_EQ(places_of(values, {0, 1, 0, -infinity}, *version), (Places{1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0}));
    EXPECT_EQ(places_of(values, {nan, nan, 0, -infinity}, *version), Places(values.size(), 0));
  }
}

TEST(Bins, AllVersionsGiveTheQuotientRoundedDown) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> draw(0.1, 2);
  for (const std::size_t count : {0, 1, 3, 4, 5, 1003}) {
    std::vector<double> values(count);
    for (double& value : values) value = draw(random);
    const BinAxis axis{-1.3, 0.07, 40, -infinity};
    Places expected;
    for (const double value : values) {
      const double step = std::floor((value - axis.lower) / axis.size);
      expected.push_back(static_cast<std::int32_t>(std::min(std::max(step, -1.0), 40.0)) + 1);
    }
    for (const Version* version : versions()) EXPECT_EQ(places_of(values, axis, *version), expected) << version->name;
  }
}

TEST(Bins, CellsOfSeveralAxesHaveTheLastOneFastest) {
  const std::vector<double> x{0.5, 1.5, -1, nan, 9};
  const std::vector<double> y{2.5, 0.5, 0.5, 1.5, 9};
  for (const Version* version : versions()) {
    Places places = places_of(x, {0, 1, 2, -infinity}, *version);
    place_in_bins(y, {0, 1, 3, -infinity}, true, places, *version);
    EXPECT_EQ(places, (Places{1 * 5 + 3, 2 * 5 + 1, 1, 2, 3 * 5 + 4})) << version->name;
  }
}

TEST(Bins, CountsAreAdded) {
  for (const std::size_t size : {5, 5000}) {
    std::vector<std::int64_t> counts(size, 10);
    const Places places{0, 4, 4, 1, 4, 4, 0, 4, 2};
    count_places(places, counts);
    EXPECT_EQ((std::vector<std::int64_t>(counts.begin(), counts.begin() + 5)),
              (std::vector<std::int64_t>{12, 11, 11, 10, 15}));
  }
}

TEST(Bins, WrongSizesAreRefused) {
  std::array<std::int64_t, 3> counts{};
  std::array<std::int32_t, 1> room{};
  EXPECT_THROW(count_places(Places{0, 3}, counts), Error);
  EXPECT_THROW(count_places(Places{-1}, counts), Error);
  EXPECT_THROW(place_in_bins(std::vector<double>{1, 2}, {}, false, room), Error);
  count_places(Places{}, counts);
  EXPECT_EQ(counts, (std::array<std::int64_t, 3>{}));
}

}  // namespace
}  // namespace quire::kernels::bins_test
