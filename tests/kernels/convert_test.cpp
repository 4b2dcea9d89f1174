#include "kernels/convert.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/spi/model/dispatch.hpp"
#include "support/random_bytes.hpp"

namespace quire::kernels::convert_test {
namespace {

constexpr std::array number_types{Type::int8,  Type::uint8,  Type::int16,   Type::uint16,  Type::int32,  Type::uint32,
                                  Type::int64, Type::uint64, Type::float32, Type::float64, Type::float80};

/// Converts one value; no value if it was refused.
template <class To, class From>
std::optional<To> strictly(From value) {
  std::array<std::byte, sizeof(To)> out{};
  const auto misfit = convert(TypeOf<From>::value, reinterpret_cast<const std::byte*>(&value), sizeof(From),
                              TypeOf<To>::value, out.data(), sizeof(To), 1, Loss::refused);
  if (misfit) return std::nullopt;
  To result;
  std::memcpy(&result, out.data(), sizeof result);
  return result;
}

template <class To, class From>
To forcibly(From value) {
  std::array<std::byte, sizeof(To)> out{};
  const auto misfit = convert(TypeOf<From>::value, reinterpret_cast<const std::byte*>(&value), sizeof(From),
                              TypeOf<To>::value, out.data(), sizeof(To), 1, Loss::allowed);
  EXPECT_FALSE(misfit);
  To result;
  std::memcpy(&result, out.data(), sizeof result);
  return result;
}

template <class Integer>
constexpr Integer highest = std::numeric_limits<Integer>::max();
template <class Integer>
constexpr Integer lowest = std::numeric_limits<Integer>::min();

TEST(Convert, IntegersKeepToTheRange) {
  EXPECT_EQ((strictly<std::int8_t, std::int32_t>(127)), 127);
  EXPECT_EQ((strictly<std::int8_t, std::int32_t>(128)), std::nullopt);
  EXPECT_EQ((strictly<std::int8_t, std::int32_t>(-128)), -128);
  EXPECT_EQ((strictly<std::int8_t, std::int32_t>(-129)), std::nullopt);
  EXPECT_EQ((strictly<std::uint64_t, std::int64_t>(-1)), std::nullopt);
  EXPECT_EQ((strictly<std::uint64_t, std::int64_t>(highest<std::int64_t>)), std::uint64_t{highest<std::int64_t>});
  EXPECT_EQ((strictly<std::int64_t, std::uint64_t>(std::uint64_t{1} << 63)), std::nullopt);
  EXPECT_EQ((strictly<std::uint8_t, std::int8_t>(-1)), std::nullopt);
  EXPECT_EQ((strictly<std::int16_t, std::uint8_t>(255)), 255);
}

TEST(Convert, FloatsBecomeIntegersOnlyIfTheyAreSome) {
  EXPECT_EQ((strictly<std::int32_t, double>(-2147483648.0)), lowest<std::int32_t>);
  EXPECT_EQ((strictly<std::int32_t, double>(2147483648.0)), std::nullopt);
  EXPECT_EQ((strictly<std::int32_t, double>(0.5)), std::nullopt);
  EXPECT_EQ((strictly<std::int32_t, double>(-0.0)), 0);
  EXPECT_EQ((strictly<std::int64_t, double>(9223372036854775808.0)), std::nullopt);
  EXPECT_EQ((strictly<std::int64_t, double>(-9223372036854775808.0)), lowest<std::int64_t>);
  EXPECT_EQ((strictly<std::uint64_t, float>(18446744073709551616.0F)), std::nullopt);
  EXPECT_EQ((strictly<std::uint64_t, float>(9223372036854775808.0F)), std::uint64_t{1} << 63);
  EXPECT_EQ((strictly<std::uint32_t, float>(-1.0F)), std::nullopt);
  EXPECT_EQ((strictly<std::int32_t, double>(std::nan(""))), std::nullopt);
  EXPECT_EQ((strictly<std::int32_t, double>(INFINITY)), std::nullopt);
  EXPECT_EQ((strictly<std::int64_t, long double>(9223372036854775807.0L)), highest<std::int64_t>);
}

TEST(Convert, IntegersBecomeFloatsOnlyIfTheyAreExact) {
  EXPECT_EQ((strictly<double, std::int64_t>(std::int64_t{1} << 53)), 9007199254740992.0);
  EXPECT_EQ((strictly<double, std::int64_t>((std::int64_t{1} << 53) + 1)), std::nullopt);
  EXPECT_EQ((strictly<double, std::int64_t>(lowest<std::int64_t>)), -9223372036854775808.0);
  EXPECT_EQ((strictly<double, std::int64_t>(highest<std::int64_t>)), std::nullopt);
  EXPECT_EQ((strictly<double, std::uint64_t>(highest<std::uint64_t>)), std::nullopt);
  EXPECT_EQ((strictly<double, std::uint64_t>(std::uint64_t{1} << 63)), 9223372036854775808.0);
  EXPECT_EQ((strictly<float, std::int32_t>(16777216)), 16777216.0F);
  EXPECT_EQ((strictly<float, std::int32_t>(16777217)), std::nullopt);
  EXPECT_EQ((strictly<float, std::int32_t>(highest<std::int32_t>)), std::nullopt);
  EXPECT_EQ((strictly<long double, std::uint64_t>(highest<std::uint64_t>)), 18446744073709551615.0L);
  EXPECT_EQ((strictly<long double, std::int64_t>(lowest<std::int64_t>)), -9223372036854775808.0L);
}

TEST(Convert, FloatsBecomeNarrowerOnlyIfTheyAreExact) {
  EXPECT_EQ((strictly<float, double>(0.5)), 0.5F);
  EXPECT_EQ((strictly<float, double>(0.1)), std::nullopt);
  EXPECT_EQ((strictly<float, double>(1e300)), std::nullopt);
  EXPECT_EQ((strictly<float, double>(1e-300)), std::nullopt);
  EXPECT_EQ((strictly<float, double>(INFINITY)), INFINITY);
  EXPECT_TRUE(std::isnan(strictly<float, double>(std::nan("")).value()));
  EXPECT_EQ((strictly<double, long double>(1.0L / 3.0L)), std::nullopt);
  EXPECT_EQ((strictly<double, long double>(0.25L)), 0.25);
  EXPECT_EQ((strictly<double, float>(0.1F)), static_cast<double>(0.1F));
  EXPECT_TRUE(std::signbit(strictly<float, double>(-0.0).value()));
}

TEST(Convert, LossyValuesAreTheNearestThatThereAre) {
  EXPECT_EQ((forcibly<std::int8_t, std::int32_t>(1000)), 127);
  EXPECT_EQ((forcibly<std::uint8_t, std::int32_t>(-5)), 0);
  EXPECT_EQ((forcibly<std::int32_t, double>(1e30)), highest<std::int32_t>);
  EXPECT_EQ((forcibly<std::int64_t, double>(-1e30)), lowest<std::int64_t>);
  EXPECT_EQ((forcibly<std::uint64_t, float>(1e30F)), highest<std::uint64_t>);
  EXPECT_EQ((forcibly<std::int32_t, double>(-2.9)), -2);
  EXPECT_EQ((forcibly<std::int32_t, double>(std::nan(""))), 0);
  EXPECT_EQ((forcibly<float, double>(0.1)), 0.1F);
  EXPECT_EQ((forcibly<float, double>(1e300)), INFINITY);
  EXPECT_EQ((forcibly<std::uint8_t, double>(-0.9)), 0);
}

TEST(Convert, CharactersAreBytes) {
  EXPECT_EQ((strictly<std::uint8_t, char>('\xff')), 255);
  EXPECT_EQ((strictly<std::int8_t, char>('\xff')), -1);
  EXPECT_EQ((strictly<char, std::uint8_t>(200)), '\xc8');
  EXPECT_FALSE(convertible(Type::character, Type::int16));
  EXPECT_FALSE(convertible(Type::float64, Type::character));
  EXPECT_FALSE(convertible(Type::string, Type::string));
  const char letter = 'a';
  std::array<std::byte, 2> out{};
  EXPECT_THROW((void)convert(Type::character, reinterpret_cast<const std::byte*>(&letter), 1, Type::int16, out.data(),
                             2, 1, Loss::allowed),
               Error);
  EXPECT_TRUE(same_bytes(Type::character, Type::int8));
  EXPECT_TRUE(same_bytes(Type::float64, Type::float64));
  EXPECT_FALSE(same_bytes(Type::int8, Type::uint8));
  EXPECT_FALSE(same_bytes(Type::string, Type::string));
}

TEST(Convert, PaddingOfFloat80IsZero) {
  const double value = -1.5;
  std::array<std::byte, 16> out;
  out.fill(std::byte{0xff});
  ASSERT_FALSE(convert(Type::float64, reinterpret_cast<const std::byte*>(&value), 8, Type::float80, out.data(), 16, 1,
                       Loss::refused));
  for (std::size_t i = 10; i < 16; ++i) EXPECT_EQ(out[i], std::byte{0});
}

/// Small whole numbers exist in every type: they must survive every pair, stride, alignment and block boundary.
TEST(Convert, EveryPairKeepsSmallNumbersAtAnyStride) {
  test::Random random(11);
  for (const Type from : number_types) {
    for (const Type to : number_types) {
      const std::size_t count = random.between(1, 700);
      const std::size_t in_stride = size_of(from) + (random.below(2) == 0 ? 0 : random.between(1, 9));
      const std::size_t out_stride = size_of(to) + (random.below(2) == 0 ? 0 : random.between(1, 9));
      const std::size_t in_first = random.below(17);
      const std::size_t out_first = random.below(17);
      std::vector<std::byte> in(in_first + count * in_stride);
      std::vector<std::byte> out(out_first + count * out_stride, std::byte{0x5a});
      visit_type(from, [&](auto type) {
        using Number = typename decltype(type)::type;
        for (std::size_t i = 0; i < count; ++i) {
          const auto number = static_cast<Number>(i % 120);
          std::memcpy(in.data() + in_first + i * in_stride, &number, sizeof number);
        }
      });
      ASSERT_FALSE(convert(from, in.data() + in_first, static_cast<std::ptrdiff_t>(in_stride), to,
                           out.data() + out_first, static_cast<std::ptrdiff_t>(out_stride), count, Loss::refused));
      visit_type(to, [&](auto type) {
        using Number = typename decltype(type)::type;
        for (std::size_t i = 0; i < count; ++i) {
          Number number;
          std::memcpy(&number, out.data() + out_first + i * out_stride, sizeof number);
          ASSERT_EQ(number, static_cast<Number>(i % 120)) << name(from) << " to " << name(to) << " value " << i;
          for (std::size_t gap = size_of(to); gap < out_stride && i + 1 < count; ++gap) {
            ASSERT_EQ(out[out_first + i * out_stride + gap], std::byte{0x5a});
          }
        }
      });
    }
  }
}

TEST(Convert, TheFirstMisfitIsReported) {
  for (const std::size_t where : {std::size_t{0}, std::size_t{255}, std::size_t{256}, std::size_t{700}}) {
    std::vector<double> values(1000, 3.0);
    values[where] = 2.5;
    values[where + 1] = 1e99;
    std::vector<std::int16_t> out(1000);
    EXPECT_EQ(convert(Type::float64, reinterpret_cast<const std::byte*>(values.data()), 8, Type::int16,
                      reinterpret_cast<std::byte*>(out.data()), 2, values.size(), Loss::refused),
              where);
  }
}

/// Values that a check by bits alone would refuse, among ordinary ones.
TEST(Convert, NotANumberStopsNoBlock) {
  std::vector<double> values(600, 0.25);
  values[10] = std::numeric_limits<double>::quiet_NaN();
  values[300] = std::numeric_limits<double>::signaling_NaN();
  values[301] = -std::numeric_limits<double>::infinity();
  std::vector<float> out(600);
  const auto strict = [&] {
    return convert(Type::float64, reinterpret_cast<const std::byte*>(values.data()), 8, Type::float32,
                   reinterpret_cast<std::byte*>(out.data()), 4, values.size(), Loss::refused);
  };
  EXPECT_EQ(strict(), std::nullopt);
  EXPECT_TRUE(std::isnan(out[10]));
  EXPECT_TRUE(std::isnan(out[300]));
  EXPECT_EQ(out[301], -INFINITY);
  EXPECT_EQ(out[599], 0.25F);
  values[310] = 0.1;
  EXPECT_EQ(strict(), 310U);
}

/// All pairs of 8- and 16-bit integers, value by value, against plain comparison.
TEST(Convert, NarrowIntegersAreCheckedExhaustively) {
  const std::array narrow{Type::int8, Type::uint8, Type::int16, Type::uint16};
  for (const Type from : narrow) {
    for (const Type to : narrow) {
      visit_type(from, [&](auto from_type) {
        using From = typename decltype(from_type)::type;
        visit_type(to, [&](auto to_type) {
          using To = typename decltype(to_type)::type;
          if constexpr (std::is_integral_v<From> && std::is_integral_v<To> && sizeof(From) <= 2 && sizeof(To) <= 2 &&
                        !std::is_same_v<From, char> && !std::is_same_v<To, char>) {
            for (int value = std::numeric_limits<From>::min(); value <= std::numeric_limits<From>::max(); ++value) {
              const auto converted = strictly<To>(static_cast<From>(value));
              const bool in_range = value >= std::numeric_limits<To>::min() && value <= std::numeric_limits<To>::max();
              ASSERT_EQ(converted.has_value(), in_range) << name(from) << " to " << name(to) << ": " << value;
              ASSERT_TRUE(!in_range || *converted == static_cast<To>(value));
            }
          }
        });
      });
    }
  }
}

/// The conversions of the extremes of every integer type must agree with the type table.
TEST(Convert, ExtremesAgreeWithWhatTypesPromise) {
  for (const Type from : number_types) {
    for (const Type to : number_types) {
      visit_type(from, [&](auto type) {
        using Number = typename decltype(type)::type;
        for (const Number number : {std::numeric_limits<Number>::lowest(), std::numeric_limits<Number>::max(),
                                    std::numeric_limits<Number>::min(), std::numeric_limits<Number>::denorm_min()}) {
          std::array<std::byte, 16> out{};
          const auto misfit = convert(from, reinterpret_cast<const std::byte*>(&number), sizeof number, to, out.data(),
                                      static_cast<std::ptrdiff_t>(size_of(to)), 1, Loss::refused);
          EXPECT_FALSE(misfit && converts_without_loss(from, to)) << name(from) << " to " << name(to);
          if (misfit) continue;
          std::array<std::byte, 16> back{};
          ASSERT_FALSE(convert(to, out.data(), static_cast<std::ptrdiff_t>(size_of(to)), from, back.data(),
                               sizeof number, 1, Loss::refused));
          Number again;
          std::memcpy(&again, back.data(), sizeof again);
          EXPECT_EQ(again, number) << name(from) << " to " << name(to);
        }
      });
    }
  }
}

}  // namespace
}  // namespace quire::kernels::convert_test
