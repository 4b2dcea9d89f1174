// Units are texts of which dimension and factor are restored exactly.
#include "format/openpmd/units.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>

namespace quire::hdf5::units_test {
namespace {

constexpr double charge = 1.602176634e-19;
constexpr double light = 299792458.0;

SiUnit unit(std::array<double, 7> dimension, double factor = 1) { return {dimension, factor}; }

TEST(Units, AreProductsOfSymbolsWithPrefixesAndPowers) {
  const std::array<double, 7> momentum{1, 1, -1};
  EXPECT_EQ(si_unit_of(""), SiUnit{});
  EXPECT_EQ(si_unit_of("m"), metre);
  EXPECT_EQ(si_unit_of("mm"), unit({1}, 1e-3));
  EXPECT_EQ(si_unit_of("\xc2\xb5m"), unit({1}, 1e-6));
  EXPECT_EQ(si_unit_of("kg m/s"), unit(momentum));
  EXPECT_EQ(si_unit_of("kg*m*s^-1"), unit(momentum));
  EXPECT_EQ(si_unit_of("kg m s-1"), unit(momentum));
  EXPECT_EQ(si_unit_of("eV/c"), unit(momentum, charge / light));
  EXPECT_EQ(si_unit_of("V/(m s)"), unit({1, 1, -4, -1}));
  EXPECT_EQ(si_unit_of("C/m^3"), unit({-3, 0, 1, 1}));
  EXPECT_EQ(si_unit_of("1/m**2"), unit({-2}));
  EXPECT_EQ(si_unit_of("2.5e-3 m"), unit({1}, 2.5e-3));
  EXPECT_EQ(si_unit_of("rad"), SiUnit{});
}

TEST(Units, HaveTheCodesOfSdds) {
  EXPECT_EQ(si_unit_of("m$be$nc"), unit({1, 1, -1}, 9.1093837139e-31 * light));
  EXPECT_EQ(si_unit_of("1/m$a2$n"), unit({-2}));
  EXPECT_EQ(si_unit_of("$gm$rm"), unit({1}, 1e-6));
  EXPECT_TRUE(si_unit_of("1/(2$gp$r)"));
}

TEST(Units, ThatAreUnknownHaveNoValue) {
  for (const char* text : {"furlong", "m/", "m//s", "(m", "m)", "^2", "m^", "/", "m^x", "-", "V/m s"}) {
    EXPECT_FALSE(si_unit_of(text)) << text;
    EXPECT_EQ(stored_unit(text), SiUnit{}) << text;
  }
}

TEST(Units, HaveUsualNames) {
  EXPECT_EQ(text_of({}), "");
  EXPECT_EQ(text_of(metre), "m");
  EXPECT_EQ(text_of(unit({1}, 1e-9)), "nm");
  EXPECT_EQ(text_of(unit({0, 0, 1}, 1e-15)), "fs");
  EXPECT_EQ(text_of(unit({1, 1, -1})), "kg m/s");
  EXPECT_EQ(text_of(unit({1, 1, -1}, 2.73092453e-22)), "2.73092453e-22 kg m/s");
  EXPECT_EQ(text_of(unit({1, 1, -1}, charge / light)), "eV/c");
  EXPECT_EQ(text_of(unit({1, 1, -3, -1}, 1e9)), "GV/m");
  EXPECT_EQ(text_of(unit({}, 0.01)), "0.01");
  EXPECT_EQ(text_of(unit({0.5, 0, 0, 0, 1, 0, -2})), "m^0.5 K/cd^2");
}

TEST(Units, AreTheSameAfterTheirTextIsParsed) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> power(-4, 4);
  std::uniform_real_distribution<double> exponent(-40, 40);
  for (int round = 0; round < 2000; ++round) {
    SiUnit given;
    for (double& one : given.dimension) one = random() % 3 == 0 ? power(random) : 0;
    given.factor = round % 2 == 0 ? 1 : std::pow(10, exponent(random));
    const std::string text = text_of(given);
    EXPECT_EQ(si_unit_of(text), given) << text;
  }
}

}  // namespace
}  // namespace quire::hdf5::units_test
