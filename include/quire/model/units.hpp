#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "quire/spi/model/exact_ratio.hpp"

namespace quire {

/// The power of a base unit: a ratio without common factors, with a positive denominator.
struct Exponent {
  std::int64_t over = 0;
  std::int64_t under = 1;
  [[nodiscard]] double value() const noexcept { return static_cast<double>(over) / static_cast<double>(under); }
  [[nodiscard]] bool operator==(const Exponent&) const = default;
};

/// Exponents of m, kg, s, A, K, mol and cd.
using Dimension = std::array<Exponent, 7>;

/// What a momentum over the mass of a particle and c means, as in "m_e c" or "m$be$nc".
enum class MassTimesC : std::uint8_t {
  is_one,       ///< the pure number beta gamma, as codes of the field use it
  is_momentum,  ///< the product of the mass of the particle and the speed of light
};

/// A unit of measurement: a ratio times pi to a power, in units of the base of SI.
struct Unit {
  ExactRatio ratio;
  int pi = 0;
  Dimension dimension{};

  /// Independent. The value of the unit in SI units, rounded once if pi is not part of it.
  [[nodiscard]] double factor() const;
  /// Independent. Whether it has no dimension, as angles and ratios.
  [[nodiscard]] bool is_number() const { return dimension == Dimension{}; }
  /// Independent. The SI unit of the same dimension, such as "m kg s^-1"; empty for a pure number.
  [[nodiscard]] std::string si() const;
};

/// Independent. The unit of a text: products, quotients and powers of names with prefixes, numbers and brackets, such
/// as "mm", "MeV/c", "kg*m/s^2", "m^(1/2)" or "s-1"; also with the mark-up of plot labels, "m$a2$n" or "#beta#gamma".
/// An empty text is a pure number. Units of SI: BIPM, The International System of Units, 9th edition (2019), tables 2
/// to 8; masses: CODATA 2022. Throws usage errors for unknown names, for more than 200 characters, for values beyond
/// the range of float64, and for texts that can be read in two ways, such as "J/kg K".
[[nodiscard]] Unit parse_unit(std::string_view text, MassTimesC meaning = MassTimesC::is_one);

/// Independent. The unit of a text; no value where parse_unit() throws.
[[nodiscard]] std::optional<Unit> find_unit(std::string_view text, MassTimesC meaning = MassTimesC::is_one);

/// A conversion of values: one multiplication or one division. Divisions by whole numbers round once, where a product
/// with 0.001 would use a rounded factor.
struct UnitScale {
  double factor = 1;
  bool divides = false;
};

/// Independent. The conversion from one unit to another. Throws usage errors for unknown units, conflict errors for
/// different dimensions.
[[nodiscard]] UnitScale scale_between(std::string_view unit, std::string_view wanted);

/// The names that parse_unit() knows.
struct UnitNames {
  std::vector<std::string_view> base;      ///< in the order of Dimension
  std::vector<std::string_view> prefixes;  ///< before a name of `prefixed`
  std::vector<std::string_view> prefixed;
  std::vector<std::string_view> plain;    ///< units and constants without prefixes
  std::vector<std::string_view> phrases;  ///< texts that count as a whole
};

/// Independent. The names of units.
[[nodiscard]] UnitNames unit_names();

}  // namespace quire
