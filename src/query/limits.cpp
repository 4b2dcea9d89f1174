#include "query/limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <variant>

namespace quire::query {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The values that a number can have, and whether it can be NaN.
struct Interval {
  double lower = -infinity;
  double upper = infinity;
  bool may_be_nan = true;

  [[nodiscard]] bool is_point() const { return lower == upper && !may_be_nan; }
};

/// The values that a condition can have.
struct Truth {
  bool may_be_true = true;
  bool may_be_false = true;
};

/// No value: a text, or anything that is not followed.
using Range = std::optional<std::variant<Interval, Truth>>;

/// An interval with limits that are rounded outwards; any number if a limit is NaN.
Interval rounded(double lower, double upper, bool may_be_nan) {
  if (std::isnan(lower) || std::isnan(upper)) return {};
  return {std::nextafter(lower, -infinity), std::nextafter(upper, infinity), may_be_nan};
}

Interval of_integer(std::int64_t number) {
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  const auto value = static_cast<double>(number);
  if (-exact <= number && number <= exact) return {value, value, false};
  return rounded(value, value, false);
}

Interval of_number(const Number& number) {
  if (const auto* integer = std::get_if<std::int64_t>(&number)) return of_integer(*integer);
  if (const auto* natural = std::get_if<std::uint64_t>(&number)) {
    const auto value = static_cast<double>(*natural);
    return rounded(value, value, false);
  }
  const double value = std::get<Decimal>(number).real;
  return rounded(value, value, false);
}

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

Interval arithmetic(Operation operation, const Interval& a, const Interval& b) {
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

class Limits {
 public:
  Limits(const Syntax& syntax, const Scope& scope, std::span<const ColumnLimits> limits)
      : syntax_(syntax), scope_(scope), limits_(limits) {}

  [[nodiscard]] Truth truth(std::uint32_t index) const {
    const Range range = range_of(syntax_.nodes[index]);
    const Truth* const truth = range ? std::get_if<Truth>(&*range) : nullptr;
    return truth != nullptr ? *truth : Truth{};
  }

 private:
  [[nodiscard]] Interval number(const Node& node, std::size_t operand) const {
    const Range range = range_of(syntax_.nodes[node.operands[operand]]);
    const Interval* const interval = range ? std::get_if<Interval>(&*range) : nullptr;
    return interval != nullptr ? *interval : Interval{};
  }
  [[nodiscard]] Truth truth(const Node& node, std::size_t operand) const { return truth(node.operands[operand]); }

  [[nodiscard]] Range range_of(const Node& node) const {
    switch (node.kind) {
      case Kind::number:
        return of_number(node.number);
      case Kind::truth: {
        const bool is_true = std::get<std::int64_t>(node.number) != 0;
        return Truth{is_true, !is_true};
      }
      case Kind::name:
        return name(node.text);
      case Kind::attribute:
        return attribute(node.text);
      case Kind::negate: {
        const Interval inner = number(node, 0);
        return Interval{-inner.upper, -inner.lower, inner.may_be_nan};
      }
      case Kind::invert:
        return inverse(truth(node, 0));
      case Kind::arithmetic:
        return arithmetic(node.operation, number(node, 0), number(node, 1));
      case Kind::comparison:
        return compare(node.operation, number(node, 0), number(node, 1));
      case Kind::between:
        return both(compare(Operation::greater_equal, number(node, 0), number(node, 1)),
                    compare(Operation::less_equal, number(node, 0), number(node, 2)));
      case Kind::member:
        return membership(node);
      case Kind::both:
        return both(truth(node, 0), truth(node, 1));
      case Kind::either:
        return either(truth(node, 0), truth(node, 1));
      case Kind::call:
        return call(node);
      case Kind::text:
      case Kind::like:
        break;
    }
    return std::nullopt;
  }

  [[nodiscard]] Range name(const std::string& text) const {
    const auto column = std::ranges::find(scope_.columns, text, &Quantity::name);
    if (column == scope_.columns.end()) return attribute(text);
    const auto limits = std::ranges::find(limits_, text, &ColumnLimits::column);
    if (limits == limits_.end() || std::isnan(limits->lower) || std::isnan(limits->upper)) return std::nullopt;
    return Interval{limits->lower, limits->upper, is_floating(column->type)};
  }

  [[nodiscard]] Range attribute(const std::string& text) const {
    const auto found = std::ranges::find(scope_.attributes, text, &Attribute::name);
    if (found == scope_.attributes.end() || found->value.count() != 1 || size_of(found->type) == 0 ||
        found->type == Type::character) {
      return std::nullopt;
    }
    const double value = found->value.converted_to(Type::float64, true).as_double(0);
    return rounded(value, value, false);
  }

  [[nodiscard]] Truth membership(const Node& node) const {
    Truth result{false, true};
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      result = either(result, compare(Operation::equal, number(node, 0), number(node, i)));
    }
    return result;
  }

  [[nodiscard]] Range call(const Node& node) const {
    if (node.operands.size() != 1) return std::nullopt;
    const Interval inner = number(node, 0);
    if (node.text == "abs") {
      const double lower = std::max({0.0, inner.lower, -inner.upper});
      return Interval{lower, std::max(-inner.lower, inner.upper), inner.may_be_nan};
    }
    if (node.text == "sqrt" && inner.upper >= 0) {
      return rounded(std::sqrt(std::max(0.0, inner.lower)), std::sqrt(inner.upper), true);
    }
    return std::nullopt;
  }

  const Syntax& syntax_;
  const Scope& scope_;
  std::span<const ColumnLimits> limits_;
};

}  // namespace

bool may_hold(const Syntax& syntax, const Scope& scope, std::span<const ColumnLimits> limits) {
  return Limits(syntax, scope, limits).truth(syntax.root).may_be_true;
}

}  // namespace quire::query
