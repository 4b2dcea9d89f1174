#include "query/selector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "kernels/value_list.hpp"
#include "query/compile.hpp"
#include "query/program.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/load.hpp"

namespace quire::query {
namespace {

using kernels::Key;
using kernels::key_of;
using kernels::key_of_nan;
using Keys = Selector::Keys;
using Constant = std::variant<std::int64_t, std::uint64_t, double>;

Selector all() { return {.kind = Selector::Kind::both, .column = {}, .keys = {}, .parts = {}}; }
Selector none() { return {.kind = Selector::Kind::either, .column = {}, .keys = {}, .parts = {}}; }

/// Sorted, and without overlaps.
Keys joined(Keys keys) {
  std::ranges::sort(keys);
  Keys made;
  for (const auto& one : keys) {
    if (!made.empty() && (made.back().second == key_of_nan || one.first <= made.back().second + 1)) {
      made.back().second = std::max(made.back().second, one.second);
    } else {
      made.push_back(one);
    }
  }
  return made;
}

Keys complement(const Keys& keys) {
  Keys made;
  Key next = 0;
  for (const auto& [lower, upper] : keys) {
    if (lower > next) made.emplace_back(next, lower - 1);
    if (upper == key_of_nan) return made;
    next = upper + 1;
  }
  made.emplace_back(next, key_of_nan);
  return made;
}

Keys common(const Keys& left, const Keys& right) {
  Keys made;
  for (std::size_t i = 0, j = 0; i < left.size() && j < right.size();) {
    const Key lower = std::max(left[i].first, right[j].first);
    const Key upper = std::min(left[i].second, right[j].second);
    if (lower <= upper) made.emplace_back(lower, upper);
    ++(left[i].second < right[j].second ? i : j);
  }
  return made;
}

/// The place of a constant among the values of a column.
struct Place {
  bool is_above = false;  ///< above all of them
  Key key = 0;            ///< the smallest one of a value that is not below it
  bool is_equal = true;   ///< whether that is its own
};

/// `limit`: one more than the greatest integer.
template <class Integer>
Place among_integers(double value, double limit) {
  if (value >= limit) return {.is_above = true};
  constexpr Integer least = std::numeric_limits<Integer>::min();
  if (value < static_cast<double>(least)) return {.key = key_of(least), .is_equal = false};
  const double whole = std::ceil(value);
  return {.key = key_of(static_cast<Integer>(whole)), .is_equal = whole == value};
}

Place among_signed(const Constant& constant) {
  if (const auto* natural = std::get_if<std::uint64_t>(&constant)) {
    constexpr auto greatest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (*natural > greatest) return {.is_above = true};
    return {.key = key_of(static_cast<std::int64_t>(*natural))};
  }
  if (const auto* integer = std::get_if<std::int64_t>(&constant)) return {.key = key_of(*integer)};
  return among_integers<std::int64_t>(std::get<double>(constant), 0x1p63);
}

Place among_unsigned(const Constant& constant) {
  if (const auto* natural = std::get_if<std::uint64_t>(&constant)) return {.key = *natural};
  if (const auto* integer = std::get_if<std::int64_t>(&constant)) {
    if (*integer < 0) return {.key = 0, .is_equal = false};
    return {.key = static_cast<Key>(*integer)};
  }
  return among_integers<std::uint64_t>(std::get<double>(constant), 0x1p64);
}

/// `limit`: one more than the greatest integer.
template <class Integer>
Place integer_among_floats(Integer value, double limit) {
  const auto near = static_cast<double>(value);
  const bool is_more = near >= limit || static_cast<Integer>(near) > value;
  if (!is_more && static_cast<Integer>(near) == value) return {.key = key_of(near)};
  return {.key = key_of(is_more ? near : std::nextafter(near, std::numeric_limits<double>::infinity())),
          .is_equal = false};
}

Place among_floats(const Constant& constant) {
  if (const auto* natural = std::get_if<std::uint64_t>(&constant)) return integer_among_floats(*natural, 0x1p64);
  if (const auto* integer = std::get_if<std::int64_t>(&constant)) return integer_among_floats(*integer, 0x1p63);
  return {.key = key_of(std::get<double>(constant))};
}

bool is_unsigned(Type type) {
  return type == Type::uint8 || type == Type::uint16 || type == Type::uint32 || type == Type::uint64;
}

/// The keys of values of a column that satisfy a comparison with a constant.
Keys compared(Type type, Operation operation, const Constant& constant) {
  if (const auto* real = std::get_if<double>(&constant); real != nullptr && std::isnan(*real)) return {};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Key first = is_floating(type) ? key_of(-infinity) : 0;
  const Key last = is_floating(type) ? key_of(infinity) : key_of_nan;
  const Place place = is_floating(type)   ? among_floats(constant)
                      : is_unsigned(type) ? among_unsigned(constant)
                                          : among_signed(constant);
  Keys below;
  Keys equal;
  Keys above;
  if (place.is_above) {
    below.emplace_back(first, last);
  } else {
    if (place.key > first) below.emplace_back(first, place.key - 1);
    if (place.is_equal) equal.emplace_back(place.key, place.key);
    if (!place.is_equal) above.emplace_back(place.key, last);
    if (place.is_equal && place.key < last) above.emplace_back(place.key + 1, last);
  }
  Keys made;
  const auto add = [&made](const Keys& some) { made.insert(made.end(), some.begin(), some.end()); };
  const bool is_less = operation == Operation::less || operation == Operation::less_equal;
  const bool is_greater = operation == Operation::greater || operation == Operation::greater_equal;
  if (is_less || operation == Operation::not_equal) add(below);
  if (operation == Operation::less_equal || operation == Operation::greater_equal || operation == Operation::equal) {
    add(equal);
  }
  if (is_greater || operation == Operation::not_equal) add(above);
  return joined(std::move(made));
}

Operation mirrored(Operation operation) {
  switch (operation) {
    case Operation::less:
      return Operation::greater;
    case Operation::less_equal:
      return Operation::greater_equal;
    case Operation::greater:
      return Operation::less;
    case Operation::greater_equal:
      return Operation::less_equal;
    default:
      return operation;
  }
}

/// A combination of selectors, in which each column is one part.
Selector combined(Selector::Kind kind, std::vector<Selector> given) {
  const bool is_both = kind == Selector::Kind::both;
  Selector made{.kind = kind, .column = {}, .keys = {}, .parts = {}};
  const auto add = [&](Selector&& part) {
    const auto same = std::ranges::find_if(made.parts, [&](const Selector& one) {
      return one.kind == Selector::Kind::column && one.column == part.column;
    });
    if (part.kind != Selector::Kind::column || same == made.parts.end()) {
      made.parts.push_back(std::move(part));
    } else if (is_both) {
      same->keys = common(same->keys, part.keys);
    } else {
      same->keys.insert(same->keys.end(), part.keys.begin(), part.keys.end());
      same->keys = joined(std::move(same->keys));
    }
  };
  for (Selector& part : given) {
    // No row, of conditions that must all hold, or all rows.
    if (part.kind != kind && part.kind != Selector::Kind::column && part.kind != Selector::Kind::unknown &&
        part.parts.empty()) {
      return std::move(part);
    }
    if (part.kind == kind) {
      for (Selector& inner : part.parts) add(std::move(inner));
    } else {
      add(std::move(part));
    }
  }
  if (made.parts.size() == 1) return std::move(made.parts.front());
  return made;
}

class Selectors {
 public:
  Selectors(const Syntax& syntax, const Scope& scope) : syntax_(syntax), scope_(scope) {}

