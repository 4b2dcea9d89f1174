#include "query/compile.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "model/conversion.hpp"
#include "model/near_names.hpp"
#include "query/builder.hpp"
#include "query/normal_form.hpp"
#include "query/row_calls.hpp"
#include "quire/spi/base/load.hpp"
#include "quire/spi/model/dispatch.hpp"

namespace quire::query {
namespace {

constexpr const char* overflow = "the result is beyond int64; use float(...) for floating numbers";
constexpr std::size_t longest_chain = 8;  // members of a list that are compared one by one
constexpr std::size_t longest_mixed_list = 1000;

/// A bare number or text of an attribute as a constant.
Part constant_part(Builder& builder, const Value& value, const Unit& unit) {
  if (value.type() == Type::string || value.type() == Type::character) return builder.text(value.as_text());
  return visit_type(value.type(), [&](auto type) -> Part {
    using Number = typename decltype(type)::type;
    const auto number = load_at<Number>(value.bytes().data());
    if constexpr (std::is_same_v<Number, std::uint64_t>) {
      return builder.constant(Lane::natural, number, unit);
    } else if constexpr (std::is_same_v<Number, long double>) {
      return builder.constant(Lane::extended, number, unit);
    } else if constexpr (std::is_floating_point_v<Number>) {
      return builder.constant(Lane::real, static_cast<double>(number), unit);
    } else {
      return builder.constant(Lane::integer, static_cast<std::int64_t>(number), unit);
    }
  });
}

class Compiler {
 public:
  Compiler(const Syntax& syntax, const Scope& scope)
      : syntax_(syntax), scope_(scope), program_(std::make_shared<Program>()), builder_(*program_) {
    program_->text = syntax.text;
  }

  std::shared_ptr<const Program> run(std::uint32_t index) {
    const Node& root = syntax_.nodes[index];
    const Part result = build(index);
    const Slot& slot = program_->slots[result.slot];
    program_->result = result.slot;
    program_->type = slot.place == Slot::Place::column ? program_->types[slot.index] : type_of(result.lane);
    program_->is_constant = slot.place == Slot::Place::constant;
    program_->unit = result.unit.text();
    program_->is_pure = result.unit.is_pure();
    program_->value_instructions = program_->instructions.size();
    program_->is_condition = result.lane == Lane::truth || result.lane == Lane::integer || result.lane == Lane::natural;
    if (program_->is_condition) program_->condition = builder_.cast(root, result, Lane::truth).slot;
    return program_;
  }

 private:
  [[nodiscard]] const Node& operand(const Node& node, std::size_t which) const {
    return syntax_.nodes[node.operands[which]];
  }
  [[noreturn]] void fail(const Node& node, ErrorKind kind, const std::string& message) const {
    throw error_at(kind, syntax_.text, node.position, node.length, message);
  }

  Part build(std::uint32_t index) {
    const Node& node = syntax_.nodes[index];
    return builder_.scoped([&] { return part_of(node, index); });
  }
  Part build_operand(const Node& node, std::size_t which) { return build(node.operands[which]); }
  /// An operand that is compared with a part: an unknown name beside a text may be a text without quotes.
  Part build_compared(const Node& node, std::size_t which, const Part& other) {
    is_beside_text_ = other.lane == Lane::text;
    const Part made = build_operand(node, which);
    is_beside_text_ = false;
    return made;
  }

  Part part_of(const Node& node, std::uint32_t index) {
    switch (node.kind) {
      case Kind::number:
        return number(node);
      case Kind::text:
        return builder_.text(node.text);
      case Kind::truth:
        return builder_.constant(Lane::truth, static_cast<std::uint8_t>(std::get<std::int64_t>(node.number)),
                                 Unit::pure());
      case Kind::name:
        return name(node);
      case Kind::attribute:
        return attribute(node);
      case Kind::negate:
        return negation(node);
      case Kind::invert: {
        const Part inner = condition(operand(node, 0), build_operand(node, 0));
        return builder_.emit(node, inversion_loop(), {&inner, 1}, Lane::truth, Unit::pure());
      }
      case Kind::arithmetic:
        return arithmetic(node);
      case Kind::comparison: {
        const Part left = build_operand(node, 0);
        return compare(node, node.operation, left, build_compared(node, 1, left));
      }
      case Kind::like:
        return like(node);
      case Kind::member:
        return membership_of(node);
      case Kind::between:
        return between(node);
      case Kind::both:
      case Kind::either:
        return joined(node);
      case Kind::call:
        return is_row_call(node) ? row_call(index) : call(node);
    }
    throw Error(ErrorKind::internal, "an expression has a node of no kind");
  }

