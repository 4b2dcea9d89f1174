#include "quire/model/units.hpp"

#include <cmath>
#include <numbers>

#include "model/unit_parser.hpp"
#include "model/unit_table.hpp"
#include "quire/base/error.hpp"

namespace quire {
namespace {

/// The dimension of a unit for messages.
std::string described(const Unit& unit) {
  const std::string si = unit.si();
  return si.empty() ? "a pure number" : "in " + si;
}

template <class Table>
std::vector<std::string_view> entry_names(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& entry : table) names.push_back(entry.name);
  return names;
}

}  // namespace

double Unit::factor() const { return ratio.value() * std::pow(std::numbers::pi, pi); }

std::string Unit::si() const {
  std::string text;
  for (std::size_t i = 0; i < dimension.size(); ++i) {
    const auto& [over, under] = dimension[i];
    if (over == 0) continue;
    text += (text.empty() ? "" : " ") + std::string(units::base[i]);
    if (over == 1 && under == 1) continue;
    text += "^" + std::to_string(over) + (under == 1 ? "" : "/" + std::to_string(under));
  }
  return text;
}

Unit parse_unit(std::string_view text, MassTimesC meaning) { return units::parse(text, meaning); }

std::optional<Unit> find_unit(std::string_view text, MassTimesC meaning) {
  try {
    return units::parse(text, meaning);
  } catch (const Error&) {
    return std::nullopt;
  }
}

UnitScale scale_between(std::string_view unit, std::string_view wanted) {
  const Unit from = parse_unit(unit);
  const Unit to = parse_unit(wanted);
  if (from.dimension != to.dimension) {
    throw Error(ErrorKind::conflict, "\"" + std::string(unit) + "\" cannot be converted to \"" + std::string(wanted) +
                                         "\": the first is " + described(from) + ", the second " + described(to));
  }
  const ExactRatio ratio = from.ratio / to.ratio;
  const int pi = from.pi - to.pi;
  const auto whole = ratio.whole();
  if (pi == 0 && whole && whole->over == 1 && whole->under != 1) {
    return {static_cast<double>(whole->under), true};
  }
  return {ratio.value() * std::pow(std::numbers::pi, pi), false};
}

UnitNames unit_names() {
  return {{units::base.begin(), units::base.end()},
          entry_names(units::prefixes),
          entry_names(units::prefixed),
          entry_names(units::plain),
          entry_names(units::phrases)};
}

}  // namespace quire