  /// The selector of a condition, or of its opposite.
  [[nodiscard]] Selector of(std::uint32_t index, bool is_opposite) const {
    const Node& node = syntax_.nodes[index];
    switch (node.kind) {
      case Kind::invert:
        return of(node.operands[0], !is_opposite);
      case Kind::truth:
        return (std::get<std::int64_t>(node.number) != 0) != is_opposite ? all() : none();
      case Kind::both:
      case Kind::either:
        return combined((node.kind == Kind::both) != is_opposite ? Selector::Kind::both : Selector::Kind::either,
                        {of(node.operands[0], is_opposite), of(node.operands[1], is_opposite)});
      case Kind::comparison:
        return comparison(index, is_opposite);
      case Kind::between:
        return of_keys(node, is_opposite, [&](Type type) -> std::optional<Keys> {
          const auto low = constant(node.operands[1]);
          const auto high = constant(node.operands[2]);
          if (!low || !high) return std::nullopt;
          return common(compared(type, Operation::greater_equal, *low), compared(type, Operation::less_equal, *high));
        });
      case Kind::member:
        return of_keys(node, is_opposite, [&](Type type) { return members(node, type); });
      case Kind::call:
        if (node.text != "isnan" || node.operands.size() != 1) return {};
        return of_keys(node, is_opposite, [](Type type) -> std::optional<Keys> {
          return is_floating(type) ? Keys{{key_of_nan, key_of_nan}} : Keys{};
        });
      default:
        return {};
    }
  }

