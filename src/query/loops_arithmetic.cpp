#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>
#include <type_traits>

#include "query/loop_bodies.hpp"
#include "query/loops.hpp"

namespace quire::query {
namespace {

struct CheckedAdd {
  bool operator()(std::int64_t a, std::int64_t b, std::int64_t* out) const {
    return !__builtin_add_overflow(a, b, out);
  }
};
struct CheckedSubtract {
  bool operator()(std::int64_t a, std::int64_t b, std::int64_t* out) const {
    return !__builtin_sub_overflow(a, b, out);
  }
};
struct CheckedMultiply {
  bool operator()(std::int64_t a, std::int64_t b, std::int64_t* out) const {
    return !__builtin_mul_overflow(a, b, out);
  }
};
/// The remainder has the sign of the divisor.
struct CheckedRemainder {
  bool operator()(std::int64_t a, std::int64_t b, std::int64_t* out) const {
    if (b == 0) return false;
    *out = b == -1 ? 0 : a % b;
    if (*out != 0 && (*out < 0) != (b < 0)) *out += b;
    return true;
  }
};
struct CheckedNegate {
  bool operator()(std::int64_t a, std::int64_t* out) const { return !__builtin_sub_overflow(std::int64_t{0}, a, out); }
};

struct Remainder {
  template <class Real>
  Real operator()(Real a, Real b) const {
    Real rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(Real{0}, b);
    if ((rest < 0) != (b < 0)) rest += b;
    return rest;
  }
};
struct Power {
  template <class Real>
  Real operator()(Real a, Real b) const {
    return std::pow(a, b);
  }
};
struct Square {
  template <class Real>
  Real operator()(Real a) const {
    return a * a;
  }
};

template <class Real>
Loop floating_loop(Operation operation) {
  switch (operation) {
    case Operation::add:
      return binary<std::plus<Real>, Real, Real, Real>();
    case Operation::subtract:
      return binary<std::minus<Real>, Real, Real, Real>();
    case Operation::multiply:
      return binary<std::multiplies<Real>, Real, Real, Real>();
    case Operation::divide:
      return binary<std::divides<Real>, Real, Real, Real>();
    case Operation::remainder:
      return binary_plain<Remainder, Real, Real, Real>;
    case Operation::power:
      return binary_plain<Power, Real, Real, Real>;
    default:
      return nullptr;
  }
}

Loop integer_loop(Operation operation) {
  switch (operation) {
    case Operation::add:
      return binary_checked<CheckedAdd, std::int64_t>;
    case Operation::subtract:
      return binary_checked<CheckedSubtract, std::int64_t>;
    case Operation::multiply:
      return binary_checked<CheckedMultiply, std::int64_t>;
    case Operation::remainder:
      return binary_checked<CheckedRemainder, std::int64_t>;
    default:
      return nullptr;
  }
}

template <class To>
struct Cast {
  template <class From>
  To operator()(From value) const {
    if constexpr (std::is_same_v<To, std::uint8_t>) {
      return value != 0 ? 1 : 0;
    } else {
      return static_cast<To>(value);
    }
  }
};

/// To integers: truncated towards zero; no result if it does not fit.
struct ToInteger {
  bool operator()(std::uint64_t value, std::int64_t* out) const {
    *out = static_cast<std::int64_t>(value);
    return value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  }
  template <class Real>
  requires std::is_floating_point_v<Real>
  bool operator()(Real value, std::int64_t* out) const {
    if (!(value >= Real{-0x1p63L} && value < Real{0x1p63L})) return false;
    *out = static_cast<std::int64_t>(value);
    return true;
  }
};

template <class From>
Loop cast_from(Lane to) {
  switch (to) {
    case Lane::truth:
      return unary_plain<Cast<std::uint8_t>, From, std::uint8_t>;
    case Lane::integer:
      if constexpr (std::is_same_v<From, std::uint8_t>) {
        return unary_plain<Cast<std::int64_t>, From, std::int64_t>;
      } else if constexpr (!std::is_same_v<From, std::int64_t>) {
        return unary_checked<ToInteger, From, std::int64_t>;
      } else {
        return nullptr;
      }
    case Lane::real:
      return unary_plain<Cast<double>, From, double>;
    case Lane::extended:
      return unary_plain<Cast<long double>, From, long double>;
    default:
      return nullptr;
  }
}

template <class Value>
std::size_t choose(const Call& call) {
  const auto* const condition = operand<std::uint8_t>(call, 0);
  const auto* const left = operand<Value>(call, 1);
  const auto* const right = operand<Value>(call, 2);
  auto* const out = result<Value>(call);
  const std::size_t condition_step = call.single[0] ? 0 : 1;
  const std::size_t left_step = call.single[1] ? 0 : 1;
  const std::size_t right_step = call.single[2] ? 0 : 1;
  for (std::size_t i = 0; i < call.count; ++i) {
    const Value& chosen = condition[i * condition_step] != 0 ? left[i * left_step] : right[i * right_step];
    out[i] = chosen;
  }
  return call.count;
}

}  // namespace

Loop arithmetic_loop(Operation operation, Lane lane) {
  if (lane == Lane::integer) return integer_loop(operation);
  if (lane == Lane::real) return floating_loop<double>(operation);
  if (lane == Lane::extended) return floating_loop<long double>(operation);
  return nullptr;
}

Loop square_loop(Lane lane) {
  if (lane == Lane::real) return unary<Square, double, double>();
  if (lane == Lane::extended) return unary_plain<Square, long double, long double>;
  return nullptr;
}

Loop negation_loop(Lane lane) {
  if (lane == Lane::integer) return unary_checked<CheckedNegate, std::int64_t, std::int64_t>;
  if (lane == Lane::real) return unary<std::negate<double>, double, double>();
  if (lane == Lane::extended) return unary_plain<std::negate<long double>, long double, long double>;
  return nullptr;
}

Loop cast_loop(Lane from, Lane to) {
  switch (from) {
    case Lane::truth:
      return cast_from<std::uint8_t>(to);
    case Lane::integer:
      return cast_from<std::int64_t>(to);
    case Lane::natural:
      return cast_from<std::uint64_t>(to);
    case Lane::real:
      return cast_from<double>(to);
    case Lane::extended:
      return cast_from<long double>(to);
    case Lane::text:
      break;
  }
  return nullptr;
}

Loop choice_loop(Lane lane) {
  switch (lane) {
    case Lane::truth:
      return choose<std::uint8_t>;
    case Lane::integer:
      return choose<std::int64_t>;
    case Lane::natural:
      return choose<std::uint64_t>;
    case Lane::real:
      return choose<double>;
    case Lane::extended:
      return choose<long double>;
    case Lane::text:
      return choose<std::string_view>;
  }
  return nullptr;
}

}  // namespace quire::query