  Part joined(const Node& node) {
    const bool is_both = node.kind == Kind::both;
    const Part left = condition(operand(node, 0), build_operand(node, 0));
    const std::size_t mark = builder_.instructions();
    const std::array sides{left, condition(operand(node, 1), build_operand(node, 1))};
    Part result = builder_.emit(node, is_both ? both_loop() : either_loop(), sides, Lane::truth, Unit::pure());
    builder_.skip_if(left, !is_both, mark, result);
    return result;
  }

  Part number(const Node& node) {
    if (const auto* integer = std::get_if<std::int64_t>(&node.number)) {
      return builder_.constant(Lane::integer, *integer, Unit::pure());
    }
    if (const auto* natural = std::get_if<std::uint64_t>(&node.number)) {
      return builder_.constant(Lane::natural, *natural, Unit::pure());
    }
    const auto& decimal = std::get<Decimal>(node.number);
    Part part = builder_.constant(Lane::real, decimal.real, Unit::pure());
    part.exact = decimal.extended;
    return part;
  }

  Part name(const Node& node) {
    const auto column = std::ranges::find(scope_.columns, node.text, &Quantity::name);
    if (column != scope_.columns.end()) return builder_.column(column->name, column->type, Unit::of(column->unit));
    if (const Attribute* found = find_attribute(node.text)) return attribute_part(node, *found);
    if (node.text == "row") return builder_.row_number();
    for (const auto& [word, number] :
         {std::pair("step", scope_.step), std::pair("page", scope_.page), std::pair("rows", scope_.rows)}) {
      if (node.text == word && number) return builder_.constant(Lane::integer, *number, Unit::pure());
    }
    for (const NamedNumber& one : named_numbers()) {
      if (one.name != node.text) continue;
      const Unit unit = one.unit.empty() ? Unit::pure() : Unit::of(std::string(one.unit));
      Part part = builder_.constant(Lane::real, static_cast<double>(one.value), unit);
      part.exact = one.value;
      return part;
    }
    for (const Function& function : functions()) {
      if (function.name == node.text) fail(node, ErrorKind::missing, "a function needs arguments in parentheses");
    }
    fail_at_missing(node);
  }

  [[noreturn]] void fail_at_missing(const Node& node) const {
    std::vector<std::string> known = names_of(scope_.columns);
    for (std::string& one : names_of(scope_.attributes)) known.push_back(std::move(one));
    std::vector<std::string> constants;
    for (const NamedNumber& one : named_numbers()) constants.emplace_back(one.name);
    std::vector<std::string> all = known;
    if (!scope_.columns.empty()) all.emplace_back("row");
    for (const auto& [word, number] :
         {std::pair("step", scope_.step), std::pair("page", scope_.page), std::pair("rows", scope_.rows)}) {
      if (number) all.emplace_back(word);
    }
    const bool has_only_constants = all.empty();
    all.insert(all.end(), constants.begin(), constants.end());
    std::string hint = near_names(node.text, all).empty() ? listed_names(has_only_constants ? constants : known)
                                                          : nearest_names(node.text, all);
    if (const std::string word = reserved_like(node.text); !word.empty()) hint = "; write " + word;
    if (is_beside_text_) hint += "; a text is written in quotes: '" + node.text + "'";
    const std::string what = has_only_constants ? "constant" : "column or attribute";
    fail(node, ErrorKind::missing, "there is no " + what + " \"" + node.text + "\"" + hint);
  }

  template <class Items>
  static std::vector<std::string> names_of(const Items& items) {
    std::vector<std::string> names;
    names.reserve(items.size());
    for (const auto& item : items) names.push_back(item.name);
    return names;
  }

  [[nodiscard]] const Attribute* find_attribute(const std::string& name) const {
    const auto found = std::ranges::find(scope_.attributes, name, &Attribute::name);
    return found == scope_.attributes.end() ? nullptr : &*found;
  }

