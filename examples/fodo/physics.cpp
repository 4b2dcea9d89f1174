#include "physics.hpp"

#include <algorithm>
#include <cmath>

#include "quire/base/error.hpp"
#include "random.hpp"

namespace fodo {

namespace {

/// A quadrupole of strength k (1/m^2, positive focuses) and length l (m), by the power series of cos(sqrt(k) l) and
/// sin(sqrt(k) l)/sqrt(k), which hold for every sign of k and need no library function.
PlaneMap quadrupole_map(double strength, double length) {
  double cosine = 0;
  double sine = 0;
  double term = 1;
  constexpr int terms = 30;  // enough for |k| l^2 up to 100
  for (int n = 0; n < terms; ++n) {
    cosine += term;
    sine += term * length / (2 * n + 1);
    term *= -strength * length * length / ((2 * n + 1) * (2 * n + 2));
  }
  return {cosine, sine, -strength * sine, cosine};
}

PlaneMap drift_map(double length) { return {1, length, 0, 1}; }

/// Makes (q, p) Gaussian with the given emittance and the matched ellipse of `map`.
struct Ellipse {
  double amplitude_q = 0;
  double amplitude_p = 0;
  double alpha = 0;

  Ellipse(const PlaneMap& map, double emittance) {
    const double cosine = map.cosine_of_phase();
    if (!(std::abs(cosine) < 1)) {
      throw quire::Error(quire::ErrorKind::usage, "the channel is not stable").advise("use a weaker quadrupole");
    }
    // std::sqrt is rounded correctly by IEEE 754, unlike the rest of the mathematical library.
    const double sine = std::copysign(std::sqrt(1 - cosine * cosine), map.qp);
    const double beta = map.qp / sine;
    alpha = (map.qq - map.pp) / (2 * sine);
    amplitude_q = std::sqrt(emittance * beta);
    amplitude_p = std::sqrt(emittance / beta);
  }
};

}  // namespace

Bunch::Bunch(std::size_t particles) : id(particles) {
  for (std::vector<double>& coordinate : coordinates) coordinate.resize(particles);
}

PlaneMap PlaneMap::after(const PlaneMap& first) const noexcept {
  return {qq * first.qq + qp * first.pq, qq * first.qp + qp * first.pp, pq * first.qq + pp * first.pq,
          pq * first.qp + pp * first.pp};
}

CellMap::CellMap(const Channel& channel)
    : half_sextupole_(channel.sextupole / 2),
      rf_linear_(-channel.rf * channel.rf_wave_number),
      rf_cubic_(rf_linear_ * channel.rf_cubic * channel.rf_wave_number * channel.rf_wave_number),
      rf_quintic_(rf_linear_ * channel.rf_quintic * channel.rf_wave_number * channel.rf_wave_number *
                  channel.rf_wave_number * channel.rf_wave_number) {
  const double half_length = channel.quadrupole_length / 2;
  const PlaneMap half_focusing = quadrupole_map(channel.quadrupole, half_length);
  const PlaneMap half_defocusing = quadrupole_map(-channel.quadrupole, half_length);
  const PlaneMap focusing = quadrupole_map(channel.quadrupole, channel.quadrupole_length);
  const PlaneMap defocusing = quadrupole_map(-channel.quadrupole, channel.quadrupole_length);
  const PlaneMap drift = drift_map(channel.drift_length);

  // Without bends a faster particle only runs ahead: dz/ds = delta/gamma^2.
  const double slip = 1 / (channel.gamma * channel.gamma);
  pieces_[0] = {half_focusing, half_defocusing, slip * half_length};
  pieces_[1] = {defocusing.after(drift), focusing.after(drift),
                slip * (channel.drift_length + channel.quadrupole_length)};
  pieces_[2] = {half_focusing.after(drift), half_defocusing.after(drift), slip * (channel.drift_length + half_length)};
}

std::array<PlaneMap, 3> CellMap::linear() const noexcept {
  const PlaneMap slip = drift_map(pieces_[0].slip + pieces_[1].slip + pieces_[2].slip);
  const PlaneMap cavity{1, 0, rf_linear_, 1};
  return {pieces_[2].x.after(pieces_[1].x).after(pieces_[0].x), pieces_[2].y.after(pieces_[1].y).after(pieces_[0].y),
          cavity.after(slip)};
}

void CellMap::track_block(const std::array<double*, coordinate_count>& block, std::size_t particles) const noexcept {
  for (std::size_t i = 0; i < particles; ++i) {
    std::array<double, coordinate_count> at{};
    for (std::size_t c = 0; c < coordinate_count; ++c) at[c] = block[c][i];

    const auto move = [&](const Piece& piece) {
      const double old_x = at[x];
      const double old_y = at[y];
      at[x] = piece.x.qq * old_x + piece.x.qp * at[px];
      at[px] = piece.x.pq * old_x + piece.x.pp * at[px];
      at[y] = piece.y.qq * old_y + piece.y.qp * at[py];
      at[py] = piece.y.pq * old_y + piece.y.pp * at[py];
      at[z] += piece.slip * at[delta];
    };
    const auto kick = [&](double half_strength) {
      at[px] -= half_strength * (at[x] * at[x] - at[y] * at[y]);
      at[py] += 2 * half_strength * at[x] * at[y];
    };
    move(pieces_[0]);
    kick(half_sextupole_);
    move(pieces_[1]);
    kick(-half_sextupole_);
    move(pieces_[2]);
    const double square = at[z] * at[z];
    at[delta] += at[z] * (rf_linear_ + square * (rf_cubic_ + square * rf_quintic_));

    for (std::size_t c = 0; c < coordinate_count; ++c) block[c][i] = at[c];
  }
}

void CellMap::track(Bunch& bunch, std::int64_t cells) const noexcept {
  // Blocks that stay in the cache over all cells: six columns of 8 KiB.
  constexpr std::size_t block_size = 1024;
  for (std::size_t first = 0; first < bunch.size(); first += block_size) {
    const std::size_t particles = std::min(block_size, bunch.size() - first);
    std::array<double*, coordinate_count> block{};
    for (std::size_t c = 0; c < coordinate_count; ++c) block[c] = bunch.coordinates[c].data() + first;
    for (std::int64_t cell = 0; cell < cells; ++cell) track_block(block, particles);
  }
}

Bunch make_bunch(const Beam& beam, const CellMap& cell, const quire::Slice& slice) {
  const auto maps = cell.linear();
  const Ellipse horizontal(maps[0], beam.emittance_x);
  const Ellipse vertical(maps[1], beam.emittance_y);
  Bunch bunch(slice.count);
  for (std::size_t i = 0; i < slice.count; ++i) {
    const std::uint64_t id = slice.first + i;
    bunch.id[i] = static_cast<std::int64_t>(id);
    std::array<double, coordinate_count> at{};
    for (std::uint32_t c = 0; c < coordinate_count; ++c) at[c] = gaussian(beam.seed, id, c);
    at[px] = horizontal.amplitude_p * (at[px] - horizontal.alpha * at[x]);
    at[x] *= horizontal.amplitude_q;
    at[py] = vertical.amplitude_p * (at[py] - vertical.alpha * at[y]);
    at[y] *= vertical.amplitude_q;
    at[z] *= beam.size_z;
    at[delta] *= beam.spread;
    for (std::size_t c = 0; c < coordinate_count; ++c) bunch.coordinates[c][i] = at[c] + beam.offset[c];
  }
  return bunch;
}

}  // namespace fodo
