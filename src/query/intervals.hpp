#pragma once

#include <cstdint>
#include <limits>

#include "query/program.hpp"
#include "query/syntax.hpp"

namespace quire::query {

/// The values that a number can have, whether it can be NaN, and the lane in which it is computed: integer, natural or
/// real, also for long double.
struct Interval {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  bool may_be_nan = true;
  Lane lane = Lane::real;

  [[nodiscard]] bool is_point() const { return lower == upper && !may_be_nan; }
  [[nodiscard]] bool is_real() const { return lane == Lane::real; }
  /// Whether all values are far enough inside int64 that rounded limits do not matter.
  [[nodiscard]] bool is_within_int64() const { return lower > -0x1p63 && upper < 0x1p63; }
};

/// The values that a condition can have.
struct Truth {
  bool may_be_true = true;
  bool may_be_false = true;
};

/// Real numbers with these limits, which are rounded outwards; any number if a limit is NaN.
[[nodiscard]] Interval rounded(double lower, double upper, bool may_be_nan);
[[nodiscard]] Interval integers(double lower, double upper);
[[nodiscard]] Interval of_integer(std::int64_t number);
[[nodiscard]] Interval of_number(const Number& number);
/// All values of a type of numbers.
[[nodiscard]] Interval of_type(Type type);

/// The lane in which numbers of both are computed.
[[nodiscard]] Lane joint_lane(const Interval& a, const Interval& b);
/// The values of either.
[[nodiscard]] Interval either(const Interval& a, const Interval& b);
[[nodiscard]] Interval negative(const Interval& a);
[[nodiscard]] Interval absolute(const Interval& a);
/// Without regard to the limits of int64.
[[nodiscard]] Interval arithmetic(Operation operation, const Interval& a, const Interval& b);

[[nodiscard]] Truth compare(Operation operation, const Interval& a, const Interval& b);
[[nodiscard]] Truth both(const Truth& a, const Truth& b);
[[nodiscard]] Truth inverse(const Truth& a);
[[nodiscard]] Truth either(const Truth& a, const Truth& b);

}  // namespace quire::query