  Part attribute(const Node& node) {
    if (const Attribute* found = find_attribute(node.text)) return attribute_part(node, *found);
    fail(node, ErrorKind::missing,
         "there is no attribute \"" + node.text + "\"" + nearest_names(node.text, names_of(scope_.attributes)));
  }

  Part attribute_part(const Node& node, const Attribute& found) {
    if (found.value.count() != 1) {
      fail(node, ErrorKind::usage,
           "the attribute has " + std::to_string(found.value.count()) + " values; only single ones have a place here");
    }
    return constant_part(builder_, found.value, Unit::of(found.unit));
  }

  /// The lane in which numbers of both are computed.
  [[nodiscard]] static Lane joint_lane(Lane left, Lane right) {
    const auto rank = [](Lane lane) { return lane == Lane::extended ? 2 : lane == Lane::real ? 1 : 0; };
    switch (std::max(rank(left), rank(right))) {
      case 2:
        return Lane::extended;
      case 1:
        return Lane::real;
      default:
        return Lane::integer;
    }
  }

  void expect_number(const Node& node, const Part& part) const {
    if (part.lane == Lane::text) fail(node, ErrorKind::usage, "this is text, where a number is expected");
  }

  void expect_agreement(const Node& node, const Part& left, const Part& right) const {
    if (left.unit.agrees_with(right.unit)) return;
    fail(node, ErrorKind::usage,
         "the units differ: " + left.unit.text() + " and " + right.unit.text() +
             "; convert one side by a factor and say as_unit(..., \"" + left.unit.text() + "\")");
  }

  /// A truth; integers other than 0 count as true.
  Part condition(const Node& node, const Part& part) {
    if (part.lane == Lane::text || part.lane == Lane::real || part.lane == Lane::extended) {
      fail(node, ErrorKind::usage, "a condition is expected here: compare the value with something");
    }
    return builder_.cast(node, part, Lane::truth);
  }

  Part negation(const Node& node) {
    Part inner = build_operand(node, 0);
    expect_number(operand(node, 0), inner);
    constexpr std::uint64_t lowest = std::uint64_t{1} << 63;
    if (inner.lane == Lane::natural && builder_.is_constant(inner) &&
        builder_.value_of<std::uint64_t>(inner) == lowest) {
      return builder_.constant(Lane::integer, std::numeric_limits<std::int64_t>::min(), inner.unit);
    }
    const Part ready = builder_.cast(node, inner, joint_lane(inner.lane, inner.lane));
    Part result = builder_.emit(node, negation_loop(ready.lane), {&ready, 1}, ready.lane, inner.unit, overflow);
    if (inner.exact) result.exact = -*inner.exact;
    return result;
  }

  Part arithmetic(const Node& node) {
    const Part left = build_operand(node, 0);
    const Part right = build_operand(node, 1);
    expect_number(operand(node, 0), left);
    expect_number(operand(node, 1), right);
    Lane lane = joint_lane(left.lane, right.lane);
    const bool is_real = node.operation == Operation::divide || node.operation == Operation::power;
    if (is_real && lane == Lane::integer) lane = Lane::real;
    const Unit unit = unit_of(node, left, right);
    const std::array sides{builder_.cast(operand(node, 0), left, lane), builder_.cast(operand(node, 1), right, lane)};
    if (node.operation == Operation::power && is_two(sides[1])) {
      return builder_.emit(node, square_loop(lane), {sides.data(), 1}, lane, unit);
    }
    const char* failure = node.operation == Operation::remainder ? "the remainder of a division by 0" : overflow;
    return builder_.emit(node, arithmetic_loop(node.operation, lane), sides, lane, unit, failure);
  }

  [[nodiscard]] bool is_two(const Part& part) const {
    if (!builder_.is_constant(part)) return false;
    return part.lane == Lane::real ? builder_.value_of<double>(part) == 2 : builder_.value_of<long double>(part) == 2;
  }

  /// Whether a part is a constant that belongs to every unit: 0, an infinity or not a number.
  [[nodiscard]] bool is_of_any_unit(const Part& part) const {
    if (!builder_.is_constant(part)) return false;
    if (part.lane == Lane::integer) return builder_.value_of<std::int64_t>(part) == 0;
    if (part.lane != Lane::real) return false;
    const double value = builder_.value_of<double>(part);
    return value == 0 || !std::isfinite(value);
  }

