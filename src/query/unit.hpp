#pragma once

#include <string>
#include <utility>
#include <vector>

namespace quire::query {

/// The unit of a part of an expression: texts as files write them, multiplied and divided as texts. There is no
/// knowledge of what they mean: mm and m differ, m/s is one text where it comes from a file.
class Unit {
 public:
  /// Of a number as written: goes with every unit, and leaves those that it multiplies as they are.
  [[nodiscard]] static Unit pure() { return Unit(State::pure); }
  /// Of what carries no unit in its file: goes with every unit, but products with it have an unknown one.
  [[nodiscard]] static Unit unknown() { return Unit(State::unknown); }
  /// As a file writes it; nothing is unknown, "1" is a pure number.
  [[nodiscard]] static Unit of(const std::string& text);

  /// "m", "m*s", "m^2/s"; empty unless it is known.
  [[nodiscard]] std::string text() const;

  [[nodiscard]] Unit times(const Unit& other) const;
  [[nodiscard]] Unit over(const Unit& other) const;
  [[nodiscard]] Unit to_the(double exponent) const;
  /// Whether values of both may be added and compared.
  [[nodiscard]] bool agrees_with(const Unit& other) const;
  /// The unit of a sum, of units that agree: the one that is known.
  [[nodiscard]] const Unit& or_of(const Unit& other) const;

 private:
  enum class State : unsigned char { pure, unknown, known };

  explicit Unit(State state) : state_(state) {}
  [[nodiscard]] Unit joined(const Unit& other, double sign) const;

  State state_;
  std::vector<std::pair<std::string, double>> factors_;  ///< text and exponent, in the order of their appearance
};

}  // namespace quire::query
