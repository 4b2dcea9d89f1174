#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "physics.hpp"
#include "quire/comm/comm.hpp"
#include "quire/model/description.hpp"

namespace fodo {

/// Moments of the whole bunch. Every bit of them is the same on any number of ranks.
struct Moments {
  std::uint64_t particles = 0;
  std::array<double, coordinate_count> centroid{};
  std::array<double, coordinate_count> rms{};  ///< about the centroid
  /// Projected geometric emittances of x, y and z in m: sqrt(<q^2><p^2> - <qp>^2) about the centroid.
  /// Source: J. D. Lawson, P. M. Lapostolle, R. L. Gluckstern, Particle Accelerators 5 (1973) 61.
  std::array<double, 3> emittance{};

  [[nodiscard]] bool operator==(const Moments&) const = default;
};

/// Collective. Sums are exact until their one rounding; two collectives, none larger for more particles.
[[nodiscard]] Moments measure(const Bunch& bunch, quire::Comm& comm);

/// Independent. The moments as attributes of a step: particles, Cx ... Cdelta, Sx ... Sdelta, ex, ey, ez.
[[nodiscard]] std::vector<quire::Attribute> attributes_of(const Moments& moments);

/// Independent. Name, unit and description of a coordinate's column.
[[nodiscard]] quire::Column column_of(Coordinate coordinate);

/// Independent. An attribute with its texts.
[[nodiscard]] quire::Attribute attribute(const std::string& name, quire::Value value, const std::string& unit,
                                         const std::string& description);

}  // namespace fodo
