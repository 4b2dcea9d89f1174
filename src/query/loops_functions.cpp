#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <numbers>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "query/loop_bodies.hpp"
#include "query/loops.hpp"

namespace quire::query {
namespace {

struct AbsoluteInteger {
  bool operator()(std::int64_t value, std::int64_t* out) const {
    *out = value;
    return value >= 0 || !__builtin_sub_overflow(std::int64_t{0}, value, out);
  }
};
struct Sign {
  template <class Value>
  Value operator()(Value value) const {
    if (is_nan(value)) return value;
    return static_cast<Value>(static_cast<int>(Value{0} < value) - static_cast<int>(value < Value{0}));
  }
};
/// The smallest or largest of several values; not a number if one of them is none.
struct Minimum {
  template <class Value>
  Value operator()(Value a, Value b) const {
    return a < b || is_nan(a) ? a : b;
  }
};
struct Maximum {
  template <class Value>
  Value operator()(Value a, Value b) const {
    return a > b || is_nan(a) ? a : b;
  }
};
struct IsNan {
  template <class Real>
  bool operator()(Real value) const {
    return is_nan(value);
  }
};
struct IsFinite {
  template <class Real>
  bool operator()(Real value) const {
    return std::abs(value) <= std::numeric_limits<Real>::max();
  }
};
struct IsInfinite {
  template <class Real>
  bool operator()(Real value) const {
    return std::abs(value) > std::numeric_limits<Real>::max();
  }
};
struct Same {
  std::int64_t operator()(std::int64_t value) const { return value; }
};
struct BitAnd {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a & b; }
};
struct BitOr {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a | b; }
};
struct BitXor {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return a ^ b; }
};
/// The output of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014) for the
/// state that the key and the seed give, without its lowest bit: from 0 to 2^63 - 1.
struct Hash {
  std::int64_t operator()(std::int64_t key, std::int64_t seed) const {
    constexpr std::uint64_t gamma = 0x9e3779b97f4a7c15;
    const auto scrambled = [](std::uint64_t bits) {
      bits = (bits ^ bits >> 30U) * 0xbf58476d1ce4e5b9;
      bits = (bits ^ bits >> 27U) * 0x94d049bb133111eb;
      return bits ^ bits >> 31U;
    };
    const std::uint64_t stream = scrambled(static_cast<std::uint64_t>(seed) + gamma);
    return static_cast<std::int64_t>(scrambled(static_cast<std::uint64_t>(key) + stream + gamma) >> 1U);
  }
};
struct SquareRoot {
  template <class Real>
  Real operator()(Real value) const {
    return std::sqrt(value);
  }
};
struct Absolute {
  template <class Real>
  Real operator()(Real value) const {
    return std::abs(value);
  }
};

template <class Operation>
Function unary_function(std::string_view name, UnitRule units) {
  return {.name = name,
          .units = units,
          .real = unary_plain<Operation, double, double>,
          .extended = unary_plain<Operation, long double, long double>};
}

template <class Operation>
Function binary_function(std::string_view name, UnitRule units) {
  return {.name = name,
          .fewest = 2,
          .most = 2,
          .units = units,
          .real = binary_plain<Operation, double, double, double>,
          .extended = binary_plain<Operation, long double, long double, long double>};
}

template <class Operation>
Function extreme(std::string_view name) {
  return {.name = name,
          .fewest = 2,
          .most = Function::any,
          .units = UnitRule::same,
          .keeps_integers = true,
          .real = binary<Operation, double, double, double>(),
          .extended = binary_plain<Operation, long double, long double, long double>,
          .integer = binary_plain<Operation, std::int64_t, std::int64_t, std::int64_t>};
}

template <class Operation>
Function question(std::string_view name) {
  return {.name = name,
          .answers = true,
          .real = unary<Operation, double, std::uint8_t>(),
          .extended = unary_plain<Operation, long double, std::uint8_t>};
}

/// A function that keeps integers.
template <class Operation>
Function rounding(std::string_view name) {
  Function function = unary_function<Operation>(name, UnitRule::same);
  function.keeps_integers = true;
  function.integer = unary_plain<Same, std::int64_t, std::int64_t>;
  return function;
}

template <class Operation>
Function of_integers(std::string_view name) {
  return {.name = name,
          .fewest = 2,
          .most = 2,
          .keeps_integers = true,
          .integer = binary_plain<Operation, std::int64_t, std::int64_t, std::int64_t>};
}

