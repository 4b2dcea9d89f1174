#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <vector>

#include "transport/faulty.hpp"
#include "transport/pattern.hpp"
#include "transport/trace.hpp"

namespace quire::wrappers_test {
namespace {

using What = TraceEvent::What;

std::string own_path() {
  return test::scratch(std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
}

std::unique_ptr<Transport> open_posix(const std::string& path, Access access) {
  return open_transport("posix", path, access, Comm::self(), {});
}

WritePlan mixed_plan() {
  WritePlan plan;
  plan.add(0, test::pattern(0, 100));
  plan.add(100, 600, std::make_shared<test::PatternEncoder>(100, 60));
  plan.add(700, test::pattern(700, 50));
  return plan;
}

TEST(TraceTest, WritesDownWhatWasPlanned) {
  const auto trace = std::make_shared<Trace>();
  const auto file = traced(open_posix(own_path(), Access::create), trace);
  file->reserve(0, 750);
  file->run(mixed_plan());
  std::vector<std::byte> out(10);
  static_cast<void>(file->get(5, out));
  ReadPlan reading;
  reading.add(20, std::span(out));
  file->run(reading);
  file->put(3, test::pattern(3, 4));
  file->sync(true);
  file->resize(700);
  file->close();

  const std::vector<std::tuple<What, std::uint64_t, std::uint64_t>> expected{
      {What::reserve, 750, 750}, {What::write, 0, 100}, {What::write, 100, 600}, {What::write, 700, 50},
      {What::read, 5, 10},       {What::read, 20, 10},  {What::write, 3, 4},     {What::sync, 0, 1},
      {What::resize, 700, 0},    {What::close, 0, 0}};
  ASSERT_EQ(trace->events.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const TraceEvent& event = trace->events[i];
    EXPECT_EQ(std::tuple(event.what, event.offset, event.length), expected[i]) << i;
    EXPECT_TRUE(event.bytes.empty());
  }
  EXPECT_TRUE(out == test::pattern(20, 10));
}

TEST(TraceTest, EveryPrefixReplaysToWhatAKillWouldLeave) {
  const std::string path = own_path();
  const auto trace = std::make_shared<Trace>();
  trace->keep_bytes = true;
  const auto file = traced(open_posix(path, Access::create), trace);
  std::vector<std::vector<std::byte>> states;  // of the file after each call
  std::vector<std::size_t> events;
  const auto note = [&] {
    states.push_back(test::bytes_of_file(path));
    events.push_back(trace->events.size());
  };
  note();
  file->put(2, test::pattern(2, 5));
  note();
  file->run(mixed_plan());
  note();
  file->resize(300);
  note();
  file->run_alone(mixed_plan());
  note();
  file->sync(false);
  note();
  for (std::size_t i = 0; i < states.size(); ++i) {
    EXPECT_TRUE(replay(*trace, events[i]) == states[i]) << i;
  }
  // Inside a plan: one extent after the other.
  EXPECT_EQ(replay(*trace, 2), test::pattern(0, 100));
  EXPECT_EQ(replay(*trace, 3), test::pattern(0, 700));
  EXPECT_EQ(replay(*trace, 0, test::pattern(0, 7)), test::pattern(0, 7));
}

TEST(TraceTest, CannotReplayWhatItDidNotKeep) {
  const auto error = test::error_of([] { static_cast<void>(replay(Trace{}, 0)); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
}

TEST(FaultyTest, WritesWhatFitsAndFailsFromThenOn) {
  for (const std::uint64_t after : {0U, 99U, 100U, 101U, 350U, 749U}) {
    const std::string path = own_path();
    const auto file = faulty(open_posix(path, Access::create), {.after_bytes = after, .error_number = ENOSPC});
    const auto error = test::error_of([&] { file->run(mixed_plan()); });
    ASSERT_TRUE(error) << after;
    EXPECT_EQ(error->kind(), ErrorKind::io);
    EXPECT_EQ(error->offset(), after);
    EXPECT_NE(error->message().find("No space left"), std::string::npos) << error->what();
    EXPECT_TRUE(test::error_of([&] { file->put(0, test::pattern(0, 1)); }));
    EXPECT_TRUE(test::error_of([&] { file->run_alone(mixed_plan()); }));
    file->run(WritePlan{});  // nothing to write: nothing can fail
    file->resize(file->size());
    file->close();
    EXPECT_TRUE(test::bytes_of_file(path) == test::pattern(0, after)) << after;
  }
}

TEST(FaultyTest, LetsEverythingPassUpToTheFault) {
  const auto file = faulty(open_posix(own_path(), Access::create), {.after_bytes = 750});
  file->run(mixed_plan());
  EXPECT_TRUE(test::error_of([&] { file->put(750, test::pattern(750, 1)); }));
}

TEST(FaultyTest, FailsReads) {
  const std::string path = own_path();
  test::make_file(path, test::pattern(0, 1000));
  const auto file = faulty(open_posix(path, Access::read), {.after_bytes = 700, .error_number = EIO, .on_read = true});
  std::vector<std::byte> ready(100);
  const auto decoder = std::make_shared<test::KeepingDecoder>(60);
  ReadPlan plan;
  plan.add(50, std::span(ready));
  plan.add(150, 600, decoder);
  file->run(plan);
  EXPECT_TRUE(ready == test::pattern(50, 100));
  EXPECT_EQ(decoder->bytes.size(), 600U);
  const auto error = test::error_of([&] { file->run(plan); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->offset(), 50U);
  EXPECT_TRUE(test::error_of([&] { static_cast<void>(file->get(0, ready)); }));
}

TEST(FaultyTest, FailsSyncsAndNothingElse) {
  const auto file = faulty(open_posix(own_path(), Access::create), {.error_number = EIO, .on_sync = true});
  file->run(mixed_plan());
  EXPECT_TRUE(test::error_of([&] { file->sync(false); }));
  EXPECT_TRUE(test::error_of([&] { file->sync(true); }));
}

}  // namespace
}  // namespace quire::wrappers_test
