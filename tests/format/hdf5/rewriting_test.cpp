// Existing steps are changed only on request: replaced, added to, or partly overwritten, in one publication.

#include <gtest/gtest.h>

#include "format/hdf5/simulation.hpp"
#include "quire/base/error.hpp"
#include "support/error_of.hpp"

namespace quire::test::rewriting_test {
namespace {

SimulatedStep one_column(std::int64_t number, const std::string& name, std::uint64_t rows, double value) {
  return {number, {attribute("made by", Value(name))}, {column(name)}, {std::vector<double>(rows, value)}};
}

std::vector<std::string> columns_of(Describer& describer, std::uint64_t index) {
  std::vector<std::string> names;
  const auto step = describer.step(index);
  for (const Column& column : step->description.tables.at(0).columns) names.push_back(column.name);
  return names;
}

/// Steps 0 to 4 of three columns, in an existing file or in one that is still open for writing.
std::unique_ptr<Simulation> five_steps(bool appended, const std::string& existing, std::uint64_t rows = 60) {
  const Options options{{"existing", existing}};
  auto simulation = appended ? std::make_unique<Simulation>(2) : std::make_unique<Simulation>(2, options);
  for (std::int64_t number = 0; number < 5; ++number) simulation->write(sample_step(number, rows));
  if (!appended) return simulation;
  simulation->finish();
  return std::make_unique<Simulation>(3, simulation->share(), std::nullopt, false, options);
}

class Rewriting : public testing::TestWithParam<bool> {};

TEST_P(Rewriting, IsRefusedUnlessAskedFor) {
  const auto simulation = five_steps(GetParam(), "refuse");
  const auto error = error_of([&] { simulation->write(sample_step(2, 60)); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::conflict);
  EXPECT_EQ(error_of([] { Simulation(1, {{"existing", "maybe"}}); })->kind(), ErrorKind::usage);
}

TEST_P(Rewriting, AStepIsReplacedAsAWhole) {
  const auto simulation = five_steps(GetParam(), "replace");
  simulation->write(one_column(2, "new", 31, 7.5));
  simulation->write(sample_step(5, 9));
  simulation->write(one_column(5, "again", 4, 1.5));
  const auto describer = describe(simulation->share());
  ASSERT_EQ(describer->steps(), 6U);
  EXPECT_TRUE(describer->file().warnings.empty()) << describer->file().warnings.front();
  for (const std::uint64_t index : {0U, 1U, 3U, 4U}) {
    expect_sample(simulation->file(), *describer, index, static_cast<std::int64_t>(index), 60);
  }
  EXPECT_EQ(columns_of(*describer, 2), std::vector<std::string>{"new"});
  EXPECT_EQ(column_values(simulation->file(), *describer, 2, "new"), std::vector<double>(31, 7.5));
  EXPECT_EQ(describer->step(2)->description.attributes.size(), 1U);
  EXPECT_EQ(columns_of(*describer, 5), std::vector<std::string>{"again"});
}

TEST_P(Rewriting, ColumnsAndAttributesAreAdded) {
  const auto simulation = five_steps(GetParam(), "add");
  simulation->write(one_column(3, "weight", 60, 0.5));
  const auto describer = describe(simulation->share());
  ASSERT_EQ(describer->steps(), 5U);
  EXPECT_EQ(columns_of(*describer, 3), (std::vector<std::string>{"x", "id", "y", "weight"}));
  EXPECT_EQ(column_values(simulation->file(), *describer, 3, "weight"), std::vector<double>(60, 0.5));
  EXPECT_EQ(column_values(simulation->file(), *describer, 3, "x"), sample_step(3, 60).values[0]);
  EXPECT_EQ(describer->step(3)->description.attributes.size(), 2U);

  const Bytes before = simulation->file().bytes;
  for (const SimulatedStep& wrong : {one_column(3, "x", 60, 1.0), one_column(2, "weight", 59, 1.0)}) {
    const auto error = error_of([&] { static_cast<void>(simulation->prepare(wrong)); });
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->kind(), ErrorKind::conflict);
    simulation->conclude(false);
  }
  EXPECT_EQ(simulation->file().bytes, before);
  simulation->write(one_column(1, "weight", 60, 2.5));
  EXPECT_EQ(columns_of(*describe(simulation->share()), 1).size(), 4U);
}

TEST_P(Rewriting, ColumnsAndAttributesAreOverwritten) {
  const auto simulation = five_steps(GetParam(), "overwrite", 20000);
  SimulatedStep step = one_column(1, "y", 20000, -3.0);
  step.columns[0].type = Type::float32;
  step.attributes.push_back(attribute(sample_step(1, 1).attributes[0].name, Value(99.0)));
  simulation->write(step);
  simulation->write(sample_step(5, 10));
  const auto describer = describe(simulation->share());
  ASSERT_EQ(describer->steps(), 6U);
  EXPECT_EQ(columns_of(*describer, 1), (std::vector<std::string>{"x", "id", "y"}));
  EXPECT_EQ(column_values(simulation->file(), *describer, 1, "y"), std::vector<double>(20000, -3.0));
  EXPECT_EQ(column_values(simulation->file(), *describer, 1, "x"), sample_step(1, 20000).values[0]);
  const auto found = describer->step(1);
  const auto& attributes = found->description.attributes;
  ASSERT_EQ(attributes.size(), 2U);
  EXPECT_EQ(attributes.front().value, Value(99.0));  // in its place
  for (const std::uint64_t index : {0U, 2U, 3U, 4U}) {
    expect_sample(simulation->file(), *describer, index, static_cast<std::int64_t>(index), 20000);
  }
  expect_sample(simulation->file(), *describer, 5, 5, 10);
}

TEST_P(Rewriting, EveryKillLeavesTheOldOrTheNewStep) {
  const auto simulation = five_steps(GetParam(), "overwrite");
  const auto file = simulation->share();
  const Publication acts = simulation->prepare(one_column(2, "x", 60, 8.0));
  for (std::size_t done = 0; done <= acts.size(); ++done) {
    const auto killed = std::make_shared<MemoryFile>(file->bytes);
    for (std::size_t act = 0; act < done; ++act) killed->carry_out(acts[act]);
    const auto describer = describe(killed);
    ASSERT_EQ(describer->steps(), 5U) << done;
    const std::vector<double> x = column_values(*killed, *describer, 2, "x");
    EXPECT_TRUE(x == std::vector<double>(60, 8.0) || x == sample_step(2, 60).values[0]) << done;
    EXPECT_EQ(column_values(*killed, *describer, 2, "id"), sample_step(2, 60).values[1]) << done;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Rewriting, testing::Values(false, true),
                         [](const auto& appended) { return appended.param ? "Appended" : "Created"; });

TEST(RewritingOthers, StepsOfOtherWritersAndWidths) {
  const auto file = std::make_shared<MemoryFile>(vector_bytes("part_stepname_2ranks.h5"));
  const std::uint64_t rows = describe(file)->step(1)->description.tables.at(0).rows;
  Simulation simulation(2, file, std::nullopt, false, {{"existing", "add"}, {"step_width", "2"}});
  simulation.write(one_column(1, "extra", rows, 6.0));
  const auto describer = describe(file);
  EXPECT_EQ(describer->steps(), 4U);
  EXPECT_TRUE(describer->file().warnings.empty());
  EXPECT_EQ(column_values(*file, *describer, 1, "extra"), std::vector<double>(rows, 6.0));
}

}  // namespace
}  // namespace quire::test::rewriting_test
