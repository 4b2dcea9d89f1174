// Rows added to a step are complete or absent after a kill at any moment and after a fault on any rank.

#include <gtest/gtest.h>

#include <numeric>

#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "transport/trace.hpp"

namespace quire::test::growth_test {
namespace {

std::vector<double> values(std::size_t rows) {
  std::vector<double> result(rows);
  std::iota(result.begin(), result.end(), 0.5);
  return result;
}

/// The filter of a file of steps, or "plain" or "matrix" for a plain file.
WriteOptions options(const std::string& kind) {
  WriteOptions result;
  const bool has_steps = kind == "none" || kind == "deflate";
  result.format = has_steps ? "h5part" : "hdf5";
  result.options = {{"chunk", "4"}, {"grow", "true"}, {"filter", has_steps ? kind : "none"}};
  if (kind == "matrix") result.options["layout"] = "matrix";
  return result;
}

/// Adds rows [first, first + rows) to step 0.
void add(Writer& out, std::size_t first, std::size_t rows) {
  const std::vector<double> all = values(first + rows);
  const std::span<const double> mine = std::span(all).subspan(first);
  WriteStep step = out.step(0);
  step.put("x", ConstView(mine));
  step.put("y", ConstView(mine));
  step.commit();
}

/// The number of rows of step 0, 0 if it does not exist; each value is checked.
std::size_t rows_of(const std::string& file) {
  std::optional<Reader> in;
  try {
    in = open(file);
  } catch (const Error&) {
    return 0;
  }
  if (in->size() == 0) return 0;
  const ReadStep step = in->at(0);
  const auto rows = static_cast<std::size_t>(step.description().tables[0].rows);
  std::vector<double> x(rows);
  std::vector<double> y(rows);
  step.read("", {0, rows}, {{"x", View(x)}, {"y", View(y)}});
  EXPECT_EQ(x, values(rows));
  EXPECT_EQ(y, values(rows));
  in->close();
  return rows;
}

void apply(const TraceEvent& event, std::string& file, std::size_t length) {
  if (event.what == TraceEvent::What::resize) file.resize(event.offset, '\0');
  if (event.what != TraceEvent::What::write) return;
  if (event.offset + length > file.size()) file.resize(event.offset + length, '\0');
  std::copy_n(reinterpret_cast<const char*>(event.bytes.data()), length,
              file.begin() + static_cast<std::ptrdiff_t>(event.offset));
}

class Growth : public testing::TestWithParam<std::string> {};

TEST_P(Growth, IsWholeOrAbsentAfterAKillAtAnyMoment) {
  const std::string file = path("growth_" + GetParam());
  auto trace = std::make_shared<Trace>();
  trace->keep_bytes = true;
  WriteOptions how = options(GetParam());
  how.wrapper = [&](std::unique_ptr<Transport> inner, const std::string&, int) {
    return traced(std::move(inner), trace);
  };
  Writer out = create(file, Comm::self(), how);
  std::vector<std::pair<std::size_t, std::size_t>> committed;  // events and rows
  std::size_t rows = 0;
  for (const std::size_t more : {6U, 1U, 5U, 3U}) {
    add(out, rows, more);
    rows += more;
    committed.emplace_back(trace->events.size(), rows);
  }
  out.close();
  EXPECT_EQ(rows_of(file), rows);

  const std::string killed = path("growth_killed_" + GetParam());
  std::string bytes;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < trace->events.size(); ++i) {
    const TraceEvent& event = trace->events[i];
    for (const std::size_t length : {event.length / 2, event.length}) {
      SCOPED_TRACE("event " + std::to_string(i) + ", " + std::to_string(length) + " bytes of it");
      std::string torn = bytes;
      apply(event, torn, length);
      if (length == event.length) {
        bytes = torn;
        for (const auto& [events, then] : committed) kept = events <= i + 1 ? std::max(kept, then) : kept;
      } else if (event.what != TraceEvent::What::write || event.length <= 8) {
        continue;
      }
      write_bytes(killed, torn);
      const std::size_t seen = rows_of(killed);
      EXPECT_GE(seen, kept);
      if (seen == 0) continue;
      Writer more = append(killed, Comm::self(), {}, Later::refuse, options(GetParam()));
      add(more, seen, 7);
      more.close();
      EXPECT_EQ(rows_of(killed), seen + 7);
    }
  }
  EXPECT_EQ(kept, rows);
}

INSTANTIATE_TEST_SUITE_P(Filters, Growth, testing::Values("none", "deflate", "plain", "matrix"),
                         [](const auto& chosen) { return chosen.param; });

}  // namespace
}  // namespace quire::test::growth_test
