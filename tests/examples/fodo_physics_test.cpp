#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "moments.hpp"
#include "physics.hpp"
#include "quire/base/error.hpp"

namespace fodo {
namespace {

constexpr std::uint64_t particles = 4000;

Channel linear_channel() {
  Channel channel;
  channel.sextupole = 0;
  channel.rf_cubic = 0;
  channel.rf_quintic = 0;
  return channel;
}

Bunch whole_bunch(const CellMap& cell) {
  Beam beam;
  beam.particles = particles;
  return make_bunch(beam, cell, {0, particles});
}

/// The textbook's phase advance of a cell of two thick quadrupoles and two drifts in its focusing-first plane:
/// K. Wille, The Physics of Particle Accelerators, section 3.13, from the product of the four matrices.
double analytic_cosine(const Channel& channel) {
  const double root = std::sqrt(channel.quadrupole);
  const double phi = root * channel.quadrupole_length;
  const double drift = root * channel.drift_length;
  return std::cos(phi) * std::cosh(phi) + drift * (std::cos(phi) * std::sinh(phi) - std::sin(phi) * std::cosh(phi)) -
         drift * drift / 2 * std::sin(phi) * std::sinh(phi);
}

/// The phase advance per cell from the motion itself: a centroid c on a linear map obeys
/// c(n+1) + c(n-1) = 2 cos(mu) c(n), solved here in the sense of least squares.
double phase_of(const std::vector<double>& centroid) {
  double top = 0;
  double bottom = 0;
  for (std::size_t n = 1; n + 1 < centroid.size(); ++n) {
    top += centroid[n] * (centroid[n + 1] + centroid[n - 1]);
    bottom += 2 * centroid[n] * centroid[n];
  }
  return std::acos(top / bottom);
}

double determinant(const PlaneMap& map) { return map.qq * map.pp - map.qp * map.pq; }

TEST(CellMap, ConservesPhaseSpaceAndHasTheAnalyticPhaseAdvance) {
  for (const double strength : {0.5, 3.0, 5.0, 9.0}) {
    Channel channel = linear_channel();
    channel.quadrupole = strength;
    for (const PlaneMap& map : CellMap(channel).linear()) EXPECT_NEAR(determinant(map), 1, 1e-14);
    const auto maps = CellMap(channel).linear();
    EXPECT_NEAR(maps[0].cosine_of_phase(), analytic_cosine(channel), 1e-14) << "k1 " << strength;
    EXPECT_NEAR(maps[1].cosine_of_phase(), analytic_cosine(channel), 1e-14) << "k1 " << strength;
  }
}

TEST(CellMap, GivesTheAnalyticSynchrotronPhaseAdvance) {
  const Channel channel = linear_channel();
  const double slip = channel.cell_length() / (channel.gamma * channel.gamma);
  EXPECT_NEAR(CellMap(channel).linear()[2].cosine_of_phase(), 1 - slip * channel.rf * channel.rf_wave_number / 2,
              1e-15);
}

TEST(Tracking, ConservesEmittancesInTheLinearChannel) {
  const CellMap cell(linear_channel());
  Bunch bunch = whole_bunch(cell);
  quire::Comm self = quire::Comm::self();
  const Moments before = measure(bunch, self);
  constexpr int cells = 500;
  cell.track(bunch, cells);
  const Moments after = measure(bunch, self);
  // The constants of the three maps of a cell are rounded, so each determinant is 1 to the last bit or two.
  constexpr double tolerance = 3 * cells * 2 * std::numeric_limits<double>::epsilon();
  for (std::size_t plane = 0; plane < 3; ++plane) {
    EXPECT_GT(before.emittance[plane], 0);
    EXPECT_NEAR(after.emittance[plane] / before.emittance[plane], 1, tolerance) << "plane " << plane;
  }
}

TEST(Tracking, ChangesEmittancesInTheNonlinearChannel) {
  const CellMap cell{Channel{}};
  Bunch bunch = whole_bunch(cell);
  quire::Comm self = quire::Comm::self();
  const Moments before = measure(bunch, self);
  cell.track(bunch, 500);
  const Moments after = measure(bunch, self);
  for (std::size_t plane = 0; plane < 3; ++plane) {
    EXPECT_GT(std::abs(after.emittance[plane] / before.emittance[plane] - 1), 1e-6) << "plane " << plane;
    EXPECT_LT(after.emittance[plane], 2 * before.emittance[plane]) << "the bunch stays together";
  }
}

TEST(Tracking, MovesTheCentroidWithTheAnalyticTune) {
  const Channel channel = linear_channel();
  const CellMap cell(channel);
  Bunch bunch = whole_bunch(cell);
  quire::Comm self = quire::Comm::self();
  std::vector<double> horizontal;
  std::vector<double> vertical;
  for (int n = 0; n < 64; ++n) {
    const Moments moments = measure(bunch, self);
    horizontal.push_back(moments.centroid[x]);
    vertical.push_back(moments.centroid[y]);
    cell.track(bunch, 1);
  }
  const double expected = std::acos(analytic_cosine(channel));
  EXPECT_NEAR(phase_of(horizontal), expected, 1e-12);
  EXPECT_NEAR(phase_of(vertical), expected, 1e-12);
}

TEST(Tracking, KicksBySextupolesAndTheCavityAsPublished) {
  // A channel of no length: only the kicks remain, the two sextupoles cancel.
  Channel channel;
  channel.quadrupole = 0;
  channel.quadrupole_length = 0;
  channel.drift_length = 0;
  Bunch bunch(1);
  bunch.coordinates[x][0] = 0.01;
  bunch.coordinates[z][0] = 0.05;
  CellMap(channel).track(bunch, 1);
  EXPECT_EQ(bunch.coordinates[px][0], 0);
  const double phase = channel.rf_wave_number * 0.05;
  EXPECT_NEAR(bunch.coordinates[delta][0], -channel.rf * std::sin(phase), channel.rf * std::pow(phase, 7) / 5040);

  // With a drift between them, the second one acts at the position after the kick of the first one.
  channel.drift_length = 1;
  Bunch moved(1);
  moved.coordinates[x][0] = 0.01;
  moved.coordinates[y][0] = 0.02;
  CellMap(channel).track(moved, 1);
  const double half = channel.sextupole / 2;
  const double kick_x = -half * (0.01 * 0.01 - 0.02 * 0.02);
  const double kick_y = 2 * half * 0.01 * 0.02;
  const double at_x = 0.01 + kick_x;
  const double at_y = 0.02 + kick_y;
  EXPECT_NEAR(moved.coordinates[px][0], kick_x + half * (at_x * at_x - at_y * at_y), 1e-18);
  EXPECT_NEAR(moved.coordinates[py][0], kick_y - 2 * half * at_x * at_y, 1e-18);
}

TEST(Bunch, IsMatchedToTheChannel) {
  const CellMap cell(linear_channel());
  Beam beam;
  beam.particles = particles;
  beam.offset = {};
  Bunch bunch = make_bunch(beam, cell, {0, particles});
  quire::Comm self = quire::Comm::self();
  const Moments moments = measure(bunch, self);
  EXPECT_EQ(moments.particles, particles);
  const double tolerance = 5 / std::sqrt(particles);
  EXPECT_NEAR(moments.emittance[0] / beam.emittance_x, 1, tolerance);
  EXPECT_NEAR(moments.emittance[1] / beam.emittance_y, 1, tolerance);
  EXPECT_NEAR(moments.rms[z] / beam.size_z, 1, tolerance);
  EXPECT_NEAR(moments.rms[delta] / beam.spread, 1, tolerance);
  // The sizes of a matched beam repeat after each cell, within the statistics of the bunch.
  Bunch later = bunch;
  cell.track(later, 1);
  EXPECT_NEAR(measure(later, self).rms[x] / moments.rms[x], 1, tolerance);
}

TEST(Bunch, IsRefusedInAnUnstableChannel) {
  Channel channel = linear_channel();
  channel.quadrupole = 20;
  try {
    static_cast<void>(make_bunch(Beam{}, CellMap(channel), {0, 1}));
    FAIL() << "an unstable channel was accepted";
  } catch (const quire::Error& error) {
    EXPECT_EQ(error.kind(), quire::ErrorKind::usage);
  }
}

}  // namespace
}  // namespace fodo
