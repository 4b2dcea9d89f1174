// Reading H5Part files of any writer: lazily, through runs if bytes can be addressed, otherwise through libhdf5.

#include <gtest/gtest.h>
#include <hdf5.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/library/types.hpp"
#include "format/hdf5/simulation.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/format/describer_capabilities.hpp"
#include "support/error_of.hpp"

namespace quire::test::describer_test {
namespace {

using hdf5::Handle;
using hdf5::own;
using hdf5::require;

constexpr hsize_t rows = 30;

template <class Number>
void add_column(hid_t group, const char* name, hid_t type, hid_t creation, const std::vector<Number>& values) {
  const hsize_t extent = values.size();
  const Handle space = own(H5Screate_simple(1, &extent, nullptr), "create a shape");
  const Handle dataset =
      own(H5Dcreate2(group, name, type, space.id(), H5P_DEFAULT, creation, H5P_DEFAULT), "create", name);
  require(H5Dwrite(dataset.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "write", name);
}

/// A path for each case.
std::string scratch_path() {
  const char* folder = std::getenv("QUIRE_TEST_DIRECTORY");
  return std::string(folder == nullptr ? "." : folder) + "/odd_" +
         testing::UnitTest::GetInstance()->current_test_info()->name() + ".h5";
}

/// Returns the bytes of a file and removes it.
Bytes take_bytes(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  std::filesystem::remove(path);
  const auto* first = reinterpret_cast<const std::byte*>(content.data());
  return {first, first + content.size()};
}

/// One step with all kinds of columns that cannot be read from bytes only, written by HDF5 after a user block.
Bytes odd_file() {
  const std::string path = scratch_path();
  {
    const Handle creation = own(H5Pcreate(H5P_FILE_CREATE), "create a list");
    require(H5Pset_userblock(creation.id(), 1024), "set the user block");
    const Handle file = own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), H5P_DEFAULT), "create the file");
    const Handle step = own(H5Gcreate2(file.id(), "Step#3", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "create a group");
    std::vector<double> numbers;
    std::vector<int> integers;
    for (int i = 0; i < static_cast<int>(rows); ++i) {
      numbers.push_back(0.5 * i);
      integers.push_back(-i);
    }
    const Handle chunked = own(H5Pcreate(H5P_DATASET_CREATE), "create a list");
    const hsize_t chunk = 7;
    require(H5Pset_chunk(chunked.id(), 1, &chunk), "set the chunk");
    require(H5Pset_deflate(chunked.id(), 6), "set the filter");
    add_column(step.id(), "chunked", H5T_NATIVE_DOUBLE, chunked.id(), numbers);
    const Handle compact = own(H5Pcreate(H5P_DATASET_CREATE), "create a list");
    require(H5Pset_layout(compact.id(), H5D_COMPACT), "set the layout");
    add_column(step.id(), "compact", H5T_NATIVE_INT, compact.id(), integers);
    add_column(step.id(), "contiguous", H5T_NATIVE_INT, H5P_DEFAULT, integers);
    const Handle outside = own(H5Pcreate(H5P_DATASET_CREATE), "create a list");
    require(H5Pset_external(outside.id(), "/etc/hostname", 0, H5F_UNLIMITED), "set the external file");
    const Handle space = own(H5Screate_simple(1, &rows, nullptr), "create a shape");
    const auto declare = [&](const char* name, hid_t type, hid_t list) {
      const Handle set = own(H5Dcreate2(step.id(), name, type, space.id(), H5P_DEFAULT, list, H5P_DEFAULT), "create");
    };
    declare("external", H5T_NATIVE_CHAR, outside.id());
    declare("late", H5T_NATIVE_SHORT, H5P_DEFAULT);
    const Handle pair = own(H5Tcreate(H5T_COMPOUND, 16), "create a type");
    require(H5Tinsert(pair.id(), "a", 0, H5T_NATIVE_DOUBLE), "add a member");
    declare("pair", pair.id(), H5P_DEFAULT);
    const Handle fixed = hdf5::text_type(4, true);
    std::vector<std::array<char, 4>> words(rows, {'a', 'b', '\0', '\0'});
    words[1] = {'x', '\0', '\0', '\0'};
    add_column(step.id(), "words", fixed.id(), H5P_DEFAULT, words);
    const Handle variable = hdf5::text_type(0, true);
    std::vector<const char*> texts(rows, "some text");
    texts[2] = "";
    add_column(step.id(), "texts", variable.id(), H5P_DEFAULT, texts);
  }
  return take_bytes(path);
}

TEST(OddFile, EveryKindOfStorageIsReadOrRefusedByName) {
  const auto file = std::make_shared<MemoryFile>(odd_file());
  const auto describer = describe(file);
  const auto step = describer->step(0);
  ASSERT_TRUE(step.has_value());
  EXPECT_EQ(step->description.number, 3);
  const Table& table = step->description.tables.at(0);
  EXPECT_EQ(table.columns.size(), 7U);
  EXPECT_EQ(step->description.warnings.size(), 1U) << "the compound is left out";
  for (const auto& run : step->tables[0].runs) {
    const std::string& name = table.columns.at(run.cells[0].column).name;
    const bool is_planned = name == "contiguous" || name == "chunked" || name == "words";
    EXPECT_EQ(run.opaque, !is_planned) << name;
    EXPECT_EQ(run.chunks.has_value(), name == "chunked");
  }
  EXPECT_EQ(column_values(*file, *describer, 0, "chunked").at(29), 14.5);
  EXPECT_EQ(column_values(*file, *describer, 0, "compact").at(29), -29.0);
  EXPECT_EQ(column_values(*file, *describer, 0, "contiguous").at(29), -29.0);
  EXPECT_EQ(column_values(*file, *describer, 0, "late"), std::vector<double>(rows, 0.0));
  std::vector<std::int8_t> secrets(rows);
  const auto error = error_of([&] {
    describer->capabilities().opaque->read_opaque(0, "external", 0, {0, rows}, View(secrets));
  });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::unsupported);
  EXPECT_EQ(secrets, std::vector<std::int8_t>(rows)) << "another file of the machine was read";
}

