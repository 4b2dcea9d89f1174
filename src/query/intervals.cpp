#include "query/intervals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

namespace quire::query {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The limits of values that are computed from those of two operands, in any combination.
Interval hull(const std::array<double, 4>& corners, bool may_be_nan) {
  if (std::ranges::any_of(corners, [](double corner) { return std::isnan(corner); })) return {};
  return rounded(std::ranges::min(corners), std::ranges::max(corners), may_be_nan);
}

Interval square(const Interval& a) {
  const double lower = a.lower <= 0 && a.upper >= 0 ? 0 : std::min(std::abs(a.lower), std::abs(a.upper));
  const double upper = std::max(std::abs(a.lower), std::abs(a.upper));
  return rounded(lower * lower, upper * upper, a.may_be_nan);
}

/// The result has the sign of the divisor and is nearer to 0.
Interval integer_remainder(const Interval& divisor) {
  return integers(std::min(0.0, divisor.lower), std::max(0.0, divisor.upper));
}

Interval computed(Operation operation, const Interval& a, const Interval& b) {
  // Infinite values can make NaN of numbers.
  const bool is_finite =
      std::isfinite(a.lower) && std::isfinite(a.upper) && std::isfinite(b.lower) && std::isfinite(b.upper);
  const bool may_be_nan = a.may_be_nan || b.may_be_nan || !is_finite;
  switch (operation) {
    case Operation::add:
      return rounded(a.lower + b.lower, a.upper + b.upper, may_be_nan);
    case Operation::subtract:
      return rounded(a.lower - b.upper, a.upper - b.lower, may_be_nan);
    case Operation::multiply:
      return hull({a.lower * b.lower, a.lower * b.upper, a.upper * b.lower, a.upper * b.upper}, may_be_nan);
    case Operation::divide:
      if (b.lower <= 0 && b.upper >= 0) return {};
      return hull({a.lower / b.lower, a.lower / b.upper, a.upper / b.lower, a.upper / b.upper}, may_be_nan);
    case Operation::power:
      return b.is_point() && b.lower == 2 ? square(a) : Interval{};
    default:
      return {};
  }
}

}  // namespace

Interval rounded(double lower, double upper, bool may_be_nan) {
  if (std::isnan(lower) || std::isnan(upper)) return {};
  return {std::nextafter(lower, -infinity), std::nextafter(upper, infinity), may_be_nan};
}

Interval integers(double lower, double upper) { return {lower, upper, false, Lane::integer}; }

Interval of_integer(std::int64_t number) {
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  const auto value = static_cast<double>(number);
  if (-exact <= number && number <= exact) return integers(value, value);
  return integers(std::nextafter(value, -infinity), std::nextafter(value, infinity));
}

Interval of_number(const Number& number) {
  if (const auto* integer = std::get_if<std::int64_t>(&number)) return of_integer(*integer);
  if (const auto* natural = std::get_if<std::uint64_t>(&number)) {
    const auto value = static_cast<double>(*natural);
    return {std::nextafter(value, -infinity), std::nextafter(value, infinity), false, Lane::natural};
  }
  const double value = std::get<Decimal>(number).real;
  return rounded(value, value, false);
}

Interval of_type(Type type) {
  if (is_floating(type)) return {};
  const int bits = static_cast<int>(8 * size_of(type));
  switch (type) {
    case Type::uint8:
    case Type::uint16:
    case Type::uint32:
      return integers(0, std::ldexp(1, bits));
    case Type::uint64:
      return {0, std::ldexp(1, bits), false, Lane::natural};
    default:
      return integers(-std::ldexp(1, bits - 1), std::ldexp(1, bits - 1));
  }
}

Lane joint_lane(const Interval& a, const Interval& b) {
  return a.is_real() || b.is_real() ? Lane::real : Lane::integer;
}

Interval either(const Interval& a, const Interval& b) {
  const Lane lane = a.lane == b.lane ? a.lane : joint_lane(a, b);
  return {std::min(a.lower, b.lower), std::max(a.upper, b.upper), a.may_be_nan || b.may_be_nan, lane};
}

Interval negative(const Interval& a) { return {-a.upper, -a.lower, a.may_be_nan, joint_lane(a, a)}; }

Interval absolute(const Interval& a) {
  const double lower = std::max({0.0, a.lower, -a.upper});
  return {lower, std::max(-a.lower, a.upper), a.may_be_nan, joint_lane(a, a)};
}

Interval arithmetic(Operation operation, const Interval& a, const Interval& b) {
  const bool is_real = operation == Operation::divide || operation == Operation::power;
  if (is_real || joint_lane(a, b) == Lane::real) return computed(operation, a, b);
  if (operation == Operation::remainder) return integer_remainder(b);
  const Interval made = computed(operation, a, b);
  return integers(made.lower, made.upper);
}

Truth compare(Operation operation, const Interval& a, const Interval& b) {
  const bool may_be_nan = a.may_be_nan || b.may_be_nan;
  switch (operation) {
    case Operation::less:
      return {a.lower < b.upper, may_be_nan || a.upper >= b.lower};
    case Operation::less_equal:
      return {a.lower <= b.upper, may_be_nan || a.upper > b.lower};
    case Operation::greater:
      return compare(Operation::less, b, a);
    case Operation::greater_equal:
      return compare(Operation::less_equal, b, a);
    case Operation::equal:
      return {a.lower <= b.upper && b.lower <= a.upper, !(a.is_point() && b.is_point() && a.lower == b.lower)};
    case Operation::not_equal: {
      // NaN satisfies no comparison.
      const bool is_one_value = a.lower == a.upper && b.lower == b.upper && a.lower == b.lower;
      return {!is_one_value, may_be_nan || compare(Operation::equal, a, b).may_be_true};
    }
    default:
      return {};
  }
}

Truth both(const Truth& a, const Truth& b) {
  return {a.may_be_true && b.may_be_true, a.may_be_false || b.may_be_false};
}

Truth inverse(const Truth& a) { return {a.may_be_false, a.may_be_true}; }

Truth either(const Truth& a, const Truth& b) { return inverse(both(inverse(a), inverse(b))); }

}  // namespace quire::query
