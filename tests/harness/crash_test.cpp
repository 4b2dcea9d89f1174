// A kill at every moment: each prefix of the traced writes becomes a file. Check must report, and repair must keep,
// every step whose commit had returned.

#include <gtest/gtest.h>

#include <array>

#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/killed.hpp"
#include "support/sample.hpp"
#include "transport/trace.hpp"

namespace quire::test::crash_test {
namespace {

constexpr std::uint64_t rows = 12;
constexpr std::int64_t steps = 3;

// A kill does not split a write this small: the kernel copies it at once.
constexpr std::uint64_t atomic_bytes = 8;

/// A run, and the number of its events when each commit returned.
struct TracedRun {
  std::shared_ptr<Trace> trace = std::make_shared<Trace>();
  std::vector<std::size_t> committed;
};

/// How the steps of a run are committed.
enum class Manner { one_run, reopened, in_flight };

TracedRun traced_run(const Variant& variant, Sample& sample, const std::string& file, Manner manner) {
  TracedRun run;
  run.trace->keep_bytes = true;
  WriteOptions options = variant.write_options();
  options.wrapper = [&](std::unique_ptr<Transport> inner, const std::string&, int) {
    return traced(std::move(inner), run.trace);
  };
  std::optional<Writer> out = create(file, Comm::self(), options);
  out->set("code", Value("crash"));
  for (std::int64_t number = 0; number < possible_steps(*variant.format, steps); ++number) {
    if (manner == Manner::reopened && number > 0) {
      out->close();
      out = append(file, Comm::self(), {}, Later::refuse, options);
    }
    WriteStep step = out->step(number);
    sample.fill(step, number, {0, rows});
    if (manner == Manner::in_flight) {
      step.commit_async();
      sample.forget();
      out->wait();
    } else {
      step.commit();
      sample.forget();
    }
    run.committed.push_back(run.trace->events.size());
  }
  out->close();
  return run;
}

/// The number of steps that a reader reports as whole; 0 if the file is not recognised.
std::uint64_t whole_steps(const std::string& file, Sample& sample) {
  std::optional<Reader> in;
  try {
    in = open(file, Comm::self());
  } catch (const Error&) {
    return 0;
  }
  const std::uint64_t whole = in->check().whole_steps;
  for (std::uint64_t i = 0; i < whole; ++i) EXPECT_EQ(sample.difference(in->at(i), {0, rows}), "") << "step " << i;
  in->close();
  return whole;
}

/// The file as a kill left it: check finds the committed steps, repair keeps them, and a run can append to it.
void expect_survival(const Format& format, const std::string& file, const std::string& bytes, std::uint64_t committed,
                     Sample& sample) {
  write_bytes(file, bytes);
  const std::uint64_t seen = whole_steps(file, sample);
  EXPECT_GE(seen, committed);
  EXPECT_LE(seen, committed + 1);
  if (seen == 0) return;
  repair(file, Comm::self());
  EXPECT_EQ(whole_steps(file, sample), seen) << "after repair";
  Reader repaired = open(file, Comm::self());
  EXPECT_FALSE(repaired.check().damage.has_value()) << "repair leaves a whole file";
  repaired.close();

  if (format.holds_one_step) return;
  write_bytes(file, bytes);
  Writer more = append(file, Comm::self());
  WriteStep step = more.step(100);
  sample.fill(step, 100, {0, rows});
  step.commit();
  more.close();
  EXPECT_EQ(whole_steps(file, sample), seen + 1) << "after appending to the crashed file";
}

/// A variant; `reopened`: its file is closed and opened again before each further step.
using Case = std::tuple<Variant, Manner>;
std::string name_of(const Case& chosen) {
  constexpr std::array manners{"_one_run", "_reopened", "_in_flight"};
  return std::get<0>(chosen).name() + manners[static_cast<std::size_t>(std::get<1>(chosen))];
}

class Crash : public testing::TestWithParam<Case> {};

TEST_P(Crash, EveryPrefixOfTheWritesKeepsCommittedSteps) {
  const auto& [variant, manner] = GetParam();
  Sample sample(*variant.format, rows);
  // Each case has its own files, which remain if it fails.
  const std::string name = name_of(GetParam());
  const TracedRun run = traced_run(variant, sample, path("crash_" + name), manner);
  const std::string crashed = path("crashed_" + name);
  const auto wanted = static_cast<std::size_t>(possible_steps(*variant.format, steps));
  ASSERT_EQ(run.committed.size(), wanted);

  std::string file;
  std::uint64_t committed = 0;
  for (std::size_t i = 0; i < run.trace->events.size(); ++i) {
    const TraceEvent& event = run.trace->events[i];
    if (event.what == TraceEvent::What::write && event.length > atomic_bytes) {
      SCOPED_TRACE("killed in the middle of event " + std::to_string(i));
      std::string torn = file;
      write_in_part(event, event.length / 2, torn);
      expect_survival(*variant.format, crashed, torn, committed, sample);
    }
    const std::string before = file;
    const std::uint64_t committed_before = committed;
    write_in_part(event, event.length, file);
    while (committed < run.committed.size() && run.committed[committed] <= i + 1) ++committed;
    // The same bytes and commits have the same result. Most events of a run that opens its file again are reads.
    if (i > 0 && file == before && committed == committed_before) continue;
    SCOPED_TRACE("killed after event " + std::to_string(i));
    expect_survival(*variant.format, crashed, file, committed, sample);
  }
  EXPECT_EQ(committed, wanted);
}

INSTANTIATE_TEST_SUITE_P(InOneRun, Crash,
                         testing::Combine(testing::ValuesIn(variants()), testing::Values(Manner::one_run)),
                         [](const auto& chosen) { return name_of(chosen.param); });
INSTANTIATE_TEST_SUITE_P(Reopened, Crash,
                         testing::Combine(testing::ValuesIn(variants_of_steps()), testing::Values(Manner::reopened)),
                         [](const auto& chosen) { return name_of(chosen.param); });
INSTANTIATE_TEST_SUITE_P(InFlight, Crash,
                         testing::Combine(testing::ValuesIn(variants()), testing::Values(Manner::in_flight)),
                         [](const auto& chosen) { return name_of(chosen.param); });

}  // namespace
}  // namespace quire::test::crash_test
