// Pages that grow: rows are added to the last page, and the file is always readable.

#include <gtest/gtest.h>

#include "format/sdds/describer.hpp"
#include "format/sdds/format.hpp"
#include "format/sdds/loaded_file.hpp"
#include "format/sdds/vectors.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/format/describer_capabilities.hpp"
#include "quire/spi/format/planner.hpp"

namespace quire::sdds::growth_test {
namespace {

using test::load_file;
using test::LoadedFile;
using test::LoadedStep;
using test::MemoryWriter;

/// Some rows of a step in memory, split over ranks; without attributes for a page that grows, which has them already.
std::vector<StepPart> parts_of(const LoadedStep& step, std::uint64_t first, std::uint64_t rows, int ranks, bool grows) {
  const StepPart all = test::part_of(step, 0, 1);
  std::vector<StepPart> parts;
  for (int rank = 0; rank < ranks; ++rank) {
    StepPart part = all;
    if (grows) part.description.attributes.clear();
    const std::uint64_t begin = first + rows * static_cast<std::uint64_t>(rank) / static_cast<std::uint64_t>(ranks);
    const std::uint64_t end = first + rows * static_cast<std::uint64_t>(rank + 1) / static_cast<std::uint64_t>(ranks);
    part.description.tables.front().rows = end - begin;
    for (std::size_t c = 0; c < part.tables.front().size(); ++c) {
      ConstView& view = part.tables.front()[c];
      view = view.part(begin, end - begin);
      std::uint64_t bytes = 0;
      for (std::uint64_t i = 0; view.type == Type::string && i < view.count; ++i) bytes += view.text(i).size();
      part.string_bytes.front()[c] = bytes;
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

class Growth : public testing::TestWithParam<Options> {
 protected:
  [[nodiscard]] static Options options(const std::string& increment) {
    Options result = GetParam();
    result["fixed_row_count"] = increment;
    result["step_parameter"] = "false";
    return result;
  }
  static std::uint64_t rows_of(const std::string& bytes, std::size_t step) {
    return load_file(bytes).steps.at(step).description.tables.front().rows;
  }

  const LoadedFile loaded_ = load_file(test::read_vector("pages_bin_le.sdds"));
  const LoadedStep& step_ = loaded_.steps.at(3);  // seven rows
};

TEST_P(Growth, WritesTheBytesOfOneStep) {
  for (const char* increment : {"1", "3", "500"}) {
    for (int ranks = 1; ranks <= 3; ++ranks) {
      SCOPED_TRACE(std::string(increment) + ", ranks: " + std::to_string(ranks));
      MemoryWriter once(sdds_format(), ranks, options(increment));
      MemoryWriter grown(sdds_format(), ranks, options(increment));
      LoadedStep step = step_;
      step.description.number = 0;
      once.write(parts_of(step, 0, 7, ranks, false));
      grown.write(parts_of(step, 0, 2, ranks, false));
      EXPECT_EQ(rows_of(grown.bytes(), 0), 2U);
      std::uint64_t rows = 2;
      for (const std::uint64_t more : {1U, 0U, 4U}) {
        grown.write(parts_of(step, rows, more, ranks, true));
        rows += more;
        EXPECT_EQ(rows_of(grown.bytes(), 0), rows) << "while it grows";
      }
      // Another page sets the count of the first one to its rows.
      step.description.number = 1;
      once.write(parts_of(step, 0, 3, ranks, false));
      grown.write(parts_of(step, 0, 1, ranks, false));
      grown.write(parts_of(step, 1, 2, ranks, true));
      EXPECT_EQ(rows_of(grown.bytes(), 1), 3U);
      EXPECT_EQ(grown.finish(), once.finish());
    }
  }
}

TEST_P(Growth, ContinuesAnExistingFile) {
  LoadedStep step = step_;
  step.description.number = 0;
  MemoryWriter once(sdds_format(), 1, options("4"));
  once.write(parts_of(step, 0, 7, 1, false));
  const std::string whole = once.finish();
  MemoryWriter begun(sdds_format(), 2, options("4"));
  begun.write(parts_of(step, 0, 3, 2, false));
  const std::string killed = begun.bytes();
  for (const std::string& found : {killed, begun.finish()}) {
    MemoryWriter more(sdds_format(), 2, options("4"));
    more.resume(found, std::nullopt, false);
    more.write(parts_of(step, 3, 4, 2, true));
    EXPECT_EQ(rows_of(more.bytes(), 0), 7U);
    EXPECT_EQ(more.finish(), whole);
  }
}

TEST_P(Growth, RefusesStepsThatCannotGrow) {
  LoadedStep step = step_;
  step.description.number = 0;
  MemoryWriter writer(sdds_format(), 1, options("4"));
  writer.write(parts_of(step, 0, 3, 1, false));
  EXPECT_THROW(writer.write(parts_of(step, 3, 1, 1, false)), Error) << "attributes again";
  writer.write(parts_of(step, 3, 1, 1, true));

  Options plain = options("4");
  plain.erase("fixed_row_count");
  MemoryWriter unmarked(sdds_format(), 1, plain);
  unmarked.write(parts_of(step, 0, 3, 1, false));
  EXPECT_THROW(unmarked.write(parts_of(step, 3, 1, 1, true)), Error) << "a step appears twice";
  MemoryWriter late(sdds_format(), 1, options("4"));
  EXPECT_THROW(late.resume(unmarked.bytes(), std::nullopt, false), Error);

  Options columns = options("4");
  columns["major_order"] = "column";
  if (GetParam().contains("mode")) columns["no_row_counts"] = "true";
  MemoryWriter by_columns(sdds_format(), 1, columns);
  EXPECT_THROW(by_columns.write(parts_of(step, 0, 3, 1, false)), Error);
}

INSTANTIATE_TEST_SUITE_P(Modes, Growth,
                         testing::Values(Options{}, Options{{"byte_order", "big"}}, Options{{"mode", "ascii"}},
                                         Options{{"mode", "ascii"}, {"canonical", "true"}}));

/// Rows of one column, planned without their values.
StepPart planned_part(std::uint64_t rows) {
  StepPart part;
  part.description.tables.emplace_back().rows = rows;
  part.description.tables[0].columns.emplace_back().name = "x";
  part.tables.push_back({ConstView(Type::float64, nullptr, rows, 8)});
  part.string_bytes.push_back({0});
  part.weights.tables = {2 * rows};
  return part;
}

TEST(GrowthOfText, ChangesCountsAtomically) {
  const auto place = [](std::uint64_t rows, const Options& more) {
    Options options{{"fixed_row_count", "500"}};
    options.insert(more.begin(), more.end());
    const auto planner = sdds_format().plan_writing(CheckedOptions(sdds_format().write_options, options));
    StepPart part = planned_part(rows);
    part.description = planner->accept(part.description, false);
    const Measure total = planner->measure(part, true);
    return planner->place(part, Measure(total.size(), 0), total, true).end;
  };
  const Options text{{"mode", "ascii"}};
  EXPECT_GT(place(99'999'999, text), 99'999'999U);
  EXPECT_THROW(static_cast<void>(place(100'000'000, text)), Error);
  EXPECT_GT(place(100'000'000, {}), 100'000'000U);
  EXPECT_GT(place(INT32_MAX, {}), 100'000'000U);
  EXPECT_THROW(static_cast<void>(place(std::uint64_t{INT32_MAX} + 1, {})), Error);
}

TEST(GrowthOfText, CorrectsLongCountsByWritesThatStayReadable) {
  const LoadedFile loaded = load_file(test::read_vector("fixedrows_bin.sdds"));
  const Options options{{"fixed_row_count", "500"}, {"step_parameter", "false"}, {"mode", "ascii"}};
  MemoryWriter writer(sdds_format(), 1, options);
  writer.write(parts_of(loaded.steps.front(), 0, 3, 1, false));
  const std::string ours = std::string(16, ' ') + "1000";
  const std::size_t place = writer.bytes().find(ours);
  ASSERT_NE(place, std::string::npos);
  for (const char* count :
       {"1000", "99999500", "1000000000", "2147483647", "99999999999999999", "+0000000000000001000"}) {
    SCOPED_TRACE(count);
    std::string bytes = writer.bytes();
    const std::string text(count);
    bytes.replace(place, ours.size(), std::string(ours.size() - text.size(), ' ') + text);
    std::size_t writes = 0;
    for (const PublishAct& act : repair_acts(*test::describer_of("file", bytes))) {
      const auto& write = std::get<PublishWrite>(act);
      EXPECT_LE(write.bytes.size(), 8U);
      bytes.replace(static_cast<std::size_t>(write.offset), write.bytes.size(),
                    reinterpret_cast<const char*>(write.bytes.data()), write.bytes.size());
      EXPECT_EQ(load_file(bytes).steps.at(0).description.tables.front().rows, 3U) << "write " << writes;
      ++writes;
    }
    EXPECT_GE(writes, 1U);
    EXPECT_EQ(bytes.substr(place, ours.size()), std::string(ours.size() - 1, ' ') + "3");
  }
}

TEST(GrowthOfTheReference, HasTheSameBytes) {
  const LoadedFile loaded = load_file(test::read_vector("fixedrows_bin.sdds"));
  MemoryWriter binary(sdds_format(), 1, {{"fixed_row_count", "500"}, {"step_parameter", "false"}});
  binary.write(parts_of(loaded.steps.front(), 0, 2, 1, false));
  binary.write(parts_of(loaded.steps.front(), 2, 3, 1, true));
  EXPECT_EQ(binary.bytes(), test::read_vector("fixedrows_unfinished_bin.sdds"));
  EXPECT_EQ(binary.finish(), test::read_vector("fixedrows_bin.sdds"));
  MemoryWriter text(
      sdds_format(), 1,
      {{"fixed_row_count", "500"}, {"step_parameter", "false"}, {"mode", "ascii"}, {"canonical", "true"}});
  text.write(parts_of(loaded.steps.front(), 0, 1, 1, false));
  text.write(parts_of(loaded.steps.front(), 1, 4, 1, true));
  EXPECT_EQ(text.finish(), test::read_vector("fixedrows_ascii.sdds"));
}

}  // namespace
}  // namespace quire::sdds::growth_test
