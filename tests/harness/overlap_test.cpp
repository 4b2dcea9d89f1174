// Steps that are written in the background: the same bytes as by commit(), published as a whole by a later collective
// call or not at all, for every kind of file. Where files do not overlap, commit_async() is commit().

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/error_of.hpp"
#include "support/sample.hpp"
#include "transport/faulty.hpp"
#include "transport/forwarding.hpp"

namespace quire::test::overlap_test {
namespace {

constexpr std::uint64_t rows = 64;

/// Delays the plans of other threads than its own until the gate is open.
class GatedTransport final : public ForwardingTransport {
 public:
  GatedTransport(std::unique_ptr<Transport> inner, std::shared_ptr<std::atomic<bool>> is_open)
      : ForwardingTransport(std::move(inner)), is_open_(std::move(is_open)) {}

  using ForwardingTransport::run_alone;
  void run_alone(const WritePlan& mine) override {
    if (std::this_thread::get_id() != owner_) is_open_->wait(false);
    ForwardingTransport::run_alone(mine);
  }

 private:
  std::thread::id owner_ = std::this_thread::get_id();
  std::shared_ptr<std::atomic<bool>> is_open_;
};

/// Has no space for a step that is larger than the file.
class CrampedTransport final : public ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  void reserve(std::uint64_t, std::uint64_t) override { throw Error(ErrorKind::io, "no space is left to reserve"); }
};

/// Fails once, in the call that `calls` counts down to: rank 0 makes these only to publish a step.
class InterruptedTransport final : public ForwardingTransport {
 public:
  InterruptedTransport(std::unique_ptr<Transport> inner, std::shared_ptr<int> calls)
      : ForwardingTransport(std::move(inner)), calls_(std::move(calls)) {}

  void put(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (*calls_ > 0 && --*calls_ == 0) throw Error(ErrorKind::io, "the disk fails once");
    ForwardingTransport::put(offset, bytes);
  }

 private:
  std::shared_ptr<int> calls_;
};

class Overlap : public testing::TestWithParam<Variant> {
 protected:
  Overlap() { comm_.set_deadline(std::chrono::seconds(60)); }

  [[nodiscard]] WriteOptions options() const {
    WriteOptions options = GetParam().new_file_options();
    options.transport = transport();
    options.deadline = std::chrono::seconds(60);
    return options;
  }
  /// With a gate before the background of each rank.
  WriteOptions gated_options() {
    WriteOptions gated = options();
    gated.wrapper = [this](std::unique_ptr<Transport> inner, const std::string&, int) {
      return std::make_unique<GatedTransport>(std::move(inner), gate_);
    };
    return gated;
  }
  void open_gate() {
    *gate_ = true;
    gate_->notify_all();
  }

  [[nodiscard]] std::int64_t steps() const { return possible_steps(*GetParam().format, 3); }
  [[nodiscard]] std::string file(const std::string& what) const {
    return path("overlap_" + what + "_" + GetParam().name());
  }
  [[nodiscard]] Slice mine() const { return slice(Spread::even, rows, comm_); }

  void commit_async(Writer& out, std::int64_t number, const AsyncCommit& how = {}) {
    WriteStep step = out.step(number);
    sample_.fill(step, number, mine());
    step.commit_async(how);
    if (!how.borrow) sample_.forget();
  }
  void commit(Writer& out, std::int64_t number) {
    WriteStep step = out.step(number);
    sample_.fill(step, number, mine());
    step.commit();
    sample_.forget();
  }

  using Commit = std::function<void(Writer& out, std::int64_t number)>;
  std::string bytes_by(const std::string& what, const WriteOptions& how, const Commit& commit_step) {
    comm_.barrier();
    Writer out = create(file(what), comm_, how);
    out.set("code", Value("overlap"));
    for (std::int64_t number = 0; number < steps(); ++number) commit_step(out, number);
    out.close();
    sample_.forget();
    return bytes_of(file(what));
  }
  std::string bytes_by_commit() {
    return bytes_by("commit", options(), [&](Writer& out, std::int64_t number) { commit(out, number); });
  }

