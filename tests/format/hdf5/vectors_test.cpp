// The conformance vectors of H5Part: comparison with their truths, and files that must be refused.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "format/h5part/format.hpp"
#include "format/hdf5/simulation.hpp"
#include "format/hdf5/truth.hpp"
#include "quire/base/error.hpp"
#include "support/error_of.hpp"

namespace quire::test::vectors_test {
namespace {

std::filesystem::path folder() {
  const char* data = std::getenv("QUIRE_TEST_DATA");
  return std::filesystem::path(data == nullptr ? "." : data) / "h5part";
}

/// The names of the files whose truth has this value of `expect`, without compressed ones.
std::vector<std::string> vectors(const std::string& expect) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".json" || name.ends_with(".gz")) continue;
    const Json truth = Json::load(entry.path().string());
    if (truth.has("meshes")) continue;  // they have no steps: see below
    if (truth["expect"].text() == expect) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

std::unique_ptr<Describer> describe_vector(const std::shared_ptr<MemoryFile>& file) {
  DescribeContext context;
  context.neighbour = [](const std::string& name) -> std::shared_ptr<ByteSource> {
    if (!std::filesystem::exists(folder() / name)) return nullptr;
    return std::make_shared<MemoryFile>(vector_bytes(name));
  };
  return describe(file, {}, context);
}

TEST(ValidVectors, MatchTheirTruths) {
  const auto names = vectors("ok");
  EXPECT_GE(names.size(), 23U);
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const auto file = std::make_shared<MemoryFile>(vector_bytes(name));
    ASSERT_TRUE(h5part_format().recognises(file->bytes, file->bytes.size()));
    const auto describer = describe_vector(file);
    expect_truth(Json::load((folder() / (name + ".json")).string()), *file, *describer, {});
  }
}

/// Writes a described file again, without fields.
Simulation rewritten(ByteSource& file, Describer& describer, int ranks) {
  Simulation copy(ranks);
  copy.set_file(describer.file());
  for (std::uint64_t index = 0; index < describer.steps(); ++index) {
    const auto layout = describer.step(index);
    const Fit fit = h5part_format().fit_with_presets(describer.file(), layout->description);
    SimulatedStep step{layout->description.number, fit.adapted.attributes, {}, {}};
    if (!fit.adapted.tables.empty()) step.columns = fit.adapted.tables.front().columns;
    for (const Column& column : step.columns) {
      step.values.push_back(column_values(file, describer, index, column.name));
    }
    copy.write(step);
  }
  copy.finish();
  return copy;
}

TEST(ValidVectors, LoseOnlyFieldsWhenTheyAreWrittenAgain) {
  for (const std::string& name : vectors("ok")) {
    SCOPED_TRACE(name);
    const auto file = std::make_shared<MemoryFile>(vector_bytes(name));
    const auto describer = describe_vector(file);
    Simulation copy = rewritten(*file, *describer, 3);
    const auto again = describe(copy.share());
    expect_truth(Json::load((folder() / (name + ".json")).string()), copy.file(), *again,
                 {.with_fields = false, .with_bytes = false});
  }
}

TEST(MeshVectors, AreReadByTheirChunks) {
  for (const std::string name : {"mesh_tet_repacked.h5", "mesh_tri_refined_repacked.h5"}) {
    SCOPED_TRACE(name);
    const auto file = std::make_shared<MemoryFile>(vector_bytes(name));
    EXPECT_TRUE(h5part_format().owns(file));
    const auto describer = describe_vector(file);
    ASSERT_EQ(describer->steps(), 1U);
    const auto step = describer->step(0);
    ASSERT_TRUE(step.has_value());
    EXPECT_EQ(step->tables.size(), 11U);
    for (std::size_t t = 0; t < step->tables.size(); ++t) {
      ASSERT_EQ(step->tables[t].runs.size(), 1U);
      const quire::Run& run = step->tables[t].runs.front();
      EXPECT_TRUE(run.chunks.has_value());
      EXPECT_FALSE(run.opaque);
      EXPECT_GE(run.cells.size(), step->description.tables[t].columns.size());
    }
  }
}

// ---- Damaged files

TEST(DamagedVector, AllAreKnown) {
  EXPECT_EQ(vectors("error"),
            (std::vector<std::string>{"bad_block.h5", "bad_btree.h5", "bad_empty.h5", "bad_lengths.h5",
                                      "bad_signature.h5", "bad_step_dataset.h5", "bad_truncated.h5"}));
}

