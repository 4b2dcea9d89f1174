// The result of a run has the same bits on any number of ranks, and a restart continues them, in every format.

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "quire/format/format.hpp"
#include "simulation.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"

namespace fodo {
namespace {

constexpr std::uint64_t particles = 1001;  // not a multiple of any number of ranks

Simulation small_run(const quire::Format& format, const std::string& name) {
  Simulation run;
  run.beam.particles = particles;
  run.cells = 7;
  run.every = 3;
  run.format = format.name;
  run.output = quire::test::path(name + std::string(format.suffixes.front()));
  return run;
}

std::vector<Report> reports_of(const Simulation& run, const quire::Comm& comm) {
  std::vector<Report> reports;
  simulate(run, comm, [&](const Report& report) { reports.push_back(report); });
  return reports;
}

TEST(FodoRanks, MomentsHaveTheSameBitsOnAnyNumberOfRanks) {
  const CellMap cell{Channel{}};
  Beam beam;
  beam.particles = particles;
  quire::Comm self = quire::Comm::self();
  quire::Comm world = quire::test::everyone();

  Bunch alone = make_bunch(beam, cell, {0, particles});
  cell.track(alone, 20);
  const Moments expected = measure(alone, self);
  for (const bool root_empty : {false, true}) {
    const quire::Slice slice = root_empty ? quire::slice_without_root(particles, world.rank(), world.size())
                                          : quire::even_slice(particles, world.rank(), world.size());
    Bunch mine = make_bunch(beam, cell, slice);
    cell.track(mine, 20);
    EXPECT_EQ(measure(mine, world), expected) << "root empty: " << root_empty;
    for (std::size_t c = 0; c < coordinate_count; ++c) {
      const double* part = alone.coordinates[c].data() + slice.first;
      EXPECT_EQ(std::memcmp(mine.coordinates[c].data(), part, slice.count * sizeof(double)), 0);
    }
  }
}

TEST(FodoRanks, WritesTheSameBytesAsOneRank) {
  quire::Comm world = quire::test::everyone();
  for (const quire::Format* format : quire::test::formats_of_steps()) {
    SCOPED_TRACE(format->name);
    Simulation together = small_run(*format, "together");
    const auto reports = reports_of(together, world);
    ASSERT_EQ(reports.size(), 4U);
    EXPECT_EQ(reports.back().cell, 7);
    Simulation alone = small_run(*format, "alone" + std::to_string(world.rank()));
    reports_of(alone, quire::Comm::self());
    const std::string expected = quire::test::bytes_of(alone.output);
    ASSERT_GT(expected.size(), particles * 56 * 4);
    EXPECT_TRUE(quire::test::bytes_of(together.output) == expected);
    world.barrier();
    together.root_empty = true;
    reports_of(together, world);
    EXPECT_TRUE(quire::test::bytes_of(together.output) == expected) << "with an empty rank 0";
    world.barrier();
    together.async = true;
    reports_of(together, world);
    EXPECT_TRUE(quire::test::bytes_of(together.output) == expected) << "while the next step is tracked";
    world.barrier();
  }
}

TEST(FodoRanks, ContinuesBitForBitFromAnyStepOfAnyFormat) {
  quire::Comm world = quire::test::everyone();
  for (const quire::Format* from : quire::test::formats_of_steps()) {
    const Simulation whole = small_run(*from, "whole");
    const auto expected = reports_of(whole, world);
    for (const quire::Format* to : quire::test::formats_of_steps()) {
      for (const std::int64_t step : {0, 3, 6}) {
        SCOPED_TRACE(std::string(from->name) + " to " + std::string(to->name) + " at " + std::to_string(step));
        Simulation continued = small_run(*to, "continued");
        continued.restart_from = whole.output;
        continued.restart_step = step;
        continued.root_empty = true;
        const auto reports = reports_of(continued, world);
        ASSERT_FALSE(reports.empty());
        EXPECT_EQ(reports.back().moments, expected.back().moments);
        EXPECT_EQ(reports.back().s, expected.back().s);
      }
    }
  }
}

TEST(FodoRanks, AppendingAfterAnEarlierStepRestoresTheFile) {
  quire::Comm world = quire::test::everyone();
  for (const quire::Format* format : quire::test::formats_of_steps()) {
    SCOPED_TRACE(format->name);
    Simulation run = small_run(*format, "appended");
    const auto expected = reports_of(run, world);
    run.restart_from = run.output;
    run.restart_step = 3;
    run.root_empty = true;
    EXPECT_THROW(reports_of(run, world), quire::Error) << "later steps must not vanish unasked";
    run.drop_later = true;
    reports_of(run, world);

    quire::Reader reader = quire::open(run.output, world);
    EXPECT_EQ(reader.numbers(), (std::vector<std::int64_t>{0, 3, 6, 7}));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const quire::ReadStep step = reader.at(i);
      EXPECT_EQ(step.attribute("ex").value.as_double(), expected[i].moments.emittance[0]);
      EXPECT_EQ(step.attribute("Cx").value.as_double(), expected[i].moments.centroid[x]);
      EXPECT_EQ(step.attribute("s").value.as_double(), expected[i].s);
    }
    reader.close();
  }
}

TEST(FodoRanks, KeepsTheChannelOfTheFile) {
  quire::Comm world = quire::test::everyone();
  const quire::Format& format = *quire::formats().front();
  Simulation run = small_run(format, "channel");
  run.sextupole = 3;
  run.cells = 3;
  reports_of(run, world);
  Simulation further = small_run(format, "further");
  further.restart_from = run.output;
  const auto continued = reports_of(further, world);
  run.cells = 7;
  EXPECT_EQ(reports_of(run, world).back().moments, continued.back().moments);

  further.restart_from = further.output;
  EXPECT_THROW(([&] {
                 Simulation changed = further;
                 changed.rf = 0;
                 reports_of(changed, world);
               }()),
               quire::Error);
}

}  // namespace
}  // namespace fodo
