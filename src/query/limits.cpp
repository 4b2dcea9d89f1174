#include "query/limits.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "query/intervals.hpp"
#include "query/loops.hpp"
#include "query/row_calls.hpp"

namespace quire::query {
namespace {

/// No value: a text, or anything that is not followed.
using Range = std::optional<std::variant<Interval, Truth>>;

/// Follows the numbers of an expression, and the integers that may have no result: those beyond int64, and remainders
/// of divisions by 0.
class Limits {
 public:
  Limits(const Syntax& syntax, const Scope& scope, std::span<const ColumnLimits> limits)
      : syntax_(syntax), scope_(scope), limits_(limits), root_(truth_in(range_of(syntax.nodes[syntax.root]))) {}

  [[nodiscard]] bool may_hold() const { return root_.may_be_true; }
  [[nodiscard]] bool must_hold() const { return !root_.may_be_false; }
  [[nodiscard]] bool may_fail() const { return may_fail_; }

 private:
  [[nodiscard]] static Truth truth_in(const Range& range) {
    const Truth* const found = range ? std::get_if<Truth>(&*range) : nullptr;
    return found != nullptr ? *found : Truth{};
  }
  [[nodiscard]] static Interval number_in(const Range& range) {
    if (!range) return {};
    const Interval* const found = std::get_if<Interval>(&*range);
    return found != nullptr ? *found : integers(0, 1);
  }

  [[nodiscard]] Range range(const Node& node, std::size_t operand) {
    return range_of(syntax_.nodes[node.operands[operand]]);
  }
  [[nodiscard]] Interval number(const Node& node, std::size_t operand) { return number_in(range(node, operand)); }
  [[nodiscard]] Truth truth(const Node& node, std::size_t operand) { return truth_in(range(node, operand)); }
  [[nodiscard]] std::vector<Interval> numbers(const Node& node) {
    std::vector<Interval> made;
    for (std::size_t i = 0; i < node.operands.size(); ++i) made.push_back(number(node, i));
    return made;
  }

  [[nodiscard]] Range range_of(const Node& node) {
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
      case Kind::negate:
        return negation(node);
      case Kind::invert:
        return inverse(truth(node, 0));
      case Kind::arithmetic:
        return computed(node);
      case Kind::comparison: {
        const Interval left = number(node, 0);
        return compare(node.operation, left, number(node, 1));
      }
      case Kind::between: {
        const Interval value = number(node, 0);
        const Truth above = compare(Operation::greater_equal, value, number(node, 1));
        return both(above, compare(Operation::less_equal, value, number(node, 2)));
      }
      case Kind::member:
        return membership(node);
      case Kind::both: {
        const Truth left = truth(node, 0);
        return both(left, truth(node, 1));
      }
      case Kind::either: {
        const Truth left = truth(node, 0);
        return either(left, truth(node, 1));
      }
      case Kind::call:
        return is_row_call(node) ? row_call(node) : call(node);
      case Kind::text:
        return std::nullopt;
      case Kind::like:
        return like(node);
    }
    return std::nullopt;
  }

  /// The same number, which fails if it is a natural one beyond int64 that is computed with integers.
  Interval operand(const Interval& a, Lane lane = Lane::integer) {
    if (lane == Lane::integer && a.lane == Lane::natural && !a.is_within_int64()) may_fail_ = true;
    return a;
  }

  /// The same result, which fails if it is an integer beyond int64.
  Interval result(const Interval& a) {
    if (a.lane == Lane::integer && !a.is_within_int64()) may_fail_ = true;
    return a;
  }

  [[nodiscard]] Range name(const std::string& text) {
    const auto column = std::ranges::find(scope_.columns, text, &Quantity::name);
    if (column != scope_.columns.end()) return values_of(*column);
    if (const Range found = attribute(text)) return found;
    if (text == "row") return rows();
    for (const auto& [word, counter] :
         {std::pair("step", scope_.step), std::pair("page", scope_.page), std::pair("rows", scope_.rows)}) {
      if (text == word && counter) return of_integer(*counter);
    }
    const auto named = std::ranges::find(named_numbers(), text, &NamedNumber::name);
    if (named == named_numbers().end()) return std::nullopt;
    return rounded(static_cast<double>(named->value), static_cast<double>(named->value), std::isnan(named->value));
  }

  [[nodiscard]] Range values_of(const Quantity& column) const {
    const Lane lane = lane_of(column.type);
    if (lane == Lane::text) return std::nullopt;
    const auto limits = std::ranges::find(limits_, column.name, &ColumnLimits::column);
    if (limits == limits_.end() || std::isnan(limits->lower) || std::isnan(limits->upper)) return of_type(column.type);
    const bool may_be_nan = is_floating(column.type) && limits->may_be_nan;
    return Interval{limits->lower, limits->upper, may_be_nan, lane == Lane::extended ? Lane::real : lane};
  }

  [[nodiscard]] Range attribute(const std::string& text) const {
    const auto found = std::ranges::find(scope_.attributes, text, &Attribute::name);
    if (found == scope_.attributes.end() || found->value.count() != 1 || size_of(found->type) == 0 ||
        found->type == Type::character) {
      return std::nullopt;
    }
    const double value = found->value.converted_to(Type::float64, true).as_double(0);
    Interval made = rounded(value, value, false);
    if (!is_floating(found->type)) made.lane = lane_of(found->type);
    return made;
  }

