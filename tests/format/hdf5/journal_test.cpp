// After an interruption anywhere in a publication, old steps remain, and the new one exists if its journal is complete.

#include <gtest/gtest.h>

#include "format/hdf5/simulation.hpp"
#include "quire/spi/format/describer_capabilities.hpp"

namespace quire::test::journal_test {
namespace {

constexpr std::uint64_t rows = 25;

/// A file of several steps and the publication of one more, whose data are in the file.
struct Interrupted {
  Bytes before;
  Publication acts;
  std::size_t journal = 0;  ///< index of the act that writes it
  std::int64_t number = 0;
};

Interrupted interrupt(std::int64_t steps) {
  Simulation simulation(2);
  for (std::int64_t number = 0; number < steps; ++number) simulation.write(sample_step(number, rows));
  Interrupted result;
  result.number = steps;
  const std::uint64_t published = simulation.file().bytes.size();
  result.acts = simulation.prepare(sample_step(steps, rows));
  result.before = simulation.file().bytes;
  for (std::size_t i = 0; i < result.acts.size() && result.journal == 0; ++i) {
    // The last write before the first sync.
    if (std::holds_alternative<PublishSync>(result.acts[i])) result.journal = i - 1;
  }
  EXPECT_GT(published, 0U);
  return result;
}

/// Checks that the steps of a file are the samples 0..steps-1, without and after repair.
void expect_steps(const Bytes& bytes, std::int64_t steps) {
  const auto file = std::make_shared<MemoryFile>(bytes);
  const auto describer = describe(file);
  ASSERT_EQ(describer->steps(), static_cast<std::uint64_t>(steps));
  for (std::int64_t number = 0; number < steps; ++number) {
    expect_sample(*file, *describer, static_cast<std::uint64_t>(number), number, rows);
  }
  MemoryFile repaired(bytes);
  repaired.carry_out(repair_acts(*describer));
  const auto again = describe(repaired.bytes);
  EXPECT_EQ(again->steps(), static_cast<std::uint64_t>(steps));
  EXPECT_TRUE(again->file().warnings.empty());
  EXPECT_TRUE(repair_acts(*again).empty());
}

class InterruptedPublication : public testing::TestWithParam<std::int64_t> {};

TEST_P(InterruptedPublication, IsWholeOrAbsentAfterEveryAct) {
  const Interrupted run = interrupt(GetParam());
  MemoryFile file(run.before);
  for (std::size_t done = 0; done <= run.acts.size(); ++done) {
    SCOPED_TRACE(done);
    const bool is_published = done > run.journal;
    expect_steps(file.bytes, run.number + (is_published ? 1 : 0));
    if (done < run.acts.size()) file.carry_out(run.acts[done]);
  }
}

TEST_P(InterruptedPublication, ATornJournalIsNone) {
  const Interrupted run = interrupt(GetParam());
  MemoryFile file(run.before);
  for (std::size_t i = 0; i < run.journal; ++i) file.carry_out(run.acts[i]);
  const auto& journal = std::get<PublishWrite>(run.acts[run.journal]);
  for (std::size_t length = 0; length < journal.bytes.size(); length += 1 + length / 8) {
    MemoryFile torn(file.bytes);
    torn.write(journal.offset, std::span(journal.bytes).first(length));
    SCOPED_TRACE(length);
    expect_steps(torn.bytes, run.number);
  }
  // A file system may also lose a page in the middle.
  MemoryFile holed(file.bytes);
  std::vector<std::byte> bytes = journal.bytes;
  bytes[bytes.size() / 2] ^= std::byte{1};
  holed.write(journal.offset, bytes);
  expect_steps(holed.bytes, run.number);
}

TEST_P(InterruptedPublication, HalfDoneOverwritesAreCompletedFromTheJournal) {
  const Interrupted run = interrupt(GetParam());
  MemoryFile file(run.before);
  for (std::size_t i = 0; i <= run.journal; ++i) file.carry_out(run.acts[i]);
  for (std::size_t i = run.journal + 1; i < run.acts.size(); ++i) {
    const auto* write = std::get_if<PublishWrite>(&run.acts[i]);
    if (write == nullptr) continue;
    MemoryFile torn(file.bytes);
    torn.write(write->offset, std::span(write->bytes).first(write->bytes.size() / 2));
    expect_steps(torn.bytes, run.number + 1);
    // The journal replaces any bytes there.
    torn.write(write->offset, std::vector<std::byte>(write->bytes.size(), std::byte{0xff}));
    expect_steps(torn.bytes, run.number + 1);
  }
}

TEST_P(InterruptedPublication, AppendingCompletesItFirst) {
  const Interrupted run = interrupt(GetParam());
  const auto file = std::make_shared<MemoryFile>(run.before);
  for (std::size_t i = 0; i <= run.journal; ++i) file->carry_out(run.acts[i]);
  Simulation simulation(2, file, {}, false);
  simulation.write(sample_step(run.number + 1, rows));
  expect_steps(file->bytes, run.number + 2);

  const auto unfinished = std::make_shared<MemoryFile>(run.before);
  for (std::size_t i = 0; i < run.journal; ++i) unfinished->carry_out(run.acts[i]);
  Simulation other(2, unfinished, {}, false);
  other.write(sample_step(run.number, rows));
  expect_steps(unfinished->bytes, run.number + 1);
}

// Enough steps that a node of the root's tree splits.
INSTANTIATE_TEST_SUITE_P(Steps, InterruptedPublication, testing::Values(1, 2, 8, 9));

TEST(FirstPublication, IsWholeWithItsSuperblock) {
  Simulation simulation(2);
  const Publication acts = simulation.prepare(sample_step(0, rows));
  MemoryFile file(simulation.file().bytes);
  std::size_t superblock = 0;
  for (std::size_t i = 0; i < acts.size(); ++i) {
    const auto* write = std::get_if<PublishWrite>(&acts[i]);
    if (write != nullptr && write->offset == 0) superblock = i;
  }
  for (std::size_t done = 0; done <= acts.size(); ++done) {
    if (done > superblock) {
      expect_steps(file.bytes, 1);
    } else {
      EXPECT_ANY_THROW(static_cast<void>(describe(file.bytes)));
    }
    if (done < acts.size()) file.carry_out(acts[done]);
  }
}

TEST(Dropping, IsWholeOrAbsentAfterEveryAct) {
  Simulation first(1);
  for (std::int64_t number = 0; number < 4; ++number) first.write(sample_step(number, rows));
  const Bytes whole = first.file().bytes;
  Simulation appender(1);
  const Publication acts = appender.root().resume(std::make_shared<MemoryFile>(whole), 1, true);
  MemoryFile file(whole);
  bool dropped = false;
  for (const PublishAct& act : acts) {
    file.carry_out(act);
    const auto describer = describe(std::make_shared<MemoryFile>(file.bytes));
    const std::uint64_t steps = describer->steps();
    EXPECT_TRUE(steps == 4 || steps == 2);
    EXPECT_FALSE(dropped && steps == 4);
    dropped = steps == 2;
    for (std::uint64_t index = 0; index < steps; ++index) {
      expect_sample(file, *describer, index, static_cast<std::int64_t>(index), rows);
    }
  }
  EXPECT_TRUE(dropped);
}

}  // namespace
}  // namespace quire::test::journal_test