 private:
  [[nodiscard]] const Quantity* column(std::uint32_t index) const {
    const Node& node = syntax_.nodes[index];
    if (node.kind != Kind::name) return nullptr;
    const auto found = std::ranges::find(scope_.columns, node.text, &Quantity::name);
    if (found == scope_.columns.end()) return nullptr;
    const Lane lane = lane_of(found->type);
    return lane == Lane::text || lane == Lane::extended ? nullptr : &*found;
  }

  /// What a node asks of its first operand, if that is a column.
  template <class Find>
  [[nodiscard]] Selector of_keys(const Node& node, bool is_opposite, const Find& find) const {
    const Quantity* const found = column(node.operands[0]);
    return found == nullptr ? Selector{} : of_column(*found, find(found->type), is_opposite);
  }

  [[nodiscard]] static Selector of_column(const Quantity& column, std::optional<Keys> keys, bool is_opposite) {
    if (!keys) return {};
    return {.kind = Selector::Kind::column,
            .column = column.name,
            .keys = is_opposite ? complement(*keys) : std::move(*keys),
            .parts = {}};
  }

  [[nodiscard]] Selector comparison(std::uint32_t index, bool is_opposite) const {
    const Node& node = syntax_.nodes[index];
    for (const std::size_t side : {0, 1}) {
      const Quantity* const found = column(node.operands[side]);
      if (found == nullptr) continue;
      const auto limit = constant(node.operands[1 - side]);
      if (!limit) return {};
      const Operation operation = side == 0 ? node.operation : mirrored(node.operation);
      return of_column(*found, compared(found->type, operation, *limit), is_opposite);
    }
    const auto same = computed(index);
    if (!same) return {};
    return (std::get<std::int64_t>(*same) != 0) != is_opposite ? all() : none();
  }

  [[nodiscard]] std::optional<Keys> members(const Node& node, Type type) const {
    Keys keys;
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      const auto member = constant(node.operands[i]);
      if (!member) return std::nullopt;
      const Keys equal = compared(type, Operation::equal, *member);
      keys.insert(keys.end(), equal.begin(), equal.end());
    }
    return joined(std::move(keys));
  }

  [[nodiscard]] std::optional<Constant> constant(std::uint32_t index) const {
    const Node& node = syntax_.nodes[index];
    if (node.kind == Kind::number) return literal(node.number);
    if (node.kind == Kind::negate && syntax_.nodes[node.operands[0]].kind == Kind::number) {
      const Constant positive = literal(syntax_.nodes[node.operands[0]].number);
      if (const auto* integer = std::get_if<std::int64_t>(&positive)) return -*integer;
      if (const auto* real = std::get_if<double>(&positive)) return -*real;
    }
    if (column(index) != nullptr) return std::nullopt;
    return computed(index);
  }

  [[nodiscard]] static Constant literal(const Number& number) {
    if (const auto* integer = std::get_if<std::int64_t>(&number)) return *integer;
    if (const auto* natural = std::get_if<std::uint64_t>(&number)) return *natural;
    return std::get<Decimal>(number).real;
  }

  /// The value of a part of the expression, as it is compiled; none if it is different for each row.
  [[nodiscard]] std::optional<Constant> computed(std::uint32_t index) const {
    try {
      const CompiledExpression compiled(compile(syntax_, index, scope_));
      if (!compiled.is_constant()) return std::nullopt;
      const Value value = compiled.value();  // a truth is an integer
      switch (lane_of(value.type())) {
        case Lane::integer:
          return value.converted_to(Type::int64, true).as_integer(0);
        case Lane::natural:
          return natural_of(value);
        case Lane::real:
          return value.converted_to(Type::float64, true).as_double(0);
        default:
          return std::nullopt;
      }
    } catch (const Error&) {
      return std::nullopt;  // such as a call over rows, whose value is not known here
    }
  }

  [[nodiscard]] static Constant natural_of(const Value& value) { return load_at<std::uint64_t>(value.bytes().data()); }

  const Syntax& syntax_;
  const Scope& scope_;
};

}  // namespace

Selector selector_of(const Syntax& syntax, const Scope& scope) {
  return Selectors(syntax, scope).of(syntax.root, false);
}

}  // namespace quire::query
