// Readers of files that a writer changes at the same time: steps that grow or are overwritten, attributes, attachments.
// Each result belongs to one publication.

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numeric>

#include "format/hdf5/image/generation.hpp"
#include "format/hdf5/image/snapshot.hpp"
#include "quire/quire.hpp"
#include "quire/spi/base/endian.hpp"
#include "support/concurrent_writer.hpp"
#include "support/error_of.hpp"
#include "support/memory_source.hpp"

namespace quire::test::beside_writer_test {
namespace {

constexpr auto never = std::numeric_limits<std::size_t>::max();

/// Rows of step 0, added in enough commits that the index of its chunks gets another level.
constexpr std::size_t rows_at_once = 3;
constexpr std::size_t commits = 30;

std::vector<double> values(std::size_t rows) {
  std::vector<double> result(rows);
  std::iota(result.begin(), result.end(), 0.5);
  return result;
}

/// The filter of a file of steps, or the layout of a plain file.
WriteOptions growing(const std::string& kind) {
  WriteOptions result;
  const bool has_steps = kind == "none" || kind == "deflate";
  result.format = has_steps ? "h5part" : "hdf5";
  result.options = {{"chunk", "2"}, {"grow", "true"}, {"filter", has_steps ? kind : "none"}};
  if (!has_steps) result.options["layout"] = kind;
  return result;
}

/// The number of rows of step 0; each value is checked.
std::size_t rows_of(ConcurrentWriter& writer, const std::string& file) {
  ReadOptions options;
  writer.wrap(options);
  Reader in = open(file, Comm::self(), options);
  const ReadStep step = in.at(0);
  const auto rows = static_cast<std::size_t>(step.description().tables[0].rows);
  std::vector<double> x(rows);
  step.read("", {0, rows}, {{"x", View(x)}});
  EXPECT_EQ(x, values(rows));
  in.close();
  return rows;
}

class Growing : public testing::TestWithParam<std::string> {};

TEST_P(Growing, AStepHasTheRowsOfOneCommit) {
  TracedRun run;
  WriteOptions options = growing(GetParam());
  run.wrap(options);
  Writer out = create(path("growing_traced_" + GetParam()), Comm::self(), options);
  for (std::size_t commit = 1; commit <= commits; ++commit) {
    const std::vector<double> all = values(commit * rows_at_once);
    const auto mine = std::span(all).last(rows_at_once);
    WriteStep step = out.step(0);
    step.put("x", ConstView(mine));
    step.commit();
    run.note_commit();
  }
  out.close();
  const std::string file = path("growing_" + GetParam());
  const auto try_pace = [&](std::size_t from, std::size_t to, Pace pace) {
    SCOPED_TRACE("commit " + std::to_string(from) + ", from read " + std::to_string(pace.first) + " on, " +
                 std::to_string(pace.at_once) + " writes at once");
    ConcurrentWriter writer(file, run, run.committed[from - 1], run.committed[to - 1], pace);
    try {
      const std::size_t rows = rows_of(writer, file);
      EXPECT_EQ(rows % rows_at_once, 0U);
      EXPECT_GE(rows, from * rows_at_once);
      EXPECT_LE(rows, to * rows_at_once);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
    return writer.reads();
  };
  for (const std::size_t from : {std::size_t{2}, commits - 2}) {
    const std::size_t reads = try_pace(from, from + 1, {.first = never});
    for (std::size_t first = 0; first < reads && !HasFailure(); ++first) {
      try_pace(from, from + 1, {.first = first, .at_once = never});
      try_pace(from, from + 1, {.first = first, .at_once = 1});
    }
  }
  for (const std::size_t at_once : {1U, 3U, 10U}) try_pace(2, commits, {.first = 1, .at_once = at_once});
}

INSTANTIATE_TEST_SUITE_P(Kinds, Growing, testing::Values("none", "deflate", "columns", "matrix"),
                         [](const auto& chosen) { return chosen.param; });

/// Writes a step again with other attributes and values.
void write_over(Writer& out, std::int64_t number, double value) {
  WriteStep step = out.step(number);
  const std::vector<double> x{value, value};
  step.set("a", Value(value));
  step.set("b", Value(value));
  step.put("x", ConstView(x));
  step.commit();
}

WriteOptions steps_with(const std::string& existing) {
  WriteOptions options;
  options.format = "h5part";
  options.options = {{"existing", existing}};
  return options;
}

double value_of(const ReadStep& step) { return step.description().attributes[0].value.as_double(); }

TEST(AnOpenFile, KeepsItsStepsWhenOthersAreAdded) {
  const std::string file = path("open");
  Writer out = create(file, Comm::self(), steps_with("refuse"));
  for (const int number : {5, 7}) write_over(out, number, number);
  Reader in = open(file);
  EXPECT_EQ(value_of(in.at(0)), 5.0);
  // They are inserted before and between those that the reader knows.
  for (const int number : {1, 6, 9}) write_over(out, number, number);
  EXPECT_EQ(in.numbers(), (std::vector<std::int64_t>{5, 7}));
  EXPECT_EQ(value_of(in.at(1)), 7.0);
  EXPECT_EQ(value_of(in.at(0)), 5.0);
  EXPECT_EQ(in.size(), 2U);
  EXPECT_FALSE(in.try_at(2).has_value());
  in.close();
  out.close();
}

TEST(AnOpenFile, ReportsThatAStepWasRemoved) {
  const std::string file = path("taken_out");
  Writer out = create(file, Comm::self(), steps_with("refuse"));
  // More than a reader describes at once.
  constexpr int steps = 20;
  for (int number = 0; number < steps; ++number) write_over(out, number, number);
  out.close();
  Reader in = open(file);
  Writer again = append(file, Comm::self(), 3, Later::drop, steps_with("refuse"));
  again.close();
  EXPECT_EQ(value_of(in.at(2)), 2.0);
  const auto error = error_of([&] { static_cast<void>(in.at(steps - 1)); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::missing);
  EXPECT_NE(error->message().find("removed from"), std::string::npos) << error->message();
  in.close();
}

hdf5::Generation generation_of(const std::string& bytes) {
  MemorySource source(bytes);
  const hdf5::ReadBytes read = [&](std::uint64_t offset, std::span<std::byte> out) { return source.read(offset, out); };
  return hdf5::generation_of(read, source.size(), 1U << 20U);
}

TEST(WritingOver, AttributesOfAStepBelongToOneCommit) {
  for (const std::string existing : {"replace", "overwrite"}) {
    TracedRun run;
    WriteOptions options = steps_with(existing);
    run.wrap(options);
    Writer out = create(path("over_traced"), Comm::self(), options);
    constexpr std::size_t versions = 4;
    for (std::size_t version = 0; version < versions; ++version) {
      write_over(out, 0, static_cast<double>(version));
      run.note_commit();
    }
    out.close();
    const auto value_beside = [&](ConcurrentWriter& writer) {
      ReadOptions reading;
      writer.wrap(reading);
      Reader in = open(path("over"), Comm::self(), reading);
      const ReadStep step = in.at(0);
      EXPECT_EQ(step.description().attributes[0].value, step.description().attributes[1].value);
      in.close();
      return value_of(step);
    };
    ConcurrentWriter idle(path("over"), run, run.committed[1], run.committed[2], {.first = never});
    EXPECT_EQ(value_beside(idle), 1.0);
    for (std::size_t first = 0; first < idle.reads(); ++first) {
      for (const std::size_t at_once : {std::size_t{1}, never}) {
        SCOPED_TRACE(existing + " from read " + std::to_string(first));
        ConcurrentWriter writer(path("over"), run, run.committed[1], run.committed[2], {first, at_once});
        const double value = value_beside(writer);
        EXPECT_TRUE(value == 1.0 || value == 2.0) << value;
      }
    }
  }
}

TEST(WritingOver, EveryPublicationHasAnotherGeneration) {
  Writer out = create(path("generations"), Comm::self(), steps_with("overwrite"));
  std::vector<hdf5::Generation> seen;
  const auto note = [&] { seen.push_back(generation_of(bytes_of(path("generations")))); };
  for (int version = 0; version < 3; ++version) {
    write_over(out, 0, version);
    note();
    // Only attributes, which already have their places.
    WriteStep step = out.step(0);
    step.set("a", Value(version + 0.5));
    step.commit();
    note();
  }
  out.set("of the file", Value(1.0));
  out.close();
  note();
  for (std::size_t i = 1; i < seen.size(); ++i) EXPECT_NE(seen[i], seen[i - 1]) << "publication " << i;
}

TEST(AnOpenReader, HasAttributesAndValuesOfOnePublication) {
  const std::string file = path("written_anew");
  Writer out = create(file, Comm::self(), steps_with("refuse"));
  for (const int number : {0, 1}) write_over(out, number, number);
  out.close();
  const Reader in = open(file);
  EXPECT_EQ(value_of(in.step(1)), 1.0);  // HDF5 keeps data that it has read
  Writer again = append(file, Comm::self(), 0, Later::drop);
  write_over(again, 1, 22.0);
  again.close();
  const ReadStep step = in.step(1);
  std::vector<double> x(2);
  step.read("", {0, 2}, {{"x", View(x)}});
  EXPECT_EQ(value_of(step), x[0]);
  EXPECT_EQ(x[0], 22.0);
}

/// A file with another end at each read.
class RestlessFile final : public ByteSource {
 public:
  explicit RestlessFile(std::string bytes) : bytes_(std::move(bytes)) {}
  [[nodiscard]] std::uint64_t size() override { return bytes_.size(); }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override {
    constexpr std::size_t end_of_file = 40;  // in a superblock of version 0
    store(reinterpret_cast<std::byte*>(bytes_.data()) + end_of_file, bytes_.size() - ++reads_, ByteOrder::little);
    MemorySource source(bytes_);
    return source.read(offset, out);
  }

 private:
  std::string bytes_;
  std::uint64_t reads_ = 0;
};

TEST(ASnapshot, ReportsAFileThatChangesAllTheTime) {
  Writer out = create(path("restless"), Comm::self(), steps_with("refuse"));
  write_over(out, 0, 1.0);
  out.close();
  const auto restless = std::make_shared<RestlessFile>(bytes_of(path("restless")));
  hdf5::Snapshot snapshot(restless, 1U << 20U, std::chrono::milliseconds(0));
  std::array<std::byte, 16> bytes{};
  const auto error = error_of([&] { snapshot.look([&] { static_cast<void>(snapshot.read(0, bytes)); }); });
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind(), ErrorKind::conflict);
  EXPECT_NE(error->message().find("is being written"), std::string::npos) << error->message();
}

}  // namespace
}  // namespace quire::test::beside_writer_test
