// A kill while pages grow: every prefix of the writes is created as a file. It must be readable and have all committed
// rows, and no others except those that were being added.

#include <gtest/gtest.h>

#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/killed.hpp"
#include "transport/trace.hpp"

namespace quire::test::growth_crash_test {
namespace {

// A kill does not divide a write this small: the kernel copies it at once.
constexpr std::uint64_t atomic_bytes = 8;

/// A commit: the number of rows of each step after it, and the number of events before it.
struct Committed {
  std::vector<std::uint64_t> rows;
  std::size_t events = 0;
};

struct TracedGrowth {
  std::shared_ptr<Trace> trace = std::make_shared<Trace>();
  std::vector<Committed> commits{{{}, 0}};
};

/// The value of row `row` of step `step`.
double number_of(std::size_t step, std::uint64_t row) {
  return 1000 * static_cast<double>(step) + static_cast<double>(row) + 0.25;
}
std::string text_of(std::size_t step, std::uint64_t row) {
  return "row " + std::to_string(row) + " of step " + std::to_string(step) + std::string(row % 7, '!');
}

class GrowthCrash : public testing::TestWithParam<Options> {
 protected:
  [[nodiscard]] WriteOptions options(const std::shared_ptr<Trace>& trace) const {
    WriteOptions result;
    result.format = "sdds";
    result.options = GetParam();
    result.options["fixed_row_count"] = "3";
    result.wrapper = [trace](std::unique_ptr<Transport> inner, const std::string&, int) {
      return traced(std::move(inner), trace);
    };
    return result;
  }

  /// Steps that grow by one, four and no rows; the file is opened again for the second one.
  TracedGrowth run(const std::string& file) const {
    TracedGrowth run;
    run.trace->keep_bytes = true;
    std::vector<std::uint64_t> rows;
    Writer out = create(file, Comm::self(), options(run.trace));
    for (std::size_t step = 0; step < 2; ++step) {
      rows.push_back(0);
      for (const std::uint64_t more : {2U, 1U, 4U, 0U, 9U}) {
        if (step == 1 && more == 4) {
          out.close();
          out = append(file, Comm::self(), {}, Later::refuse, options(run.trace));
        }
        add(out, step, rows.back(), more);
        rows.back() += more;
        run.commits.push_back({rows, run.trace->events.size()});
      }
    }
    out.close();
    run.commits.push_back({rows, run.trace->events.size()});
    return run;
  }

  static void add(Writer& out, std::size_t step, std::uint64_t first, std::uint64_t count) {
    std::vector<double> numbers;
    std::vector<std::string> texts;
    for (std::uint64_t row = first; row < first + count; ++row) {
      numbers.push_back(number_of(step, row));
      texts.push_back(text_of(step, row));
    }
    WriteStep part = out.step(static_cast<std::int64_t>(step));
    if (first == 0) part.set("name", "run");
    part.put("x", numbers);
    part.put("s", std::span<const std::string>(texts));
    part.commit();
  }
};

/// The rows of each step with their values; nothing if the file is not recognised.
std::optional<std::vector<std::uint64_t>> rows_of(const std::string& file) {
  std::optional<Reader> in;
  try {
    in = open(file);
  } catch (const Error&) {
    return std::nullopt;
  }
  std::vector<std::uint64_t> rows;
  for (std::uint64_t step = 0; step < in->size(); ++step) {
    const ReadStep found = in->at(step);
    rows.push_back(found.description().tables.at(0).rows);
    std::vector<double> numbers(rows.back());
    PackedStrings texts;
    found.read("", {0, rows.back()}, {{"x", View(numbers)}, {"s", View(texts, rows.back())}});
    for (std::uint64_t row = 0; row < rows.back(); ++row) {
      EXPECT_EQ(numbers[row], number_of(step, row)) << "step " << step;
      EXPECT_EQ(texts[row], text_of(step, row)) << "step " << step;
    }
  }
  in->close();
  return rows;
}

/// Whether the rows are those of `old` or of the next commit, or any number between them.
void expect_between(const std::vector<std::uint64_t>& found, const std::vector<std::uint64_t>& old,
                    const std::vector<std::uint64_t>& next) {
  ASSERT_GE(found.size(), old.size());
  ASSERT_LE(found.size(), next.size());
  for (std::size_t step = 0; step < found.size(); ++step) {
    EXPECT_GE(found[step], step < old.size() ? old[step] : 0U) << "step " << step;
    EXPECT_LE(found[step], next[step]) << "step " << step;
  }
}

TEST_P(GrowthCrash, EveryPrefixOfTheWritesIsReadable) {
  const std::string name = GetParam().contains("mode") ? "text" : "binary" + GetParam().at("byte_order");
  const TracedGrowth run = this->run(path("growing_" + name));
  const std::string crashed = path("crashed_growing_" + name);
  std::string file;
  std::size_t commit = 0;
  const auto look = [&](const std::string& bytes) {
    write_bytes(crashed, bytes);
    const auto found = rows_of(crashed);
    const auto& old = run.commits[commit].rows;
    const auto& next = run.commits[std::min(commit + 1, run.commits.size() - 1)].rows;
    if (!found) {
      EXPECT_TRUE(old.empty());
      return;
    }
    expect_between(*found, old, next);
    if (found->empty()) return;
    repair(crashed);
    EXPECT_EQ(rows_of(crashed), found) << "after repair";
  };
  for (std::size_t i = 0; i < run.trace->events.size(); ++i) {
    const TraceEvent& event = run.trace->events[i];
    const bool is_divided = event.what == TraceEvent::What::write && event.length > atomic_bytes;
    for (std::size_t length = 1; is_divided && length < event.length; ++length) {
      SCOPED_TRACE("killed in event " + std::to_string(i) + " after " + std::to_string(length) + " bytes");
      std::string torn = file;
      write_in_part(event, length, torn);
      look(torn);
    }
    write_in_part(event, event.length, file);
    while (commit + 1 < run.commits.size() && run.commits[commit + 1].events <= i + 1) ++commit;
    SCOPED_TRACE("killed after event " + std::to_string(i));
    look(file);
    if (HasFailure()) FAIL() << "the first of several";
  }
  EXPECT_EQ(commit, run.commits.size() - 1);
}

INSTANTIATE_TEST_SUITE_P(Modes, GrowthCrash,
                         testing::Values(Options{{"byte_order", "little"}}, Options{{"byte_order", "big"}},
                                         Options{{"mode", "ascii"}}));

}  // namespace
}  // namespace quire::test::growth_crash_test