// Functions of the mathematical library as types, so that each has its own loop.
using Exp = decltype([](auto value) { return std::exp(value); });
using Expm1 = decltype([](auto value) { return std::expm1(value); });
using Log = decltype([](auto value) { return std::log(value); });
using Log10 = decltype([](auto value) { return std::log10(value); });
using Log2 = decltype([](auto value) { return std::log2(value); });
using Log1p = decltype([](auto value) { return std::log1p(value); });
using Sin = decltype([](auto value) { return std::sin(value); });
using Cos = decltype([](auto value) { return std::cos(value); });
using Tan = decltype([](auto value) { return std::tan(value); });
using Asin = decltype([](auto value) { return std::asin(value); });
using Acos = decltype([](auto value) { return std::acos(value); });
using Atan = decltype([](auto value) { return std::atan(value); });
using Sinh = decltype([](auto value) { return std::sinh(value); });
using Cosh = decltype([](auto value) { return std::cosh(value); });
using Tanh = decltype([](auto value) { return std::tanh(value); });
using Asinh = decltype([](auto value) { return std::asinh(value); });
using Acosh = decltype([](auto value) { return std::acosh(value); });
using Atanh = decltype([](auto value) { return std::atanh(value); });
using Erf = decltype([](auto value) { return std::erf(value); });
using Erfc = decltype([](auto value) { return std::erfc(value); });
using Cbrt = decltype([](auto value) { return std::cbrt(value); });
using Floor = decltype([](auto value) { return std::floor(value); });
using Ceil = decltype([](auto value) { return std::ceil(value); });
using Trunc = decltype([](auto value) { return std::trunc(value); });
using Round = decltype([](auto value) { return std::nearbyint(value); });
using Gamma = decltype([](auto value) { return std::tgamma(value); });
using LogGamma = decltype([](auto value) { return std::lgamma(value); });
using Atan2 = decltype([](auto a, auto b) { return std::atan2(a, b); });
using Hypot = decltype([](auto a, auto b) { return std::hypot(a, b); });
using Fmod = decltype([](auto a, auto b) { return std::fmod(a, b); });

/// A special function of the mathematical library, NaN outside of its domain, where the library throws.
template <class Real, class Compute>
Real in_domain(const Compute& compute) {
  try {
    return compute();
  } catch (const std::exception&) {
    return std::numeric_limits<Real>::quiet_NaN();
  }
}
using EllipticK = decltype([](auto k) { return in_domain<decltype(k)>([k] { return std::comp_ellint_1(k); }); });
using EllipticE = decltype([](auto k) { return in_domain<decltype(k)>([k] { return std::comp_ellint_2(k); }); });
using BesselJ = decltype([](auto n, auto x) {
  // Of a whole order it is defined for negative x as well: J_n(-x) = (-1)^n J_n(x).
  const bool is_mirrored = x < 0 && std::trunc(n) == n;
  const auto value = in_domain<decltype(x)>([&] { return std::cyl_bessel_j(n, is_mirrored ? -x : x); });
  return is_mirrored && std::fmod(n, 2) != 0 ? -value : value;
});
using BesselI = decltype([](auto n, auto x) {
  const bool is_mirrored = x < 0 && std::trunc(n) == n;
  const auto value = in_domain<decltype(x)>([&] { return std::cyl_bessel_i(n, is_mirrored ? -x : x); });
  return is_mirrored && std::fmod(n, 2) != 0 ? -value : value;
});
using BesselY = decltype([](auto n, auto x) { return in_domain<decltype(x)>([&] { return std::cyl_neumann(n, x); }); });
using BesselK = decltype([](auto n, auto x) {
  return in_domain<decltype(x)>([&] { return std::cyl_bessel_k(n, x); });
});

