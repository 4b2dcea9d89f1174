#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace quire::hdf5 {

/// A unit as openPMD stores it (openPMD 1.1.0, "Unit Systems and Dimensionality").
struct SiUnit {
  /// Powers of length, mass, time, electric current, temperature, amount of substance and luminous intensity.
  std::array<double, 7> dimension{};
  double factor = 1;  ///< multiplied with it, values are in SI units
  [[nodiscard]] bool operator==(const SiUnit&) const = default;
};

inline constexpr SiUnit metre{.dimension = {1}};
inline constexpr SiUnit second{.dimension = {0, 0, 1}};

/// The unit of a text that parse_unit() knows. A momentum over mass and c, such as "m_e c" or "m$be$nc", is a momentum.
/// No value for other texts.
[[nodiscard]] std::optional<SiUnit> si_unit_of(std::string_view text);

/// A text of which si_unit_of() makes the same unit: a usual name, or a factor and a product of SI units.
[[nodiscard]] std::string text_of(const SiUnit& unit);

/// The unit of which a file states dimension and factor for this text: that of si_unit_of(), or a dimensionless one.
[[nodiscard]] SiUnit stored_unit(std::string_view text);

}  // namespace quire::hdf5
