#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "quire/model/selection.hpp"

namespace fodo {

/// The canonical coordinates of a particle. x, y, z in m; px = Px/P0 and py = Py/P0 without unit; z is positive ahead
/// of the reference particle; delta = (P - P0)/P0 without unit.
enum Coordinate : std::size_t { x, px, y, py, z, delta };
inline constexpr std::size_t coordinate_count = 6;

/// The particles of one rank.
struct Bunch {
  std::array<std::vector<double>, coordinate_count> coordinates;
  std::vector<std::int64_t> id;  ///< the particle's place in the whole bunch, from 0

  explicit Bunch(std::size_t particles = 0);
  [[nodiscard]] std::size_t size() const noexcept { return id.size(); }
};

/// One cell of the channel: half a focusing quadrupole, sextupole, drift, defocusing quadrupole, sextupole of the
/// opposite sign, drift, half a focusing quadrupole, cavity.
struct Channel {
  double gamma = 1.2132;           ///< Lorentz factor of the reference particle (a proton of 200 MeV)
  double quadrupole = 5.0;         ///< strength k1 in 1/m^2, focusing in x first
  double quadrupole_length = 0.2;  ///< in m
  double drift_length = 0.8;       ///< in m
  double sextupole = 10.0;         ///< integrated strength k2 L in 1/m^2
  double rf = 0.002;               ///< largest relative change of momentum in the cavity, without unit
  double rf_wave_number = 7.4;     ///< in 1/m
  double rf_cubic = -1.0 / 6;      ///< the kick is -rf (u + rf_cubic u^3 + rf_quintic u^5), u = rf_wave_number z
  double rf_quintic = 1.0 / 120;
  /// In m.
  [[nodiscard]] double cell_length() const noexcept { return 2 * (quadrupole_length + drift_length); }
};

/// A linear map of one plane: (q, p) becomes (qq q + qp p, pq q + pp p). The determinant is 1.
struct PlaneMap {
  double qq = 1;
  double qp = 0;
  double pq = 0;
  double pp = 1;

  /// The map that applies `first`, then this one.
  [[nodiscard]] PlaneMap after(const PlaneMap& first) const noexcept;
  /// The cosine of the phase advance. Source: E. D. Courant, H. S. Snyder, Annals of Physics 3 (1958) 1, eq. 3.9.
  [[nodiscard]] double cosine_of_phase() const noexcept { return (qq + pp) / 2; }
};

/// The linear part of a piece of the channel between two kicks.
struct Piece {
  PlaneMap x;
  PlaneMap y;
  double slip = 0;  ///< z grows by slip * delta, in m
};

/// The map of one cell. All constants are made by +, -, *, / alone, so they have the same bits everywhere.
class CellMap {
 public:
  explicit CellMap(const Channel& channel);

  /// The linear maps of a whole cell in the planes (x, px), (y, py) and (z, delta).
  [[nodiscard]] std::array<PlaneMap, 3> linear() const noexcept;

  /// Independent. Moves every particle through `cells` cells.
  void track(Bunch& bunch, std::int64_t cells) const noexcept;

 private:
  void track_block(const std::array<double*, coordinate_count>& block, std::size_t particles) const noexcept;

  std::array<Piece, 3> pieces_;
  double half_sextupole_ = 0;
  double rf_linear_ = 0;
  double rf_cubic_ = 0;
  double rf_quintic_ = 0;
};

/// The bunch at the beginning: matched to the linear channel in x and y.
struct Beam {
  std::uint64_t particles = 10000;
  std::uint64_t seed = 1;
  double emittance_x = 1e-6;  ///< geometric, in m
  double emittance_y = 1e-6;
  double size_z = 0.01;  ///< rms, in m
  double spread = 1e-3;  ///< rms of delta
  std::array<double, coordinate_count> offset{1e-3, 0, -5e-4, 0, 0, 0};
};

/// Independent. Particles `slice` of the bunch. Throws usage errors when the channel is not stable in x or y.
[[nodiscard]] Bunch make_bunch(const Beam& beam, const CellMap& cell, const quire::Slice& slice);

}  // namespace fodo