TEST(OddFile, OpaqueColumnsAreReadByRowsIntoAnyMemory) {
  const auto file = std::make_shared<MemoryFile>(odd_file());
  const auto describer = describe(file);
  std::vector<double> strided(20, -1.0);
  const View every_second(Type::float64, reinterpret_cast<std::byte*>(strided.data()), 10, 16);
  describer->capabilities().opaque->read_opaque(0, "chunked", 0, {5, 10}, every_second);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(strided[2 * i], 0.5 * static_cast<double>(i + 5));
    EXPECT_EQ(strided[2 * i + 1], -1.0);
  }
  std::vector<double> widened(rows);
  describer->capabilities().opaque->read_opaque(0, "compact", 0, {0, rows}, View(widened));
  EXPECT_EQ(widened[7], -7.0);
  std::vector<float> narrow(rows);
  EXPECT_EQ(error_of([&] {
              describer->capabilities().opaque->read_opaque(0, "chunked", 0, {0, rows}, View(narrow));
            })->kind(),
            ErrorKind::type);
  EXPECT_EQ(error_of([&] {
              describer->capabilities().opaque->read_opaque(0, "chunked", 0, {1, rows}, View(widened));
            })->kind(),
            ErrorKind::usage);
  PackedStrings words;
  describer->capabilities().opaque->read_opaque(0, "words", 0, {0, 3}, View(words, 3));
  describer->capabilities().opaque->read_opaque(0, "texts", 0, {1, 2}, View(words, 2));
  ASSERT_EQ(words.size(), 5U);
  EXPECT_EQ(words[0], "ab");
  EXPECT_EQ(words[1], "x");
  EXPECT_EQ(words[3], "some text");
  EXPECT_EQ(words[4], "");
}

