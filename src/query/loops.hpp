#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "query/program.hpp"

namespace quire::query {

/// The loops of all operations. Each returns nullptr for unsupported lanes.
[[nodiscard]] Loop comparison_loop(Operation operation, Lane left, Lane right);
/// Two operands of one lane: integer, real or extended.
[[nodiscard]] Loop arithmetic_loop(Operation operation, Lane lane);
/// x * x.
[[nodiscard]] Loop square_loop(Lane lane);
[[nodiscard]] Loop negation_loop(Lane lane);
[[nodiscard]] Loop cast_loop(Lane from, Lane to);
/// Logical operations.
[[nodiscard]] Loop both_loop();
[[nodiscard]] Loop either_loop();
[[nodiscard]] Loop inversion_loop();
/// Operands: condition, then, else.
[[nodiscard]] Loop choice_loop(Lane lane);
/// Operands: text, pattern.
[[nodiscard]] Loop like_loop();

/// The number of characters of UTF-8 texts.
[[nodiscard]] Loop length_loop();

/// A set of constants of one lane in which values are looked up; `extra` keeps its data alive.
struct Membership {
  Loop loop = nullptr;
  std::shared_ptr<const void> extra;
};
[[nodiscard]] Membership membership(Lane lane, const std::vector<Constant>& values);

/// The effect of a function on units.
enum class UnitRule : std::uint8_t {
  pure,     ///< the result is a number
  same,     ///< the result has the unit that all operands share
  sum,      ///< that of a sum of the operands
  pure_of,  ///< operands must agree, the result is a number
  root,     ///< the square root of the unit
  cube,     ///< the cube root of the unit
};

/// A function of numbers; the loop takes operands of one lane.
struct Function {
  std::string_view name;
  std::uint8_t fewest = 1;
  std::uint8_t most = 1;  ///< `any` for any number of arguments, combined pairwise
  UnitRule units = UnitRule::pure;
  bool keeps_integers = false;  ///< whether it has an integer loop
  bool answers = false;         ///< whether its result is a truth value
  Loop real = nullptr;
  Loop extended = nullptr;
  Loop integer = nullptr;

  static constexpr std::uint8_t any = 255;
};
[[nodiscard]] std::span<const Function> functions();

/// A named number.
struct NamedNumber {
  std::string_view name;
  long double value;
  std::string_view unit;
};
[[nodiscard]] std::span<const NamedNumber> named_numbers();

}  // namespace quire::query
