// Writing H5Part: the same bytes on any number of ranks, appending, dropping, names and units.

#include <gtest/gtest.h>

#include "format/h5part/format.hpp"
#include "format/hdf5/simulation.hpp"
#include "quire/base/error.hpp"
#include "support/error_of.hpp"

namespace quire::test::planner_test {
namespace {

FileDescription described_as(std::string title, std::vector<Attribute> attributes = {}) {
  return {"", std::move(title), "", {}, std::move(attributes), {}, {}, {}};
}

TEST(H5partPlanner, WritesTheSameBytesOnAnyNumberOfRanks) {
  Bytes reference;
  for (int ranks = 1; ranks <= 4; ++ranks) {
    Simulation simulation(ranks);
    simulation.set_file(described_as("a title", {attribute("code", Value("fodo"))}));
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

TEST(H5partPlanner, GroupsThatGrowDuringCreationDoNotDamageTheRoot) {
  // The names of many columns are moved to a larger heap, and the names of the steps reuse the first one.
  for (const std::size_t columns : {3U, 20U, 60U, 150U}) {
    for (const bool appended : {false, true}) {
      SCOPED_TRACE(std::to_string(columns) + (appended ? " columns, appended" : " columns"));
      constexpr std::int64_t steps = 90;
      auto simulation = std::make_unique<Simulation>(1);
      for (std::int64_t number = 0; number < steps; ++number) {
        if (appended && number == 30)
          simulation = std::make_unique<Simulation>(1, simulation->share(), std::nullopt, false);
        SimulatedStep step{number, {attribute("s", Value(std::string(40, 'a')))}, {}, {}};
        for (std::size_t c = 0; c < columns; ++c) {
          step.columns.push_back(column("a name of column " + std::to_string(c)));
          step.values.push_back({static_cast<double>(number), static_cast<double>(c)});
        }
        simulation->write(step);
      }
      const auto describer = describe(simulation->share());
      EXPECT_TRUE(describer->file().warnings.empty()) << describer->file().warnings.front();
      ASSERT_EQ(describer->steps(), static_cast<std::uint64_t>(steps));
      for (std::uint64_t index = 0; index < describer->steps(); ++index) {
        const std::string last = "a name of column " + std::to_string(columns - 1);
        EXPECT_EQ(column_values(simulation->file(), *describer, index, last),
                  (std::vector<double>{static_cast<double>(index), static_cast<double>(columns - 1)}));
      }
    }
  }
}

TEST(H5partPlanner, MetadataAreTheSameWorkOnAnyNumberOfRanks) {
  std::vector<std::uint64_t> acts;
  std::vector<std::uint64_t> reads;
  for (const int ranks : {1, 3, 100}) {
    Simulation simulation(ranks);
    simulation.write(sample_step(0, 200));
    simulation.finish();
    Simulation more(ranks, simulation.share(), {}, false);
    more.file().reads = 0;
    acts.push_back(more.prepare(sample_step(1, 200)).size());
    reads.push_back(more.file().reads);
    more.conclude(true);
  }
  EXPECT_EQ(acts, std::vector<std::uint64_t>(3, acts[0]));
  EXPECT_EQ(reads, std::vector<std::uint64_t>(3, reads[0]));
}

TEST(H5partPlanner, AStepOfManyColumnsIsPublishedOnce) {
  const auto published = [](std::size_t columns) {
    Simulation simulation(2);
    simulation.write(sample_step(0, 10));
    SimulatedStep step{1, {}, {}, {}};
    for (std::size_t c = 0; c < columns; ++c) {
      step.columns.push_back(column("column" + std::to_string(c)));
      step.values.push_back(std::vector<double>(100, 1.0));
    }
    return simulation.prepare(step);
  };
  const auto syncs = [](const Publication& acts) {
    return std::ranges::count_if(acts, [](const PublishAct& act) { return std::holds_alternative<PublishSync>(act); });
  };
  const Publication few = published(3);
  const Publication many = published(200);
  EXPECT_EQ(syncs(few), syncs(many));
  // New metadata are a few extents in free space; overwritten bytes belong to the root.
  EXPECT_LE(many.size(), few.size() + 8);
}

TEST(H5partPlanner, LargeColumnsAreAligned) {
  Simulation simulation(2);
  simulation.write(sample_step(0, 20000));
  const auto describer = describe(simulation.share());
  const auto step = describer->step(0);
  for (const auto& run : step->tables.at(0).runs) {
    EXPECT_EQ(run.offset % 4096, 0U);
    EXPECT_FALSE(run.opaque);
  }
}

TEST(H5partPlanner, AFileWithoutStepsIsValid) {
  Simulation simulation(2);
  simulation.set_file(described_as("nothing", {attribute("n", Value(3))}));
  simulation.finish();
  const auto describer = describe(simulation.share());
  EXPECT_EQ(describer->steps(), 0U);
  EXPECT_EQ(describer->file().title, "nothing");
  ASSERT_EQ(describer->file().attributes.size(), 1U);
  EXPECT_EQ(describer->file().attributes[0].value, Value(3));
}

TEST(H5partPlanner, AFailedStepLeavesNoTrace) {
  Simulation plain(3);
  Simulation failing(3);
  for (auto* simulation : {&plain, &failing}) simulation->write(sample_step(0, 100));
  const Bytes before = failing.file().bytes;
  static_cast<void>(failing.prepare(sample_step(1, 5000)));
  failing.conclude(false);
  EXPECT_EQ(failing.file().bytes, before);
  for (auto* simulation : {&plain, &failing}) simulation->write(sample_step(2, 300));
  EXPECT_EQ(failing.file().bytes, plain.file().bytes);
}

TEST(H5partPlanner, AppendingContinuesTheFile) {
  Simulation first(3);
  first.write(sample_step(0, 50));
  first.write(sample_step(1, 60));
  first.finish();
  Simulation second(2, first.share(), {}, false);
  EXPECT_EQ(error_of([&] { second.write(sample_step(1, 5)); })->kind(), ErrorKind::conflict);
  second.write(sample_step(2, 70));
  second.write(sample_step(3, 0));
  second.finish();
  const auto describer = describe(second.share());
  ASSERT_EQ(describer->steps(), 4U);
  expect_sample(second.file(), *describer, 0, 0, 50);
  expect_sample(second.file(), *describer, 1, 1, 60);
  expect_sample(second.file(), *describer, 2, 2, 70);
  expect_sample(second.file(), *describer, 3, 3, 0);
}

TEST(H5partPlanner, LaterStepsAreRefusedOrDroppedOnRequest) {
  Simulation first(2);
  for (const std::int64_t number : {0, 10, 20, 30}) first.write(sample_step(number, 40));
  const std::size_t whole = first.file().bytes.size();

  EXPECT_EQ(error_of([&] { Simulation(1, first.share(), 10, false); })->kind(), ErrorKind::conflict);
  EXPECT_EQ(error_of([&] { Simulation(1, first.share(), 15, true); })->kind(), ErrorKind::missing);
  Simulation second(2, first.share(), 10, true);
  EXPECT_LT(second.file().bytes.size(), whole) << "the dropped steps were stored at the end of the file";
  second.write(sample_step(20, 90));
  second.write(sample_step(25, 9));
  const auto describer = describe(second.share());
  ASSERT_EQ(describer->steps(), 4U);
  expect_sample(second.file(), *describer, 1, 10, 40);
  expect_sample(second.file(), *describer, 2, 20, 90);
  expect_sample(second.file(), *describer, 3, 25, 9);
}

TEST(H5partPlanner, AppendsToFilesOfOtherWriters) {
  // Superblock 0 by the reference; superblock 3 with compact groups by h5py; padded numbers and another prefix.
  for (const std::string name : {"part_basic_3ranks.h5", "foreign_h5py.h5", "part_stepname_2ranks.h5"}) {
    SCOPED_TRACE(name);
    const auto file = std::make_shared<MemoryFile>(vector_bytes(name));
    const std::uint64_t steps = describe(file)->steps();
    const std::vector<double> x = column_values(*file, *describe(file), 0, "x");
    Simulation simulation(2, file, {}, false);
    simulation.write(sample_step(200, 31));
    simulation.write(sample_step(201, 30000));
    const auto describer = describe(file);
    ASSERT_EQ(describer->steps(), steps + 2);
    EXPECT_EQ(column_values(*file, *describer, 0, "x"), x);
    expect_sample(*file, *describer, steps, 200, 31);
    expect_sample(*file, *describer, steps + 1, 201, 30000);
  }
}

TEST(H5partPlanner, StepNamesHaveAPrefixAndAWidth) {
  Simulation simulation(1, {{"step_name", "Iter"}, {"step_width", "5"}});
  simulation.write(sample_step(-7, 3));
  simulation.write(sample_step(12, 3));
  const auto describer = describe(simulation.share());
  ASSERT_EQ(describer->steps(), 2U);
  EXPECT_EQ(describer->step_number(0), -7);
  const auto& layout = describer->file().layout;
  const auto width = std::ranges::find(layout, "step width", &Fact::name);
  ASSERT_NE(width, layout.end());
  EXPECT_EQ(width->value, "5");
  EXPECT_EQ(describe(simulation.share(), {{"step_name", "Step"}})->steps(), 0U);
}

TEST(H5partPlanner, UnitsAreStoredAsFileAttributes) {
  Simulation simulation(2);
  simulation.set_file(described_as("", {attribute("L", Value(2.5), "m"), attribute("pxUnit", Value("1"))}));
  SimulatedStep step = sample_step(0, 4);
  simulation.write(step);
  step.number = 1;
  step.columns.push_back(column("px", Type::float64, "1"));
  step.columns.push_back(column("E", Type::float64, "MeV"));
  step.values.resize(5, {1, 2, 3, 4});
  simulation.write(step);
  step.number = 2;
  step.columns[0].unit = "mm";
  EXPECT_EQ(error_of([&] { simulation.write(step); })->kind(), ErrorKind::conflict);

  const auto describer = describe(simulation.share());
  const auto& attributes = describer->file().attributes;
  ASSERT_EQ(attributes.size(), 1U) << "only L; units of columns are set on the columns of any step";
  EXPECT_EQ(attributes[0].unit, "m");
  const auto described = describer->step(1);
  EXPECT_EQ(described->description.attributes.at(0).unit, "s");
  const Table& table = described->description.tables.at(0);
  EXPECT_EQ(table.columns[table.find("x")].unit, "m");
  EXPECT_EQ(table.columns[table.find("px")].unit, "1");
  EXPECT_EQ(table.columns[table.find("E")].unit, "MeV");
}

TEST(H5partPlanner, AttributesOfEveryTypeAndShapeAreKept) {
  const std::vector<float> floats{1.5F, -0.0F};
  const std::vector<std::int8_t> bytes{65, 0};
  SimulatedStep step{0, {}, {}, {}};
  step.attributes = {attribute("text", Value("a b")),
                     attribute("empty", Value("")),
                     attribute("umlaut", Value("h\xc3\xb6he")),
                     attribute("texts", Value::texts({2}, {"one", "three"})),
                     attribute("f", Value(std::span<const float>(floats))),
                     attribute("large", Value(std::uint64_t{18446744073709551615ULL})),
                     attribute("matrix", Value::numbers(Type::int16, {2, 1}, Bytes(4))),
                     attribute("none", Value::numbers(Type::float64, {0}, {}))};
  Simulation simulation(1);
  SimulatedStep with_bytes = step;
  with_bytes.attributes.push_back(attribute("bytes", Value(std::span<const std::int8_t>(bytes))));
  simulation.write(with_bytes);
  const auto found = describe(simulation.share())->step(0)->description.attributes;
  ASSERT_EQ(found.size(), step.attributes.size() + 1);
  for (std::size_t i = 0; i < step.attributes.size(); ++i) {
    EXPECT_EQ(found[i].name, step.attributes[i].name);
    EXPECT_EQ(found[i].value, step.attributes[i].value) << found[i].name;
  }
  EXPECT_EQ(found.back().value, Value(std::span<const std::int8_t>(bytes)).converted_to(Type::int16))
      << "8-bit arrays would read back as texts";
}

TEST(H5partPlanner, EightBitAttributesAreWidenedForH5hut) {
  const std::vector<std::uint8_t> bytes{0, 255};
  const std::vector<Attribute> given{
      attribute("signed", Value(std::int8_t{-128})), attribute("zero", Value(std::int8_t{0})),
      attribute("unsigned", Value(std::uint8_t{255})), attribute("array", Value(std::span<const std::uint8_t>(bytes)))};
  Simulation simulation(1);
  FileDescription file;
  file.attributes = {given[2]};
  simulation.set_file(file);
  simulation.write({0, given, {}, {}});
  const auto describer = describe(simulation.share());
  std::vector<Attribute> found = describer->step(0)->description.attributes;
  ASSERT_EQ(found.size(), given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    EXPECT_EQ(found[i].value, given[i].value.converted_to(Type::int16)) << given[i].name;
  }
  EXPECT_EQ(describer->file().attributes.at(0).type, Type::int16);
  StepDescription step;
  step.attributes = given;
  const std::vector<Change> changes = h5part_format().fit_with_presets({}, step).changes;
  ASSERT_EQ(changes.size(), given.size());
  EXPECT_EQ(changes[2].kind, ChangeKind::reshaped);
  EXPECT_EQ(changes[2].name, "unsigned");
}

TEST(H5partFit, ReportsTextsThatH5hutDoesNotRead) {
  StepDescription step;
  step.attributes = {attribute("names", Value::texts({2}, {"one", "two"})), attribute("name", Value("one"))};
  const Fit fit = h5part_format().fit_with_presets({}, step);
  ASSERT_EQ(fit.changes.size(), 1U);
  EXPECT_EQ(fit.changes[0].kind, ChangeKind::reshaped);
  EXPECT_EQ(fit.changes[0].name, "names");
  EXPECT_EQ(fit.changes[0].what, "the H5Part library reads only the first of its texts");
  EXPECT_EQ(fit.adapted.attributes.at(0).value, step.attributes[0].value);
}

TEST(H5partPlanner, UnsupportedObjectsAreRefusedByName) {
  const auto refusal = [](const SimulatedStep& step) {
    Simulation simulation(1);
    return error_of([&] { simulation.write(step); });
  };
  SimulatedStep step = sample_step(0, 2);
  step.attributes.push_back(attribute("long", Value(std::string(70000, 'x'))));
  EXPECT_EQ(refusal(step)->kind(), ErrorKind::unsupported);
  EXPECT_EQ(refusal(step)->object(), "long");
  step = sample_step(0, 2);
  step.attributes.push_back(attribute("near", Value(std::string(65000, 'x'))));
  EXPECT_FALSE(refusal(step).has_value());
  for (const std::string name : {"Block", "a/b", "", "."}) {
    step = sample_step(0, 2);
    step.columns[1].name = name;
    EXPECT_EQ(refusal(step)->kind(), ErrorKind::usage) << name;
  }
  step = sample_step(0, 2);
  step.columns[1].name = "x";
  EXPECT_EQ(refusal(step)->kind(), ErrorKind::conflict);
}

TEST(H5partFit, ReportsEveryLoss) {
  StepDescription step;
  step.tables.push_back(
      {"beam", 3, {column("x", Type::float80), column("name", Type::string), column("c", Type::character)}});
  step.tables[0].columns[0].symbol = "x";
  step.tables.push_back({"halo", 3, {column("y")}});
  step.fields.emplace_back().name = "phi";
  step.fields.back().extents = {2, 2, 2, 2};
  const Fit fit = h5part_format().fit_with_presets({}, step);
  ASSERT_EQ(fit.adapted.tables.size(), 1U);
  ASSERT_EQ(fit.adapted.tables[0].columns.size(), 3U);
  EXPECT_EQ(fit.adapted.tables[0].columns[0].type, Type::float64);
  EXPECT_EQ(fit.adapted.tables[0].columns[1].type, Type::string);
  EXPECT_EQ(fit.adapted.tables[0].columns[2].type, Type::int8);
  EXPECT_TRUE(fit.adapted.fields.empty());
  const auto count = [&](ChangeKind kind) { return std::ranges::count(fit.changes, kind, &Change::kind); };
  EXPECT_EQ(count(ChangeKind::lost), 6) << "a name, a table, digits, texts, characters, a field";
  EXPECT_EQ(count(ChangeKind::reshaped), 0);
}

}  // namespace
}  // namespace quire::test::planner_test