std::vector<Function> all_functions() {
  std::vector<Function> all{
      unary_function<Exp>("exp", UnitRule::pure),
      unary_function<Expm1>("expm1", UnitRule::pure),
      unary_function<Log>("log", UnitRule::pure),
      unary_function<Log10>("log10", UnitRule::pure),
      unary_function<Log2>("log2", UnitRule::pure),
      unary_function<Log1p>("log1p", UnitRule::pure),
      unary_function<Sin>("sin", UnitRule::pure),
      unary_function<Cos>("cos", UnitRule::pure),
      unary_function<Tan>("tan", UnitRule::pure),
      unary_function<Asin>("asin", UnitRule::pure),
      unary_function<Acos>("acos", UnitRule::pure),
      unary_function<Atan>("atan", UnitRule::pure),
      unary_function<Sinh>("sinh", UnitRule::pure),
      unary_function<Cosh>("cosh", UnitRule::pure),
      unary_function<Tanh>("tanh", UnitRule::pure),
      unary_function<Asinh>("asinh", UnitRule::pure),
      unary_function<Acosh>("acosh", UnitRule::pure),
      unary_function<Atanh>("atanh", UnitRule::pure),
      unary_function<Erf>("erf", UnitRule::pure),
      unary_function<Erfc>("erfc", UnitRule::pure),
      unary_function<Gamma>("gamma", UnitRule::pure),
      unary_function<LogGamma>("lgamma", UnitRule::pure),
      unary_function<EllipticK>("comp_ellint_1", UnitRule::pure),
      unary_function<EllipticE>("comp_ellint_2", UnitRule::pure),
      binary_function<BesselJ>("bessel_j", UnitRule::pure),
      binary_function<BesselY>("bessel_y", UnitRule::pure),
      binary_function<BesselI>("bessel_i", UnitRule::pure),
      binary_function<BesselK>("bessel_k", UnitRule::pure),
      unary_function<Cbrt>("cbrt", UnitRule::cube),
      binary_function<Atan2>("atan2", UnitRule::pure_of),
      binary_function<Hypot>("hypot", UnitRule::sum),
      binary_function<Fmod>("fmod", UnitRule::same),
      rounding<Floor>("floor"),
      rounding<Ceil>("ceil"),
      rounding<Trunc>("trunc"),
      rounding<Round>("round"),
      extreme<Minimum>("min"),
      extreme<Maximum>("max"),
      question<IsNan>("isnan"),
      question<IsFinite>("isfinite"),
      question<IsInfinite>("isinf"),
      of_integers<BitAnd>("bitand"),
      of_integers<BitOr>("bitor"),
      of_integers<BitXor>("bitxor"),
      of_integers<Hash>("hash"),
  };
  Function root = unary_function<SquareRoot>("sqrt", UnitRule::root);
  root.real = unary<SquareRoot, double, double>();
  all.push_back(root);
  Function absolute = unary_function<Absolute>("abs", UnitRule::same);
  absolute.real = unary<Absolute, double, double>();
  absolute.keeps_integers = true;
  absolute.integer = unary_checked<AbsoluteInteger, std::int64_t, std::int64_t>;
  all.push_back(absolute);
  Function sign = unary_function<Sign>("sign", UnitRule::pure);
  sign.keeps_integers = true;
  sign.integer = unary_plain<Sign, std::int64_t, std::int64_t>;
  all.push_back(sign);
  return all;
}

}  // namespace

std::span<const Function> functions() {
  static const std::vector<Function> all = all_functions();
  return all;
}

std::span<const NamedNumber> named_numbers() {
  // CODATA 2022 (https://physics.nist.gov/constants); those without uncertainty are exact in the SI of 2019.
  static constexpr std::array all{
      NamedNumber{"pi", std::numbers::pi_v<long double>, ""},
      NamedNumber{"euler", std::numbers::e_v<long double>, ""},
      NamedNumber{"inf", std::numeric_limits<long double>::infinity(), ""},
      NamedNumber{"nan", std::numeric_limits<long double>::quiet_NaN(), ""},
      NamedNumber{"c_light", 299792458.0L, "m/s"},
      NamedNumber{"e_charge", 1.602176634e-19L, "C"},
      NamedNumber{"h_planck", 6.62607015e-34L, "J s"},
      NamedNumber{"h_bar", 6.62607015e-34L / (2 * std::numbers::pi_v<long double>), "J s"},
      NamedNumber{"k_boltzmann", 1.380649e-23L, "J/K"},
      NamedNumber{"epsilon_0", 8.8541878188e-12L, "F/m"},
      NamedNumber{"mu_0", 1.25663706127e-6L, "N/A^2"},
      NamedNumber{"alpha_fine", 7.2973525643e-3L, ""},
      NamedNumber{"m_electron", 9.1093837139e-31L, "kg"},
      NamedNumber{"m_proton", 1.67262192595e-27L, "kg"},
      NamedNumber{"mc2_electron", 0.51099895069L, "MeV"},
      NamedNumber{"mc2_proton", 938.27208943L, "MeV"},
      NamedNumber{"r_electron", 2.8179403205e-15L, "m"},
  };
  return all;
}

}  // namespace quire::query