TEST(OddFile, AChunkBeyondTheMemoryBudgetIsRefused) {
  DescribeContext context;
  context.memory_budget = 40;  // below a chunk of 7 numbers
  const auto describer = describe(std::make_shared<MemoryFile>(odd_file()), {}, context);
  std::vector<double> values(rows);
  EXPECT_EQ(error_of([&] {
              describer->capabilities().opaque->read_opaque(0, "chunked", 0, {0, rows}, View(values));
            })->kind(),
            ErrorKind::memory);
}

TEST(OddFile, StepsAreAppendedAfterAUserBlock) {
  const auto file = std::make_shared<MemoryFile>(odd_file());
  Simulation simulation(2, file, {}, false);
  simulation.write(sample_step(4, 20000));
  simulation.write(sample_step(5, 10));
  const auto describer = describe(file);
  ASSERT_EQ(describer->steps(), 3U);
  expect_sample(*file, *describer, 1, 4, 20000);
  expect_sample(*file, *describer, 2, 5, 10);
  EXPECT_EQ(column_values(*file, *describer, 0, "chunked").at(29), 14.5);
  const auto step = describer->step(1);
  for (const auto& run : step->tables.at(0).runs) EXPECT_EQ(run.offset % 4096, 0U);
}

TEST(ShortColumn, IsReadAsAField) {
  const std::string path = scratch_path();
  {
    const Handle file = own(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "create the file");
    const Handle step = own(H5Gcreate2(file.id(), "Step#0", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "create a group");
    for (const char* name : {"id", "px", "py", "pz", "x", "y", "z"}) {
      add_column(step.id(), name, H5T_NATIVE_DOUBLE, H5P_DEFAULT, std::vector<double>(12, 0.5));
    }
    add_column(step.id(), "charge", H5T_NATIVE_DOUBLE, H5P_DEFAULT, std::vector<double>(11, 1.5));
  }
  const auto file = std::make_shared<MemoryFile>(take_bytes(path));
  const auto step = describe(file)->step(0);
  ASSERT_TRUE(step.has_value());
  EXPECT_EQ(step->description.tables.at(0).rows, 12U);
  EXPECT_EQ(step->description.tables.at(0).columns.size(), 7U);
  ASSERT_EQ(step->description.fields.size(), 1U);
  EXPECT_EQ(step->description.fields[0].name, "charge");
  ASSERT_EQ(step->description.warnings.size(), 1U);
  EXPECT_EQ(step->description.warnings[0], "the column charge is given as a field: it has 11 rows, the step 12");
}

TEST(ManySteps, AreReadOnlyOnRequest) {
  constexpr std::int64_t steps = 10000;
  Simulation simulation(1);
  for (std::int64_t number = 0; number < steps; ++number) {
    simulation.write({number, {}, {column("x")}, {{static_cast<double>(number)}}});
  }
  MemoryFile& file = simulation.file();
  file.reads = file.bytes_read = 0;
  const auto describer = describe(simulation.share());
  EXPECT_EQ(describer->steps(), static_cast<std::uint64_t>(steps));
  EXPECT_EQ(describer->step_number(9999), 9999);
  // A leaf of the root's tree holds four to eight names.
  EXPECT_LT(file.reads, static_cast<std::uint64_t>(steps) / 2);
  EXPECT_LT(file.bytes_read, static_cast<std::uint64_t>(steps) * 200);
  const std::uint64_t opened = file.reads;
  EXPECT_EQ(column_values(file, *describer, 7000, "x"), std::vector<double>{7000.0});
  EXPECT_LT(file.reads - opened, 30U);
}

TEST(ManyColumns, AreNotReadWhenTheFileIsOpened) {
  const auto opened = [](std::size_t columns) {
    Simulation simulation(1);
    for (std::int64_t number = 0; number < 50; ++number) {
      SimulatedStep step{number, {}, {}, {}};
      for (std::size_t c = 0; c < columns; ++c) {
        step.columns.push_back(column("column" + std::to_string(c)));
        step.values.push_back({1.0, 2.0});
      }
      simulation.write(step);
    }
    simulation.file().reads = 0;
    const auto describer = describe(simulation.share());
    EXPECT_EQ(describer->steps(), 50U);
    EXPECT_EQ(describer->step_number(49), 49);
    return simulation.file().reads;
  };
  // Names are stored in blocks of eight.
  EXPECT_LE(opened(100), opened(4) + 100 / 4 + 4);
}

TEST(Cut, CompleteStepsAreReadBeforeTheErrorOnRequest) {
  Simulation simulation(2);
  for (std::int64_t number = 0; number < 6; ++number) simulation.write(sample_step(number, 500));
  const auto file = simulation.share();
  const std::size_t size = file->bytes.size();
  file->bytes.resize(size - 9000);  // within the data of the last step
  EXPECT_EQ(error_of([&] { static_cast<void>(describe(file)); })->kind(), ErrorKind::bad_file);
  const auto describer = describe(file, {{"cut", "true"}});
  ASSERT_EQ(describer->steps(), 5U);
  for (std::uint64_t index = 0; index < 5; ++index) {
    expect_sample(*file, *describer, index, static_cast<std::int64_t>(index), 500);
  }
  const auto damage = error_of([&] { static_cast<void>(describer->step(5)); });
  ASSERT_TRUE(damage.has_value());
  EXPECT_EQ(damage->offset(), size - 9000);
  EXPECT_EQ(damage->object(), "Step#5");
  EXPECT_FALSE(describer->step(6).has_value());
}

TEST(Cut, AnywhereGivesCompleteStepsOrAnError) {
  for (const std::string name : {"part_types_3ranks.h5", "foreign_h5py.h5", "viz_visit_paraview_2ranks.h5part"}) {
    const Bytes whole = vector_bytes(name);
    std::uint64_t most = 0;
    for (std::size_t length = 0; length < whole.size(); length += whole.size() / 60) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
      const auto file = std::make_shared<MemoryFile>(cut);
      const auto error = error_of([&] {
        const auto describer = describe(file, {{"cut", "true"}});
        most = std::max(most, describer->steps());
        for (std::uint64_t index = 0; index <= describer->steps(); ++index) static_cast<void>(describer->step(index));
      });
      ASSERT_TRUE(error.has_value()) << name << " cut at " << length;
      EXPECT_EQ(error->kind(), ErrorKind::bad_file) << error->what();
    }
    EXPECT_GT(most, 0U) << name;
  }
}