  /// A file whose last step, which is the first one in formats of one step, is in flight.
  Writer with_last_in_flight(const std::string& what, const WriteOptions& how) {
    comm_.barrier();
    Writer out = create(file(what), comm_, how);
    for (std::int64_t number = 0; number + 1 < steps(); ++number) commit(out, number);
    commit_async(out, steps() - 1);
    return out;
  }

  /// A file with all steps but one, where a rank cannot write that one.
  Writer with_full_disk(const std::string& what, int failing) {
    comm_.barrier();
    WriteOptions full = options();
    full.wrapper = [failing](std::unique_ptr<Transport> inner, const std::string&, int rank) {
      return rank == failing ? faulty(std::move(inner), {.after_bytes = 100}) : std::move(inner);
    };
    if (steps() == 1) return create(file(what), comm_, full);
    Writer before = create(file(what), comm_, options());
    for (std::int64_t number = 0; number + 1 < steps(); ++number) commit(before, number);
    before.close();
    full.options = GetParam().options;
    return append(file(what), comm_, {}, Later::refuse, full);
  }

  void expect_steps(const std::string& what, std::int64_t count) {
    comm_.barrier();
    if (count == 0) return;  // what is left is no file of some formats
    Reader in = open(file(what), comm_);
    const std::uint64_t whole = in.check().whole_steps;
    EXPECT_EQ(whole, static_cast<std::uint64_t>(count));
    for (std::uint64_t i = 0; i < whole; ++i) EXPECT_EQ(sample_.difference(in.at(i), mine()), "") << i;
    in.close();
  }

