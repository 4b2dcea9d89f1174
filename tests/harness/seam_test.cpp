// The seam holds: what a simulation plans is what the transport is asked to do, the library's own metadata included;
// and a step costs no more collectives than promised.

#include <gtest/gtest.h>

#include "quire/api/simulation.hpp"
#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"
#include "support/traced_files.hpp"

namespace quire::test {
namespace {

constexpr std::uint64_t rows = 29;

class Seam : public testing::TestWithParam<std::tuple<Variant, Spread>> {};

TEST_P(Seam, TraceEqualsPlan) {
  const auto& [variant, spread] = GetParam();
  const Format* const format = variant.format;
  Comm comm = everyone();
  WriteOptions options = variant.write_options();
  TracedFiles traced;
  traced.wrap(options);
  const std::uint64_t total = spread == Spread::nobody_has_anything ? 0 : rows;
  Sample sample(*format, total);
  Sample planned_sample(*format, total);
  const std::string file = "seam_" + variant.name() + name(spread);
  Writer out = create(path(file), comm, options);
  WriteSimulation simulation({}, comm.size(), options);
  for (std::int64_t number = 0; number < possible_steps(*format, 3); ++number) {
    traced.forget();
    WriteStep step = out.step(number);
    sample.fill(step, number, slice(spread, total, comm));
    step.commit();
    sample.forget();
    const auto part = [&](int rank) { return planned_sample.part(number, slice(spread, total, rank, comm.size())); };
    const PlannedStep planned = simulation.next(part);
    const auto& own = planned.ranks[static_cast<std::size_t>(comm.rank())];
    const auto wanted = TracedFiles::planned(planned, own, comm.is_root());
    EXPECT_EQ(text(traced.written(simulation, file, wanted)), text(wanted)) << "step " << number;
  }
  out.close();
}

INSTANTIATE_TEST_SUITE_P(Formats, Seam, testing::Combine(testing::ValuesIn(variants()), testing::ValuesIn(spreads)),
                         [](const auto& chosen) {
                           return std::get<0>(chosen.param).name() + "_" + name(std::get<1>(chosen.param));
                         });

class Collectives : public testing::TestWithParam<const Format*> {};

TEST_P(Collectives, TwoForAStepOfAnyShape) {
  Comm comm = everyone();
  WriteOptions options;
  options.format = GetParam()->name();
  Sample sample(*GetParam(), rows);
  Writer out = create(path("collectives_" + std::string(GetParam()->name())), comm, options);
  EXPECT_EQ(out.comm().collectives(), 1U);
  for (std::int64_t number = 0; number < possible_steps(*GetParam(), 4); ++number) {
    WriteStep step = out.step(number);
    sample.fill(step, number, slice(Spread::even, rows, comm));
    const std::uint64_t before = out.comm().collectives();
    step.commit();
    EXPECT_LE(out.comm().collectives() - before, 2U) << "step " << number;
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