  /// The unit of a sum. A number and a quantity in m_e c or rad, which count as 1, are a number; that of a number and a
  /// quantity in another unit is unknown, with a warning.
  Unit unit_of_sum(const Node& node, const Part& left, const Part& right) {
    expect_agreement(node, left, right);
    const bool is_mixed = left.unit.is_pure() ? right.unit.is_known() : left.unit.is_known() && right.unit.is_pure();
    if (!is_mixed) return left.unit.or_of(right.unit);
    const Part& number = left.unit.is_pure() ? left : right;
    const Unit& unit = left.unit.is_pure() ? right.unit : left.unit;
    if (is_of_any_unit(number)) return unit;
    if (unit.is_one()) return Unit::pure();
    warn("\"" + syntax_.text + "\" adds a number to a quantity in " + unit.text() +
         ": the result has no unit; as_unit(1, \"" + unit.text() + "\") is a number with a unit");
    return Unit::unknown();
  }

  void warn(std::string sentence) {
    if (std::ranges::find(program_->warnings, sentence) == program_->warnings.end()) {
      program_->warnings.push_back(std::move(sentence));
    }
  }

  Unit unit_of(const Node& node, const Part& left, const Part& right) {
    switch (node.operation) {
      case Operation::multiply:
        return left.unit.times(right.unit);
      case Operation::divide:
        return left.unit.over(right.unit);
      case Operation::power: {
        const Part exponent = builder_.cast(node, right, joint_lane(right.lane, Lane::real));
        if (!builder_.is_constant(exponent)) return left.unit.to_the(std::nan(""));
        return left.unit.to_the(exponent.lane == Lane::real
                                    ? builder_.value_of<double>(exponent)
                                    : static_cast<double>(builder_.value_of<long double>(exponent)));
      }
      case Operation::add:
      case Operation::subtract:
        return unit_of_sum(node, left, right);
      default:
        expect_agreement(node, left, right);
        return left.unit.or_of(right.unit);
    }
  }

  /// A constant in another lane, if it has an equal there.
  std::optional<Part> equal_in(const Node& node, const Part& part, Lane lane) {
    const auto fits_in = [&](auto value) {
      switch (lane) {
        case Lane::integer:
          return fits<std::int64_t>(value);
        case Lane::natural:
          return fits<std::uint64_t>(value);
        case Lane::real:
          return fits<double>(value);
        default:
          return false;
      }
    };
    if (!builder_.is_constant(part)) return std::nullopt;
    const bool is_equal = part.lane == Lane::integer   ? fits_in(builder_.value_of<std::int64_t>(part))
                          : part.lane == Lane::natural ? fits_in(builder_.value_of<std::uint64_t>(part))
                          : part.lane == Lane::real    ? fits_in(builder_.value_of<double>(part))
                                                       : false;
    if (!is_equal) return std::nullopt;
    if (lane == Lane::natural && part.lane == Lane::integer) {
      return builder_.constant(lane, static_cast<std::uint64_t>(builder_.value_of<std::int64_t>(part)), part.unit);
    }
    if (lane == Lane::natural) {
      return builder_.constant(lane, forced<std::uint64_t>(builder_.value_of<double>(part)), part.unit);
    }
    return builder_.cast(node, part, lane);
  }

  /// Both sides of a comparison in lanes that compare exactly.
  void match(const Node& node, Part& left, Part& right) {
    if (left.lane == Lane::truth) left = builder_.cast(node, left, Lane::integer);
    if (right.lane == Lane::truth) right = builder_.cast(node, right, Lane::integer);
    if (left.lane == right.lane) return;
    if (left.lane == Lane::extended || right.lane == Lane::extended) {
      left = builder_.cast(node, left, Lane::extended);
      right = builder_.cast(node, right, Lane::extended);
    } else if (const auto same = equal_in(node, right, left.lane)) {
      right = *same;
    } else if (const auto other = equal_in(node, left, right.lane)) {
      left = *other;
    }
  }