  void expect_same_everywhere(const std::string& text) {
    std::vector<std::byte> bytes(text.size());
    std::ranges::transform(text, bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
    comm_.broadcast(bytes);
    const std::string root(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    EXPECT_EQ(text, root);
  }

  Comm comm_ = everyone();
  Sample sample_{*GetParam().format, rows};
  std::shared_ptr<std::atomic<bool>> gate_ = std::make_shared<std::atomic<bool>>(false);
};

TEST_P(Overlap, CopiedArraysGiveTheBytesOfCommit) {
  const std::string wanted = bytes_by_commit();
  const auto without_wait = [&](Writer& out, std::int64_t number) { commit_async(out, number); };
  EXPECT_TRUE(bytes_by("copied", options(), without_wait) == wanted);
  WriteOptions small = options();
  small.options["pool"] = "4096";
  small.options["staging"] = "4096";
  EXPECT_TRUE(bytes_by("small_pool", small, without_wait) == wanted);
}

TEST_P(Overlap, BorrowedArraysGiveTheBytesOfCommit) {
  const std::string wanted = bytes_by_commit();
  const auto borrow = [&](Writer& out, std::int64_t number) {
    commit_async(out, number, {.borrow = true});
    out.wait();
    sample_.forget();
  };
  EXPECT_TRUE(bytes_by("borrowed", options(), borrow) == wanted);
}

TEST_P(Overlap, AStepAppearsWhenItIsWrittenAndAskedFor) {
  Writer out = with_last_in_flight("appears", gated_options());
  if (out.overlaps()) {
    expect_steps("appears", steps() - 1);
    EXPECT_FALSE(out.test());
    expect_steps("appears", steps() - 1);
  }
  open_gate();
  while (!out.test()) std::this_thread::yield();
  expect_steps("appears", steps());
  EXPECT_TRUE(out.test());
  out.close();
  expect_steps("appears", steps());
}

TEST_P(Overlap, AStepOfThePresetsCostsTwoCollectives) {
  if (GetParam().index != 0) GTEST_SKIP() << "rows may be encoded in groups";
  Writer out = create(file("collectives"), comm_, options());
  for (std::int64_t number = 0; number < steps(); ++number) {
    const std::uint64_t before = out.comm().collectives();
    commit_async(out, number);
    out.wait();
    out.wait();
    EXPECT_LE(out.comm().collectives() - before, 2U) << number;
  }
  out.close();
}

TEST_P(Overlap, ADiskThatIsFullOnOneRankFailsTheNextCallOnAll) {
  for (int failing = 0; failing < comm_.size(); ++failing) {
    for (const char* call : {"wait", "test", "close", "commit", "abort"}) {
      SCOPED_TRACE(std::string(call) + " after a failure of rank " + std::to_string(failing));
      Writer out = with_full_disk("full", failing);
      const bool overlaps = out.overlaps();
      const auto error = error_of([&] {
        commit_async(out, steps() - 1);
        if (call == std::string("wait")) out.wait();
        if (call == std::string("test")) {
          while (!out.test()) {
          }
        }
        if (call == std::string("close")) out.close();
        if (call == std::string("commit")) commit(out, steps());
        if (call == std::string("abort")) {
          if (steps() > 1) out.step(steps()).abort("of the next step");
          out.wait();
        }
      });
      ASSERT_TRUE(error.has_value());
      EXPECT_EQ(error->kind(), ErrorKind::io) << error->what();
      EXPECT_EQ(error->rank(), comm_.size() > 1 ? std::optional(failing) : std::nullopt) << error->what();
      EXPECT_TRUE(!overlaps || !error->object().empty()) << error->what();
      expect_same_everywhere(error->what());
      static_cast<void>(error_of([&] { out.close(); }));  // the disk may still be full
      sample_.forget();
      if (steps() > 1) expect_steps("full", steps() - 1);
    }
  }
}

TEST_P(Overlap, AStepThatWasOpenIsRefusedAfterAnInterruptedPublication) {
  if (steps() < 3) GTEST_SKIP() << "the file holds fewer steps";
  bool has_failed = true;
  for (int failing = 1; has_failed; ++failing) {
    const auto calls = std::make_shared<int>(0);
    WriteOptions interrupted = options();
    interrupted.wrapper = [&](std::unique_ptr<Transport> inner, const std::string&, int) {
      return std::make_unique<InterruptedTransport>(std::move(inner), calls);
    };
    comm_.barrier();
    Writer out = create(file("interrupted"), comm_, interrupted);
    if (!out.overlaps()) {
      ASSERT_NE(interrupted.transport, "posix");
      GTEST_SKIP() << "commits at once";
    }
    commit(out, 0);
    commit_async(out, 1);
    WriteStep next = out.step(2);
    sample_.fill(next, 2, mine());
    *calls = failing;
    has_failed = error_of([&] { out.wait(); }).has_value();
    *calls = 0;
    const auto refusal = error_of([&] { static_cast<void>(out.step(3)); });
    ASSERT_TRUE(refusal.has_value());
    const bool is_interrupted = refusal->message().find("interrupted") != std::string::npos;
    EXPECT_TRUE(has_failed || !is_interrupted);
    const auto error = error_of([&] { next.commit(); });
    EXPECT_EQ(error.has_value(), is_interrupted) << failing;
    EXPECT_TRUE(!error || error->message() == refusal->message());
    sample_.forget();
    static_cast<void>(error_of([&] { out.close(); }));
    comm_.barrier();
    Reader in = open(file("interrupted"), comm_);
    EXPECT_EQ(sample_.difference(in.at(0), mine()), "");
    in.close();
  }
}

TEST_P(Overlap, AnAbortDropsTheStepInFlightOnAllRanks) {
  if (steps() == 1) GTEST_SKIP() << "the file holds one step";
  for (const int leaver : {0, comm_.size() - 1}) {
    gate_ = std::make_shared<std::atomic<bool>>(true);
    Writer out = with_last_in_flight("aborted", gated_options());
    const bool overlaps = out.overlaps();
    const bool leaves = comm_.rank() == leaver;
    const auto error = error_of([&] { leaves ? out.abort("the beam was lost") : out.wait(); });
    EXPECT_EQ(error.has_value(), overlaps && !leaves);
    if (error) {
      EXPECT_EQ(error->kind(), ErrorKind::aborted) << error->what();
      EXPECT_EQ(error->rank(), comm_.size() > 1 ? std::optional(leaver) : std::nullopt) << error->what();
      EXPECT_NE(error->message().find("the beam was lost"), std::string::npos) << error->what();
    }
    if (!leaves) static_cast<void>(error_of([&] { out.close(); }));
    expect_steps("aborted", overlaps ? steps() - 1 : steps());
  }
}

TEST_P(Overlap, ADestroyedWriterLeavesEarlierSteps) {
  bool overlaps = false;
  {
    gate_ = std::make_shared<std::atomic<bool>>(true);
    const Writer out = with_last_in_flight("destroyed", gated_options());
    overlaps = out.overlaps();
  }
  if (steps() > 1) expect_steps("destroyed", overlaps ? steps() - 1 : steps());
}

TEST_P(Overlap, AStepThatOutlivesItsWriterKeepsNothingInFlight) {
  gate_ = std::make_shared<std::atomic<bool>>(true);
  std::optional<WriteStep> step;
  bool overlaps = false;
  {
    Writer out = create(file("outlived"), comm_, gated_options());
    overlaps = out.overlaps();
    step.emplace(out.step(0));
    sample_.fill(*step, 0, mine());
    step->commit_async({.borrow = true});
  }
  // The transport, which the background uses, has the other reference.
  EXPECT_TRUE(!overlaps || gate_.use_count() == 1);
  sample_.forget();
  for (const auto& error : {error_of([&] { step->commit(); }), error_of([&] { step->set("late", Value("no")); })}) {
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->kind(), ErrorKind::usage) << error->what();
    EXPECT_EQ(error->file(), file("outlived"));
  }
}

TEST_P(Overlap, CountersAreKnownWhileAStepThatFailedEarlyIsInFlight) {
  WriteOptions cramped = options();
  cramped.wrapper = [](std::unique_ptr<Transport> inner, const std::string&, int) {
    return std::make_unique<CrampedTransport>(std::move(inner));
  };
  Writer out = create(file("cramped"), comm_, cramped);
  if (!out.overlaps()) {
    ASSERT_NE(cramped.transport, "posix");
    GTEST_SKIP() << "commits at once";
  }
  const std::uint64_t opens = out.counters().opens;
  commit_async(out, 0);
  EXPECT_EQ(out.counters().opens, opens);
  static_cast<void>(error_of([&] { out.close(); }));
  sample_.forget();
}

TEST_P(Overlap, StepsInPartsDoNotOverlap) {
  Writer out = create(file("parts"), comm_, options());
  const bool overlaps = out.overlaps();
  WriteStep step = out.step(0);
  EXPECT_EQ(out.overlaps(), overlaps);
  Column column;
  column.name = "x";
  column.type = Type::float64;
  step.declare(column);
  EXPECT_FALSE(out.overlaps());
  step.abort("only asked");
  EXPECT_EQ(out.overlaps(), overlaps);
  static_cast<void>(error_of([&] { out.close(); }));
}

TEST_P(Overlap, RanksMayPublishByDifferentCalls) {
  open_gate();
  Writer out = create(file("mixed"), comm_, options());
  for (std::int64_t number = 0; number < steps(); ++number) {
    const bool is_last = comm_.rank() == comm_.size() - 1;
    commit_async(out, number);
    if (comm_.rank() == 0) out.wait();
    if (is_last && comm_.rank() != 0) {
      while (!out.test()) {
      }
    }
  }
  out.close();
  expect_steps("mixed", steps());
}

TEST_P(Overlap, AStepInFlightIsFinishedForItsCaller) {
  Writer out = create(file("finished"), comm_, gated_options());
  WriteStep step = out.step(0);
  sample_.fill(step, 0, mine());
  step.commit_async();
  const auto again = error_of([&] { step.commit(); });
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->kind(), ErrorKind::usage) << again->what();
  if (out.overlaps()) {
    const auto late = error_of([&] { out.set("later", Value("no")); });
    ASSERT_TRUE(late.has_value());
    EXPECT_EQ(late->kind(), ErrorKind::usage) << late->what();
  }
  open_gate();
  out.close();
  expect_steps("finished", 1);
}

INSTANTIATE_TEST_SUITE_P(Formats, Overlap, testing::ValuesIn(variants()),
                         [](const auto& chosen) { return chosen.param.name(); });

}  // namespace
}  // namespace quire::test::overlap_test
