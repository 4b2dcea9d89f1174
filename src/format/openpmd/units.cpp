#include "format/openpmd/units.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "quire/model/units.hpp"

namespace quire::hdf5 {
namespace {

/// Names that text_of() prefers, of each dimension the SI unit first.
constexpr std::array<std::string_view, 58> usual{
    "m",   "cm",    "mm",    "um",    "nm",     "s",    "ms",    "us",    "ns",    "ps",    "fs",  "kg",
    "g",   "A",     "kA",    "mA",    "K",      "C",    "nC",    "pC",    "fC",    "e",     "V",   "kV",
    "MV",  "V/m",   "kV/m",  "MV/m",  "GV/m",   "T",    "mT",    "T/m",   "J",     "eV",    "keV", "MeV",
    "GeV", "W",     "N",     "m/s",   "kg m/s", "eV/c", "keV/c", "MeV/c", "GeV/c", "m_e c", "m^2", "m^3",
    "1/m", "1/m^2", "1/m^3", "C/m^2", "C/m^3",  "A/m",  "A/m^2", "1/s",   "Pa",    "Ohm"};

struct UsualUnit {
  std::string_view name;
  SiUnit unit;
};

const std::vector<UsualUnit>& usual_units() {
  static const std::vector<UsualUnit> units = [] {
    std::vector<UsualUnit> all;
    for (const std::string_view name : usual) all.push_back({name, stored_unit(name)});
    return all;
  }();
  return units;
}

std::string number_text(double number) {
  std::array<char, 32> digits{};
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr};
}

std::string si_product(const std::array<double, 7>& dimension) {
  constexpr std::array<std::pair<std::string_view, std::size_t>, 7> order{
      {{"kg", 1}, {"m", 0}, {"s", 2}, {"A", 3}, {"K", 4}, {"mol", 5}, {"cd", 6}}};
  std::string above;
  std::string below;
  for (const auto& [name, i] : order) {
    const double power = dimension[i];
    if (power == 0) continue;
    std::string& side = power > 0 ? above : below;
    side += (power < 0 ? "/" : above.empty() ? "" : " ") + std::string(name);
    if (std::abs(power) != 1) side += "^" + number_text(std::abs(power));
  }
  return (above.empty() && !below.empty() ? "1" : above) + below;
}

}  // namespace

std::optional<SiUnit> si_unit_of(std::string_view text) {
  // The values of a column are momenta for other programs, too, if their unit is m_e c.
  const auto known = find_unit(text, MassTimesC::is_momentum);
  if (!known) return std::nullopt;
  SiUnit unit;
  std::ranges::transform(known->dimension, unit.dimension.begin(), &Exponent::value);
  unit.factor = known->factor();
  return unit;
}

std::string text_of(const SiUnit& unit) {
  std::string name;  // of the SI unit of this dimension
  for (const UsualUnit& known : usual_units()) {
    if (known.unit == unit) return std::string(known.name);
    if (name.empty() && known.unit.factor == 1 && known.unit.dimension == unit.dimension) name = known.name;
  }
  if (name.empty()) name = si_product(unit.dimension);
  if (unit.factor == 1) return name;
  return number_text(unit.factor) + (name.empty() ? "" : name.starts_with('1') ? name.substr(1) : " " + name);
}

SiUnit stored_unit(std::string_view text) { return si_unit_of(text).value_or(SiUnit{}); }

}  // namespace quire::hdf5