  Part compare(const Node& node, Operation operation, Part left, Part right) {
    if ((left.lane == Lane::text) != (right.lane == Lane::text)) {
      fail(node, ErrorKind::usage, "text and number cannot be compared; texts are written in quotes");
    }
    expect_agreement(node, left, right);
    match(node, left, right);
    const std::array sides{left, right};
    return builder_.emit(node, comparison_loop(operation, left.lane, right.lane), sides, Lane::truth, Unit::pure());
  }

  Part like(const Node& node) {
    const Part value = build_operand(node, 0);
    const std::array sides{value, build_compared(node, 1, value)};
    for (std::size_t i = 0; i < 2; ++i) {
      if (sides[i].lane != Lane::text) fail(operand(node, i), ErrorKind::usage, "like compares texts");
    }
    return builder_.emit(node, like_loop(), sides, Lane::truth, Unit::pure());
  }

  Part between(const Node& node) {
    const Part value = build_operand(node, 0);
    const std::array sides{compare(node, Operation::greater_equal, value, build_operand(node, 1)),
                           compare(node, Operation::less_equal, value, build_operand(node, 2))};
    return builder_.emit(node, both_loop(), sides, Lane::truth, Unit::pure());
  }

  Part membership_of(const Node& node) {
    const Part value = build_operand(node, 0);
    if (node.operands.size() > longest_chain + 1) {
      if (auto found = looked_up(node, value)) return *found;
    }
    if (node.operands.size() > longest_mixed_list) {
      fail(node, ErrorKind::usage, "such a long list takes only constants of the type that is looked for");
    }
    Part result = compare(node, Operation::equal, value, build_compared(node, 1, value));
    for (std::size_t i = 2; i < node.operands.size(); ++i) {
      result = builder_.scoped([&] {
        const std::array sides{result, compare(node, Operation::equal, value, build_compared(node, i, value))};
        return builder_.emit(node, either_loop(), sides, Lane::truth, Unit::pure());
      });
    }
    return result;
  }

  /// A long list of constants of the value's own lane as a set.
  std::optional<Part> looked_up(const Node& node, const Part& value) {
    std::vector<Constant> members;
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      Part member = build_operand(node, i);
      expect_agreement(node, value, member);
      if (member.lane != value.lane) {
        const auto same = equal_in(node, member, value.lane);
        if (!same) return std::nullopt;
        member = *same;
      }
      if (!builder_.is_constant(member)) return std::nullopt;
      members.push_back(builder_.constant_of(member));
    }
    Membership set = membership(value.lane, members);
    if (set.loop == nullptr) return std::nullopt;
    return builder_.emit(node, set.loop, {&value, 1}, Lane::truth, Unit::pure(), "", std::move(set.extra));
  }

  void expect_arguments(const Node& node, std::size_t fewest, std::size_t most) const {
    const std::size_t count = node.operands.size();
    if (fewest <= count && count <= most) return;
    const std::string wanted = fewest == most ? std::to_string(fewest) : std::to_string(fewest) + " or more";
    fail(node, ErrorKind::usage, node.text + " takes " + wanted + " arguments, not " + std::to_string(count));
  }

  Part call(const Node& node) {
    if (node.text == "where") return choice(node);
    if (node.text == "int" || node.text == "float") return conversion(node);
    if (node.text == "as_unit") return relabelled(node);
    if (node.text == "length") return length(node);
    const auto found = std::ranges::find(functions(), node.text, &Function::name);
    if (found != functions().end()) return apply(node, *found);
    std::vector<std::string> known{"where", "int", "float", "as_unit", "length"};
    for (const Function& function : functions()) known.emplace_back(function.name);
    for (std::string& name : row_functions()) known.push_back(std::move(name));
    const bool is_near = !near_names(node.text, known).empty();
    fail(node, ErrorKind::missing,
         "there is no function \"" + node.text + "\"" + (is_near ? nearest_names(node.text, known) : ""));
  }

  /// The values of a call over rows are a column of the scope.
  Part row_call(std::uint32_t index) {
    const std::string text = normal_form(syntax_, index);
    const auto column = std::ranges::find(scope_.columns, text, &Quantity::name);
    if (column != scope_.columns.end()) return builder_.column(text, column->type, Unit::of(column->unit));
    fail(syntax_.nodes[index], ErrorKind::usage, text + " needs the rows of a table, which are not known here");
  }

