#pragma once

#include <string>
#include <utility>
#include <vector>

namespace quire::query {

/// The unit of a part of an expression: texts as in files, multiplied and divided symbolically. Values are not
/// converted: mm and m differ, and m/s in a file is one text.
class Unit {
 public:
  /// Of a literal number: compatible with every unit, and neutral in products.
  [[nodiscard]] static Unit pure() { return Unit(State::pure); }
  /// Of a quantity without a unit in its file: compatible with every unit, but products with it have an unknown one.
  [[nodiscard]] static Unit unknown() { return Unit(State::unknown); }
  /// From the text in a file; an empty text is unknown, "1" is a pure number.
  [[nodiscard]] static Unit of(const std::string& text);

  /// "m", "m s", "m^2/s", "m^(1/3)"; empty unless it is known.
  [[nodiscard]] std::string text() const;

  [[nodiscard]] Unit times(const Unit& other) const;
  [[nodiscard]] Unit over(const Unit& other) const;
  [[nodiscard]] Unit to_the(double exponent) const;
  [[nodiscard]] bool is_pure() const { return state_ == State::pure; }
  [[nodiscard]] bool is_known() const { return state_ == State::known; }
  /// Whether it is another name of the number 1, as a momentum over m c and the radian.
  [[nodiscard]] bool is_one() const;
  /// Whether values of both may be added and compared: the texts are equal or mean the same unit.
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
