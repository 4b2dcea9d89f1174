// Units of measurement are read exactly, and converted with one rounding.
#include "quire/model/units.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "quire/base/error.hpp"

namespace quire::units_test {
namespace {

TEST(ExactRatio, IsTheNearestFloatOfAProductOfManyFactors) {
  const ExactRatio charge = *ExactRatio::of("1.602176634e-19");
  const ExactRatio light = *ExactRatio::of("299792458");
  EXPECT_EQ((charge / light).value(), 1.602176634e-19 / 299792458);
  EXPECT_EQ((charge * light / charge / light).value(), 1.0);
  EXPECT_EQ(ExactRatio::of("0.001")->to_the(5).value(), 1e-15);
  EXPECT_EQ(ExactRatio::of("3")->inverse().value(), 1.0 / 3);
  EXPECT_EQ(ExactRatio::of("7")->to_the(-20).value(), 1.2532542894196848e-17);
  EXPECT_FALSE(ExactRatio::of("0.00"));
}

TEST(ExactRatio, IsRoundedBeyond120BitsAndInfiniteBeyondTheRangeOfFloats) {
  EXPECT_NEAR(ExactRatio::of("7")->to_the(60).value(), std::pow(7.0, 60), 1e-14 * std::pow(7.0, 60));
  EXPECT_EQ(ExactRatio::of("123456789012345678901234567890123456789012345")->value(),
            123456789012345678901234567890123456789012345.0);
  EXPECT_EQ(ExactRatio::power_of_ten(400).value(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(ExactRatio::power_of_ten(-400).value(), 0);
}

TEST(ExactRatio, IsWholeIfBothSidesAreBelow2To53) {
  const auto half = ExactRatio::of("2.5")->whole();
  ASSERT_TRUE(half);
  EXPECT_EQ(half->over, 5U);
  EXPECT_EQ(half->under, 2U);
  EXPECT_EQ(ExactRatio::of("1e-12")->whole()->under, 1000000000000U);
  EXPECT_FALSE(ExactRatio::of("1e16")->whole());
  EXPECT_FALSE(ExactRatio::of("1e-99")->whole());
}

TEST(ParsedUnits, HaveFactorDimensionAndSiUnit) {
  const Unit momentum = parse_unit("MeV/c");
  EXPECT_EQ(momentum.factor(), 5.344285992678308e-22);
  EXPECT_EQ(momentum.si(), "m kg s^-1");
  EXPECT_EQ(parse_unit("m^(1/2)").si(), "m^1/2");
  EXPECT_EQ(parse_unit("deg").factor(), std::numbers::pi / 180);
  EXPECT_TRUE(parse_unit("$gb$r$gg$r").is_number());
}

TEST(ParsedUnits, TakeMassTimesCForOneOrForAMomentum) {
  for (const char* text : {"m_e c", "m_e*c", "m_ec", "m$be$nc"}) {
    EXPECT_TRUE(parse_unit(text).is_number()) << text;
    const Unit momentum = parse_unit(text, MassTimesC::is_momentum);
    EXPECT_EQ(momentum.factor(), 9.1093837139e-31 * 299792458) << text;
    EXPECT_EQ(momentum.si(), "m kg s^-1") << text;
  }
}

TEST(ParsedUnits, ReadMassTimesCAsOneOnlyWhereItIsAWholeUnit) {
  for (const char* text : {"m c", "1/(m c)", "m*( m c )"}) {
    EXPECT_EQ(parse_unit(text).factor(), 1) << text;
  }
  EXPECT_EQ(parse_unit("kg m c").si(), "m^2 kg s^-1");
  EXPECT_EQ(parse_unit("kg m c").factor(), 299792458);
}

TEST(ParsedUnits, ReadRoundedExponentsAsRatios) {
  EXPECT_EQ(parse_unit("m^0.3333333333333333").si(), "m^1/3");
  EXPECT_EQ(parse_unit("m^0.6666666666666666").si(), "m^2/3");
  EXPECT_EQ(parse_unit("m^-1.5").si(), "m^-3/2");
  EXPECT_FALSE(find_unit("m^0.3333"));
  EXPECT_FALSE(find_unit("m^3.14159265358979"));
}

TEST(ParsedUnits, AreRefusedWithTheReason) {
  const auto reason = [](const std::string& text) {
    try {
      static_cast<void>(parse_unit(text));
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.message();
    }
    return std::string("none");
  };
  EXPECT_EQ(reason("furlong"), "\"furlong\" is not a known unit: 'furlong' is not the name of a unit");
  EXPECT_EQ(reason("mev"), "\"mev\" is not a known unit: 'mev' is not the name of a unit (nearest: MeV, meV)");
  EXPECT_NE(reason("meters").find("(nearest: m)"), std::string::npos);
  EXPECT_NE(reason("J/kg K").find("two ways"), std::string::npos);
  EXPECT_NE(reason(std::string(50, '(').append("m")).find("not complete"), std::string::npos);
  EXPECT_NE(reason("(((((((((m^99)^99)^99)^99)^99)^99)^99)^99)^99)^99").find("too large"), std::string::npos);
  EXPECT_NE(reason("((((1e300^99)^99)^99)^99)^99").find("range of float64"), std::string::npos);
  EXPECT_NE(reason(std::string(40, '\xbf')).find("not understood"), std::string::npos);
  EXPECT_FALSE(find_unit("m^"));
}

TEST(Scales, DivideByWholeNumbers) {
  const UnitScale scale = scale_between("mm", "m");
  EXPECT_EQ(scale.factor, 1000);
  EXPECT_TRUE(scale.divides);
  EXPECT_EQ(scale_between("m", "mm").factor, 1000);
  EXPECT_FALSE(scale_between("m", "mm").divides);
  EXPECT_EQ(scale_between("mm", "1e-3 m").factor, 1);
  try {
    static_cast<void>(scale_between("mm", "s"));
    ADD_FAILURE() << "units of different dimensions were converted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::conflict);
    EXPECT_EQ(error.message(), "\"mm\" cannot be converted to \"s\": the first is in m, the second in s");
  }
}

}  // namespace
}  // namespace quire::units_test