  [[nodiscard]] Range negation(const Node& node) {
    const auto* const natural = std::get_if<std::uint64_t>(&syntax_.nodes[node.operands[0]].number);
    if (natural != nullptr && *natural == std::uint64_t{1} << 63U) return integers(-0x1p63, -0x1p63);
    const Interval inner = number(node, 0);
    return result(negative(operand(inner)));
  }

  [[nodiscard]] Range computed(const Node& node) {
    const Interval left = number(node, 0);
    const Interval right = number(node, 1);
    const Interval made = arithmetic(node.operation, left, right);
    if (made.is_real()) return made;
    operand(left);
    operand(right);
    if (node.operation == Operation::remainder && right.lower <= 0 && right.upper >= 0) may_fail_ = true;
    return node.operation == Operation::remainder ? made : result(made);
  }

  [[nodiscard]] Truth membership(const Node& node) {
    const Interval value = number(node, 0);
    Truth found{false, true};
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      found = either(found, compare(Operation::equal, value, number(node, i)));
    }
    return found;
  }

  /// Texts are not followed, but conditions that choose between them are.
  [[nodiscard]] Range like(const Node& node) {
    for (std::size_t i = 0; i < node.operands.size(); ++i) (void)range(node, i);
    return std::nullopt;
  }

  [[nodiscard]] Range call(const Node& node) {
    const std::vector<Interval> values = numbers(node);
    if (values.empty()) return std::nullopt;
    const Interval& inner = values.front();
    if (node.text == "where" && values.size() == 3) {
      const Interval made = either(values[1], values[2]);
      operand(values[1], made.lane);
      operand(values[2], made.lane);
      return made;
    }
    if (node.text == "as_unit") return inner;
    if (node.text == "length") return integers(0, 0x1p53);
    if (node.text == "float") return Interval{inner.lower, inner.upper, inner.may_be_nan};
    if (node.text == "int") return whole(inner);
    const auto function = std::ranges::find(functions(), node.text, &Function::name);
    if (function == functions().end() || function->answers) return std::nullopt;
    const bool is_real = !function->keeps_integers || std::ranges::any_of(values, &Interval::is_real);
    return is_real ? real_function(node.text, inner) : integer_function(node.text, values);
  }

  [[nodiscard]] Interval whole(const Interval& inner) {
    if (inner.may_be_nan || !inner.is_within_int64()) may_fail_ = may_fail_ || inner.lane != Lane::integer;
    return integers(std::trunc(inner.lower), std::trunc(inner.upper));
  }

  [[nodiscard]] static Interval real_function(std::string_view name, const Interval& inner) {
    if (name == "abs") return absolute(inner);
    if (name == "sqrt" && inner.upper >= 0) {
      return rounded(std::sqrt(std::max(0.0, inner.lower)), std::sqrt(inner.upper), true);
    }
    return {};
  }

  [[nodiscard]] Interval integer_function(std::string_view name, const std::vector<Interval>& values) {
    Interval all = values.front();
    for (const Interval& one : values) all = either(all, operand(one));
    all.lane = Lane::integer;
    if (name == "abs") return result(absolute(all));
    if (name == "sign") return integers(-1, 1);
    constexpr std::array within{"min", "max", "floor", "ceil", "trunc", "round"};
    return std::ranges::find(within, name) != within.end() ? all : of_type(Type::int64);
  }

  /// The value depends on all rows, of which these limits are not known. No block decides whether it fails.
  [[nodiscard]] Range row_call(const Node& node) {
    const auto limits = std::exchange(limits_, {});
    const std::vector<Interval> values = numbers(node);
    limits_ = limits;
    if (values.empty()) return std::nullopt;
    const Interval& inner = values.front();
    const std::string_view name = node.text;
    if (name == "mean" || name == "std" || name == "rms") return Interval{};
    if (name == "count") return rows();
    if (name == "any" || name == "all") return integers(0, 1);
    if (inner.is_real()) return Interval{};
    constexpr std::array of_values{"min", "max", "median", "first", "last", "at_max", "at_min", "cummin", "cummax"};
    if (std::ranges::find(of_values, name) != of_values.end()) return inner;
    if (name == "lag" || name == "lead") return of_type(Type::int64);
    if (name == "sum") return result(arithmetic(Operation::multiply, inner, rows()));
    may_fail_ = true;
    return of_type(Type::int64);
  }

  /// Numbers of rows of the table.
  [[nodiscard]] Interval rows() const {
    constexpr std::int64_t most = std::int64_t{1} << 62U;
    return integers(0, static_cast<double>(scope_.rows.value_or(most)));
  }

  const Syntax& syntax_;
  const Scope& scope_;
  std::span<const ColumnLimits> limits_;
  bool may_fail_ = false;
  Truth root_;  // found last, because the others are used and changed by it
};

}  // namespace

bool may_hold(const Syntax& syntax, const Scope& scope, std::span<const ColumnLimits> limits) {
  const Limits found(syntax, scope, limits);
  return found.may_hold() || found.may_fail();
}

bool must_hold(const Syntax& syntax, const Scope& scope, std::span<const ColumnLimits> limits) {
  const Limits found(syntax, scope, limits);
  return found.must_hold() && !found.may_fail();
}

bool may_fail(const Syntax& syntax, const Scope& scope, std::span<const ColumnLimits> limits) {
  return Limits(syntax, scope, limits).may_fail();
}

}  // namespace quire::query
