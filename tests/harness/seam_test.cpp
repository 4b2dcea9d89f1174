// The plan of a simulation equals the requests to the transport, including the library's own metadata; and a step costs
// no more collectives than documented.

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "quire/quire.hpp"
#include "quire/spi/api/simulation.hpp"
#include "support/environment.hpp"
#include "support/error_of.hpp"
#include "support/sample.hpp"
#include "support/traced_files.hpp"

namespace quire::test::seam_test {
namespace {

constexpr std::uint64_t rows = 29;
constexpr std::uint64_t rows_in_all = 30;  ///< of which ranks choose some

class Seam : public testing::TestWithParam<std::tuple<Variant, Spread>> {};

TEST_P(Seam, TraceEqualsPlan) {
  const auto& [variant, spread] = GetParam();
  const Format* const format = variant.format;
  Comm comm = everyone();
  WriteOptions options = variant.write_options();
  TracedFiles traced;
  traced.wrap(options);
  const std::uint64_t total = spread == Spread::all_ranks_are_empty ? 0 : rows;
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

/// Every n-th row for each rank; unless the whole table is written, every second turn is left out.
struct Choice {
  Hyperslab rows;
  std::vector<double> x;
  std::vector<std::int32_t> k;

  Choice(int rank, int size, bool is_whole) : rows{{static_cast<std::uint64_t>(rank)}, {}, {0}, {}} {
    rows.stride = {static_cast<std::uint64_t>(size) * (is_whole ? 1 : 2)};
    for (std::uint64_t row = rows.start[0]; row < rows_in_all; row += rows.stride[0]) {
      x.push_back(0.5 * static_cast<double>(row));
      k.push_back(static_cast<std::int32_t>(row));
    }
    rows.count = {x.size()};
  }

  [[nodiscard]] StepPart part(std::int64_t number) const {
    StepPart part;
    part.description.number = number;
    Table table;
    for (const auto& [name, type] : {std::pair("x", Type::float64), std::pair("k", Type::int32)}) {
      Column& column = table.columns.emplace_back();
      column.name = name;
      column.type = type;
    }
    part.description.tables.push_back(std::move(table));
    part.tables = {{ConstView(x), ConstView(k)}};
    part.string_bytes = {{0, 0}};
    part.chosen.emplace_back(SelectionWalk({rows_in_all}, rows));
    return part;
  }
};

class SeamOfChoices : public testing::TestWithParam<std::tuple<Variant, bool>> {
 protected:
  static void TearDownTestSuite() { EXPECT_GT(compared_, 0) << "no kind of file accepts chosen rows"; }
  static inline int compared_ = 0;
};

TEST_P(SeamOfChoices, TraceEqualsPlan) {
  const auto& [variant, is_whole] = GetParam();
  Comm comm = everyone();
  WriteOptions options = variant.write_options();
  TracedFiles traced;
  traced.wrap(options);
  const std::string file = "chosen_" + variant.name() + (is_whole ? "" : "_gaps");
  Writer out = create(path(file), comm, options);
  WriteSimulation simulation({}, comm.size(), options);
  for (std::int64_t number = 0; number < possible_steps(*variant.format, 2); ++number) {
    traced.forget();
    const Choice mine(comm.rank(), comm.size(), is_whole);
    WriteStep step = out.step(number);
    step.table().rows_at(mine.rows).put("x", ConstView(mine.x)).put("k", ConstView(mine.k));
    const auto refused = error_of([&] { step.commit(); });
    std::optional<Choice> asked;
    PlannedStep planned;
    const auto unplanned = error_of([&] {
      planned = simulation.next([&](int rank) {
        asked.emplace(rank, comm.size(), is_whole);
        return asked->part(number);
      });
    });
    ASSERT_EQ(refused.has_value(), unplanned.has_value()) << (refused ? refused->what() : unplanned->what());
    if (refused) {
      EXPECT_EQ(refused->message(), unplanned->message());
      return static_cast<void>(error_of([&] { out.close(); }));
    }
    ++compared_;
    const auto& own = planned.ranks[static_cast<std::size_t>(comm.rank())];
    const auto wanted = TracedFiles::planned(planned, own, comm.is_root());
    EXPECT_EQ(text(traced.written(simulation, file, wanted)), text(wanted)) << "step " << number;
  }
  out.close();
}

INSTANTIATE_TEST_SUITE_P(Formats, SeamOfChoices, testing::Combine(testing::ValuesIn(variants()), testing::Bool()),
                         [](const auto& chosen) {
                           return std::get<0>(chosen.param).name() + (std::get<1>(chosen.param) ? "_all" : "_gaps");
                         });

class Collectives : public testing::TestWithParam<const Format*> {};

TEST_P(Collectives, TwoForAStepOfAnyShape) {
  Comm comm = everyone();
  const WriteOptions options = Variant{.format = GetParam(), .options = {}}.new_file_options();
  Sample sample(*GetParam(), rows);
  Writer out = create(path("collectives_" + std::string(GetParam()->name)), comm, options);
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
                         [](const auto& chosen) { return std::string(chosen.param->name); });

class Sparing : public testing::TestWithParam<const Format*> {};

TEST_P(Sparing, ReadingTwoColumnsAndSomeRowsReadsNoOtherRows) {
  const Format& format = *GetParam();
  Comm comm = everyone();
  const std::string file = path("sparing_" + std::string(format.name));
  constexpr std::uint64_t many = 4096;
  Sample sample(format, many, false);
  WriteOptions options;
  options.format = format.name;
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
                         [](const auto& chosen) { return std::string(chosen.param->name); });

}  // namespace
}  // namespace quire::test::seam_test
