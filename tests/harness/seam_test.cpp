// The seam holds: what a simulation plans is what the transport is asked to do, the library's own metadata included;
// and a step costs no more collectives than promised.

#include <gtest/gtest.h>

#include <algorithm>

#include "quire/api/simulation.hpp"
#include "quire/quire.hpp"
#include "quire/transport/trace.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"

namespace quire::test {
namespace {

constexpr std::uint64_t rows = 29;

using Extents = std::vector<Extent>;

Extents sorted(Extents extents) {
  std::ranges::sort(extents, [](const Extent& a, const Extent& b) {
    return std::pair(a.offset, a.length) < std::pair(b.offset, b.length);
  });
  return extents;
}

/// What one rank wrote since event `from`; a resize has length 0, as in a simulation.
Extents written(const Trace& trace, std::size_t from) {
  Extents extents;
  for (std::size_t i = from; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (event.what == TraceEvent::What::write) extents.push_back({event.offset, event.length});
    if (event.what == TraceEvent::What::resize) extents.push_back({event.offset, 0});
  }
  return extents;
}

std::string text(const Extents& extents) {
  std::string result;
  for (const Extent& extent : extents) {
    result += "[" + std::to_string(extent.offset) + "+" + std::to_string(extent.length) + "] ";
  }
  return result;
}

struct Traced {
  std::shared_ptr<Trace> trace = std::make_shared<Trace>();
  WriteOptions options;

  explicit Traced(const Format& format) {
    options.format = format.name();
    options.wrapper = [log = trace](std::unique_ptr<Transport> inner, const std::string&, int) {
      return traced(std::move(inner), log);
    };
  }
};

class Seam : public testing::TestWithParam<std::tuple<Variant, Spread>> {};

TEST_P(Seam, TraceEqualsPlan) {
  const auto& [variant, spread] = GetParam();
  const Format* const format = variant.format;
  Comm comm = everyone();
  Traced run(*format);
  run.options.options = variant.options;
  const std::uint64_t total = spread == Spread::nobody_has_anything ? 0 : rows;
  Sample sample(*format, total);
  Sample planned_sample(*format, total);
  FileDescription file;
  Writer out = create(path("seam_" + variant.name() + name(spread)), comm, run.options);
  WriteSimulation simulation(file, comm.size(), run.options);
  for (std::int64_t number = 0; number < possible_steps(*format, 3); ++number) {
    const std::size_t before = run.trace->events.size();
    WriteStep step = out.step(number);
    sample.fill(step, number, slice(spread, total, comm));
    step.commit();
    sample.forget();
    const PlannedStep planned =
        simulation.next([&](int rank) { return planned_sample.part(number, slice(spread, total, rank, comm.size())); });
    Extents wanted = planned.ranks[static_cast<std::size_t>(comm.rank())];
    if (comm.is_root()) {
      wanted.insert(wanted.end(), planned.guard.begin(), planned.guard.end());
      wanted.insert(wanted.end(), planned.publication.begin(), planned.publication.end());
    }
    EXPECT_EQ(text(sorted(written(*run.trace, before))), text(sorted(wanted))) << "step " << number;
  }
  out.close();
}

INSTANTIATE_TEST_SUITE_P(Formats, Seam, testing::Combine(testing::ValuesIn(variants()), testing::ValuesIn(spreads)),
                         [](const auto& chosen) {
                           return std::get<0>(chosen.param).name() + "_" + name(std::get<1>(chosen.param));
                         });

class Collectives : public testing::TestWithParam<const Format*> {};

TEST_P(Collectives, FourForANewShapeThreeForARepeatedOne) {
  Comm comm = everyone();
  Traced run(*GetParam());
  // Strings make every step another shape; the promise of three is about sizes that repeat.
  Sample sample(*GetParam(), rows, false);
  Writer out = create(path("collectives_" + std::string(GetParam()->name())), comm, run.options);
  for (std::int64_t number = 0; number < possible_steps(*GetParam(), 4); ++number) {
    WriteStep step = out.step(number);
    sample.fill(step, number, slice(Spread::even, rows, comm));
    const std::uint64_t before = out.comm().collectives();
    step.commit();
    EXPECT_LE(out.comm().collectives() - before, number == 0 ? 4U : 3U) << "step " << number;
    sample.forget();
  }
  out.close();
}

INSTANTIATE_TEST_SUITE_P(Formats, Collectives, testing::ValuesIn(formats_of_tables()),
                         [](const auto& chosen) { return std::string(chosen.param->name()); });

class Sparing : public testing::TestWithParam<const Format*> {};

TEST_P(Sparing, ReadingTwoColumnsAndSomeRowsReadsNoOtherRows) {
  const Format& format = *GetParam();
  Comm comm = everyone();
  const std::string file = path("sparing_" + std::string(format.name()));
  constexpr std::uint64_t many = 4096;
  Sample sample(format, many, false);
  WriteOptions options;
  options.format = format.name();
  Writer out = create(file, comm, options);
  WriteStep step = out.step(0);
  sample.fill(step, 0, slice(Spread::even, many, comm));
  step.commit();
  out.close();

  Reader in = open(file, comm);
  const ReadStep found = in.step(0);
  const std::uint64_t all = bytes_of(file).size();
  std::uint64_t planned = 0;
  for (const Extent& extent : found.plan("", {16, 32}, {sample.columns()[0].name, sample.columns()[1].name})) {
    planned += extent.length;
  }
  EXPECT_GT(planned, 0U);
  EXPECT_LT(planned, all / 64);
  in.close();
}

INSTANTIATE_TEST_SUITE_P(Formats, Sparing, testing::ValuesIn(formats_of_tables()),
                         [](const auto& chosen) { return std::string(chosen.param->name()); });

}  // namespace
}  // namespace quire::test
