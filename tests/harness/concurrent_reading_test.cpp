// A reader concurrent with a writer that writes and publishes a step between any two reads: the reader sees every step
// that was committed before it opened the file, the next one or not, and never an error.

#include <gtest/gtest.h>

#include <limits>

#include "support/concurrent_writer.hpp"
#include "support/sample.hpp"

namespace quire::test::concurrent_reading_test {
namespace {

constexpr std::uint64_t rows = 150;
// Enough steps that nodes of an index are split.
constexpr std::int64_t steps = 19;

TracedRun traced_run(const Variant& variant, Sample& sample, const std::string& file) {
  TracedRun run;
  WriteOptions options = variant.write_options();
  run.wrap(options);
  Writer out = create(file, Comm::self(), options);
  for (std::int64_t number = 0; number < steps; ++number) {
    WriteStep step = out.step(number);
    sample.fill(step, number, {0, rows});
    step.commit();
    sample.forget();
    run.note_commit();
  }
  out.close();
  return run;
}

/// Opens the file and reads its steps, of which `committed` existed before. Returns the number of reads.
std::size_t read_concurrently(ConcurrentWriter& writer, const std::string& file, std::uint64_t committed,
                              Sample& sample) {
  ReadOptions options;
  writer.wrap(options);
  Reader in = open(file, Comm::self(), options);
  const std::uint64_t found = in.size();
  EXPECT_GE(found, committed);
  const std::vector<std::int64_t> numbers = in.numbers();
  for (std::uint64_t i = 0; i < std::min(found, committed); ++i) {
    EXPECT_EQ(numbers[i], static_cast<std::int64_t>(i));
  }
  // The last steps represent the others.
  constexpr std::uint64_t looked_at = 3;
  for (std::uint64_t i = found - std::min(found, looked_at); i < found; ++i) {
    EXPECT_EQ(sample.difference(in.at(i), {0, rows}), "") << "step " << i;
  }
  in.close();
  return writer.reads();
}

class ConcurrentReading : public testing::TestWithParam<Variant> {};

TEST_P(ConcurrentReading, ACommitBetweenAnyTwoReadsIsVisibleWholeOrNotAtAll) {
  const Variant& variant = GetParam();
  Sample sample(*variant.format, rows);
  const TracedRun run = traced_run(variant, sample, path("concurrent_traced_" + variant.name()));
  const std::string file = path("concurrent_" + variant.name());
  constexpr std::uint64_t committed = 8;  // the next one splits a node
  const std::size_t begin = run.committed[committed - 1];
  const auto try_pace = [&](Pace pace, std::uint64_t more) {
    SCOPED_TRACE("from read " + std::to_string(pace.first) + " on, " + std::to_string(pace.at_once) +
                 " writes at once");
    ConcurrentWriter writer(file, run, begin, run.committed[committed + more - 1], pace);
    try {
      return read_concurrently(writer, file, committed, sample);
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
      return writer.reads();
    }
  };
  constexpr auto never = std::numeric_limits<std::size_t>::max();
  const std::size_t reads = try_pace({.first = never}, 1);
  for (std::size_t first = 0; first < reads; ++first) {
    try_pace({.first = first, .at_once = never}, 1);
    try_pace({.first = first, .at_once = 1}, 1);
    if (HasFailure()) return;
  }
  // Many steps during one pass of the reader.
  for (const std::size_t at_once : {1U, 3U, 10U, 40U}) try_pace({.first = 1, .at_once = at_once}, steps - committed);
}

INSTANTIATE_TEST_SUITE_P(Variants, ConcurrentReading, testing::ValuesIn(variants_of_steps()),
                         [](const auto& chosen) { return chosen.param.name(); });

}  // namespace
}  // namespace quire::test::concurrent_reading_test