  Part choice(const Node& node) {
    expect_arguments(node, 3, 3);
    const Part which = condition(operand(node, 0), build_operand(node, 0));
    Part left = build_operand(node, 1);
    Part right = build_operand(node, 2);
    if ((left.lane == Lane::text) != (right.lane == Lane::text)) {
      fail(node, ErrorKind::usage, "where chooses between a text and a number");
    }
    expect_agreement(node, left, right);
    if (left.lane != right.lane) {
      const Lane lane = joint_lane(left.lane, right.lane);
      left = builder_.cast(operand(node, 1), left, lane);
      right = builder_.cast(operand(node, 2), right, lane);
    }
    const std::array operands{which, left, right};
    return builder_.emit(node, choice_loop(left.lane), operands, left.lane, left.unit.or_of(right.unit));
  }

  Part conversion(const Node& node) {
    expect_arguments(node, 1, 1);
    Part inner = build_operand(node, 0);
    expect_number(operand(node, 0), inner);
    if (node.text == "float") return builder_.cast(node, inner, Lane::real);
    if (inner.lane == Lane::integer) return inner;
    return builder_.emit(node, cast_loop(inner.lane, Lane::integer), {&inner, 1}, Lane::integer, inner.unit,
                         "the number has no integer part within int64");
  }

  Part relabelled(const Node& node) {
    expect_arguments(node, 2, 2);
    Part inner = build_operand(node, 0);
    const Node& unit = operand(node, 1);
    if (unit.kind != Kind::text) fail(unit, ErrorKind::usage, "the unit is a text in quotes");
    inner.unit = Unit::of(unit.text);
    return inner;
  }

  Part length(const Node& node) {
    expect_arguments(node, 1, 1);
    Part inner = build_operand(node, 0);
    if (inner.lane != Lane::text) fail(operand(node, 0), ErrorKind::usage, "this is a number, where text is expected");
    return builder_.emit(node, length_loop(), {&inner, 1}, Lane::integer, Unit::pure());
  }

  Part apply(const Node& node, const Function& function) {
    expect_arguments(node, function.fewest, function.most == Function::any ? node.operands.size() : function.most);
    Lane lane = Lane::integer;
    std::vector<Part> parts;
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      parts.push_back(build_operand(node, i));
      expect_number(operand(node, i), parts.back());
      lane = joint_lane(lane, parts.back().lane);
    }
    if (lane == Lane::integer && !function.keeps_integers) lane = Lane::real;
    const Loop loop = lane == Lane::integer ? function.integer : lane == Lane::real ? function.real : function.extended;
    if (loop == nullptr) fail(node, ErrorKind::usage, node.text + " takes integers only");
    const Unit unit = unit_of(node, function, parts);
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = builder_.cast(operand(node, i), parts[i], lane);
    const Lane result = function.answers ? Lane::truth : lane;
    if (parts.size() <= 2) return builder_.emit(node, loop, parts, result, unit, overflow);
    Part joined = parts[0];
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const std::array sides{joined, parts[i]};
      joined = builder_.emit(node, loop, sides, result, unit);
    }
    return joined;
  }

  Unit unit_of(const Node& node, const Function& function, const std::vector<Part>& parts) {
    if (function.units == UnitRule::pure) return Unit::pure();
    if (function.units == UnitRule::root) return parts[0].unit.to_the(0.5);
    if (function.units == UnitRule::cube) return parts[0].unit.to_the(1.0 / 3);
    if (function.units == UnitRule::sum) return unit_of_sum(node, parts[0], parts[1]);
    Unit unit = parts[0].unit;
    for (const Part& part : parts) {
      expect_agreement(node, parts[0], part);
      unit = unit.or_of(part.unit);
    }
    return function.units == UnitRule::same ? unit : Unit::pure();
  }

  const Syntax& syntax_;
  const Scope& scope_;
  std::shared_ptr<Program> program_;
  Builder builder_;
  bool is_beside_text_ = false;
};

}  // namespace

std::shared_ptr<const Program> compile(const Syntax& syntax, std::uint32_t index, const Scope& scope) {
  return Compiler(syntax, scope).run(index);
}

}  // namespace quire::query