TEST(DamagedVector, FilesThatCannotBeOpenedReportReasonAndOffset) {
  for (const std::string name : {"bad_empty.h5", "bad_signature.h5", "bad_truncated.h5"}) {
    const auto error = error_of([&] { static_cast<void>(describe(vector_bytes(name))); });
    ASSERT_TRUE(error.has_value()) << name;
    EXPECT_EQ(error->kind(), ErrorKind::bad_file) << name;
    EXPECT_TRUE(error->offset().has_value()) << error->what();
  }
  EXPECT_FALSE(h5part_format().recognises(vector_bytes("bad_signature.h5"), 11640));
}

TEST(DamagedVector, ADamagedTreeAffectsOnlyItsStep) {
  const auto file = std::make_shared<MemoryFile>(vector_bytes("bad_btree.h5"));
  const auto describer = describe(file);
  std::uint64_t damaged = 0;
  for (std::uint64_t index = 0; index < describer->steps(); ++index) {
    const auto error = error_of([&] { static_cast<void>(describer->step(index)); });
    if (!error) continue;
    ++damaged;
    EXPECT_EQ(error->kind(), ErrorKind::bad_file);
    EXPECT_TRUE(error->offset().has_value()) << error->what();
  }
  EXPECT_EQ(damaged, 1U);
}

TEST(DamagedVector, ColumnsOfOtherLengthsAreReadable) {
  const auto file = std::make_shared<MemoryFile>(vector_bytes("bad_lengths.h5"));
  const auto describer = describe(file);
  const auto step = describer->step(0);
  ASSERT_TRUE(step.has_value());
  EXPECT_EQ(column_values(*file, *describer, 0, "x").size(), 10U);
  EXPECT_EQ(column_values(*file, *describer, 0, "z").size(), 10U);
  ASSERT_EQ(step->description.fields.size(), 1U);
  EXPECT_EQ(step->description.fields[0].name, "y");
  EXPECT_EQ(step->description.fields[0].extents, std::vector<std::uint64_t>{9});
  EXPECT_EQ(run_value(*file, *describer, 0, "y", 0, step->fields[0].runs[0]).count(), 9U);
  ASSERT_EQ(step->description.warnings.size(), 1U);
  EXPECT_NE(step->description.warnings[0].find("column y"), std::string::npos);

  const auto strict = describe(file, {{"strict", "true"}});
  const auto error = error_of([&] { static_cast<void>(strict->step(0)); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::bad_file);
  EXPECT_EQ(error->object(), "y");
}

TEST(DamagedVector, InvalidStepsAreReportedAndTheOthersRead) {
  const auto file = std::make_shared<MemoryFile>(vector_bytes("bad_step_dataset.h5"));
  const auto describer = describe(file);
  ASSERT_EQ(describer->steps(), 3U);
  EXPECT_EQ(column_values(*file, *describer, 0, "x"), (std::vector<double>{0, 1, 2}));
  const auto error = error_of([&] { static_cast<void>(describer->step(1)); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->object(), "Step#1");
  const auto plane = describer->step(2);
  ASSERT_TRUE(plane.has_value());
  EXPECT_TRUE(plane->tables.empty());
  EXPECT_EQ(plane->description.warnings.size(), 1U);
  EXPECT_FALSE(describer->file().warnings.empty()) << "Step#abc is not mentioned";
}

TEST(DamagedVector, DefectiveFieldsAreNamedAndTheGoodOneRead) {
  const auto file = std::make_shared<MemoryFile>(vector_bytes("bad_block.h5"));
  const auto describer = describe(file);
  const auto step = describer->step(0);
  ASSERT_TRUE(step.has_value());
  ASSERT_EQ(step->description.fields.size(), 1U);
  EXPECT_EQ(step->description.fields[0].name, "ok");
  EXPECT_EQ(step->description.fields[0].extents, (std::vector<std::uint64_t>{2, 3, 4}));
  EXPECT_EQ(run_value(*file, *describer, 0, "ok", 0, step->fields[0].runs[0]).as_double(23), 23.0);
  EXPECT_EQ(step->description.warnings.size(), 5U);
}

}  // namespace
}  // namespace quire::test::vectors_test
