#pragma once

#include <string>
#include <utility>
#include <vector>

namespace quire::query {

/// The unit of a part of an expression: texts as in files, multiplied and divided symbolically. Their meaning is not
/// known: mm and m differ, and m/s in a file is one text.
class Unit {
 public:
  /// Of a literal number: compatible with every unit, and neutral in products.
  [[nodiscard]] static Unit pure() { return Unit(State::pure); }
  /// Of a quantity without a unit in its file: compatible with every unit, but products with it have an unknown one.
  [[nodiscard]] static Unit unknown() { return Unit(State::unknown); }
  /// From the text in a file; an empty text is unknown, "1" is a pure number.
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