TEST(ExternalLinks, AMissingChildIsNamedAndTheFileOpens) {
  const auto describer = describe(vector_bytes("ext_parent.h5part"));
  EXPECT_EQ(describer->steps(), 2U);
  const auto error = error_of([&] { static_cast<void>(describer->step(1)); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::missing);
  EXPECT_NE(std::string(error->what()).find("ext_child_1.h5part"), std::string::npos);
}

TEST(Damage, EveryTruncationAndManyChangedBytesEndInAnErrorOrAValue) {
  const Bytes whole = vector_bytes("part_types_3ranks.h5");
  for (std::size_t length = 0; length < whole.size(); length += 97) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_EQ(error_of([&] { static_cast<void>(describe(cut)); })->kind(), ErrorKind::bad_file) << length;
  }
  std::size_t refused = 0;
  for (std::size_t position = 8; position < 2600; position += 3) {
    const auto file = std::make_shared<MemoryFile>(whole);
    file->bytes[position] ^= std::byte{0x5a};
    const auto error = error_of([&] {
      const auto describer = describe(file);
      for (std::uint64_t index = 0; index < describer->steps(); ++index) static_cast<void>(describer->step(index));
    });
    if (error) ++refused;
  }
  EXPECT_GT(refused, 10U);
}

}  // namespace
}  // namespace quire::test::describer_test
