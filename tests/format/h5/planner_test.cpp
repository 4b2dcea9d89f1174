#include <gtest/gtest.h>

#include "format/h5/format.hpp"
#include "format/h5/simulation.hpp"

namespace quire::test {
namespace {

TEST(H5partPlanner, WritesTheSameBytesOnAnyNumberOfRanks) {
  Bytes reference;
  for (int ranks = 1; ranks <= 4; ++ranks) {
    Simulation simulation(ranks);
    simulation.set_file({"", "a title", "", {}, {attribute("code", Value("fodo"))}, {}});
    simulation.write(sample_step(0, 7));
    simulation.write(sample_step(5, 20000));
    simulation.write(sample_step(6, 0));
    simulation.write(sample_step(7, 3));
    simulation.finish();
    if (ranks == 1) reference = simulation.file().bytes;
    EXPECT_EQ(simulation.file().bytes, reference) << ranks << " ranks";

    auto describer = describe(simulation.share());
    EXPECT_EQ(describer->steps(), 4U);
    EXPECT_EQ(describer->file().title, "a title");
    expect_sample(simulation.file(), *describer, 0, 0, 7);
    expect_sample(simulation.file(), *describer, 1, 5, 20000);
    expect_sample(simulation.file(), *describer, 2, 6, 0);
    expect_sample(simulation.file(), *describer, 3, 7, 3);
  }
}

}  // namespace
}  // namespace quire::test
