// Selections that need several plans, on ranks with different selections: all ranks take part in every collective read
// that is worthwhile, and a failing rank does not affect the values of the others, which throw its error. Independent
// reads wait for no other rank.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/error_of.hpp"
#include "support/sample.hpp"
#include "transport/faulty.hpp"
#include "transport/forwarding.hpp"

namespace quire::test::scattered_reads_test {
namespace {

/// Single rows, more than the decoders of one plan, between two blocks. The blocks are so long that the mean size of
/// the pieces of a plan makes a collective read worthwhile.
constexpr std::uint64_t block = 2'400'000;
constexpr std::uint64_t singles = 260;
constexpr std::uint64_t apart = 1025;  ///< more than the gap that is read between small pieces
constexpr std::uint64_t last_block = block + singles * apart;
constexpr std::uint64_t last_rows = 140'000;
constexpr std::uint64_t rows = last_block + last_rows;

struct Runs {
  std::uint64_t together = 0;
  std::uint64_t alone = 0;
};

class CountingTransport final : public ForwardingTransport {
 public:
  CountingTransport(std::unique_ptr<Transport> inner, Runs& runs)
      : ForwardingTransport(std::move(inner)), runs_(runs) {}
  using ForwardingTransport::run;
  using ForwardingTransport::run_alone;
  void run(const ReadPlan& mine) override {
    ++runs_.together;
    inner().run(mine);
  }
  void run_alone(const ReadPlan& mine) override {
    ++runs_.alone;
    inner().run_alone(mine);
  }

 private:
  Runs& runs_;
};

Hyperslab single_rows(std::uint64_t count) {
  return {.start = {block + apart}, .stride = {apart}, .count = {count}, .block = {}};
}

class ScatteredReads : public testing::Test {
 protected:
  void SetUp() override {
    comm_.set_deadline(std::chrono::seconds(60));
    file_ = path("scattered.h5");
    WriteOptions writing;
    writing.format = "h5part";
    writing.deadline = std::chrono::seconds(60);
    Writer out = create(file_, comm_, writing);
    const Slice mine = slice(Spread::even, rows, comm_);
    std::vector<double> values(mine.count);
    for (std::uint64_t i = 0; i < mine.count; ++i) values[i] = value_of(mine.first + i);
    WriteStep step = out.step(0);
    step.table().put("x", ConstView(values));
    step.commit();
    out.close();
    ReadOptions options;
    options.transport = transport();
    options.deadline = std::chrono::seconds(60);
    options.wrapper = [this](std::unique_ptr<Transport> inner, const std::string&, int) {
      return std::make_unique<CountingTransport>(std::move(inner), runs_);
    };
    in_.emplace(open(file_, comm_, options));
    step_.emplace(in_->at(0));
    runs_ = {};
  }
  void TearDown() override {
    // All ranks still agree.
    EXPECT_EQ(in_->size(), 1U);
    in_->close();
  }

  [[nodiscard]] static double value_of(std::uint64_t row) {
    return row + 1 == rows ? 0.5 : static_cast<double>(row);  // the last one is not a whole number
  }
  [[nodiscard]] bool is_scattered_rank() const { return comm_.rank() == 0; }
  [[nodiscard]] bool reads_in_rounds() const { return transport() == "mpi_collective"; }

  /// Reads whole numbers of all parts of a selection.
  std::optional<Error> read(const Selection& selection, std::vector<std::int64_t>& values) {
    values.assign(selection.elements(), -1);
    return error_of([&] { step_->read_all("", RowSelection(selection), {{"x", View(values)}}); });
  }

  /// A long block, single rows and another block that ends `before_end` rows before the end.
  [[nodiscard]] static Selection everything(std::uint64_t before_end) {
    return Selection({Hyperslab{{0}, {}, {block}, {}}, single_rows(singles - 1),
                      Hyperslab{{last_block}, {}, {last_rows - before_end}, {}}});
  }

  static void expect_everything(const std::vector<std::int64_t>& values) {
    for (std::uint64_t i = 0; i < block; ++i) ASSERT_EQ(values[i], static_cast<std::int64_t>(i));
    for (std::uint64_t i = 0; i + 1 < singles; ++i) {
      ASSERT_EQ(values[block + i], static_cast<std::int64_t>(block + (i + 1) * apart));
    }
    for (std::uint64_t i = block + singles - 1; i < values.size(); ++i) {
      ASSERT_EQ(values[i], static_cast<std::int64_t>(last_block + i - (block + singles - 1)));
    }
  }

  /// The reads of the other ranks at the same time: some read a slice, some nothing.
  void read_as_the_others() {
    if (comm_.rank() % 2 == 0) return step_->read_all("", Slice{}, {});
    std::vector<double> values(10);
    step_->read_all("", Slice{100, 10}, {{"x", View(values)}});
    for (std::uint64_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<double>(100 + i));
  }

  Comm comm_ = everyone();
  std::string file_;
  Runs runs_;
  std::optional<Reader> in_;
  std::optional<ReadStep> step_;
};

TEST_F(ScatteredReads, AllRanksTakePartInEveryPlan) {
  if (is_scattered_rank()) {
    std::vector<std::int64_t> values;
    const auto error = read(everything(1), values);
    ASSERT_FALSE(error) << error->what();
    expect_everything(values);
  } else {
    read_as_the_others();
  }
  if (reads_in_rounds()) {
    EXPECT_EQ(runs_.together, 2U) << "one plan, and another one of rank 0";
    EXPECT_EQ(runs_.alone, 0U);
  } else if (is_scattered_rank()) {
    EXPECT_EQ(runs_.together + runs_.alone, 2U);
  } else {
    EXPECT_LE(runs_.together + runs_.alone, 1U);
  }
}

TEST_F(ScatteredReads, SmallPiecesAreReadIndependently) {
  if (is_scattered_rank()) {
    std::vector<std::int64_t> values;
    const auto error = read(single_rows(singles - 1), values);
    ASSERT_FALSE(error) << error->what();
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i], static_cast<std::int64_t>(block + (i + 1) * apart));
    }
    EXPECT_EQ(runs_.together + runs_.alone, 2U);
  } else {
    read_as_the_others();
  }
  EXPECT_EQ(runs_.together, reads_in_rounds() ? 1U : 0U);
}

TEST_F(ScatteredReads, ContiguousRowsTakeOneCollectiveRead) {
  const Slice mine = slice(Spread::even, rows - 1, comm_);
  std::vector<std::int64_t> values(mine.count);
  step_->read_all("", mine, {{"x", View(values)}});
  for (std::uint64_t i = 0; i < mine.count; ++i) ASSERT_EQ(values[i], static_cast<std::int64_t>(mine.first + i));
  EXPECT_EQ(runs_.together, reads_in_rounds() ? 1U : 0U);
  EXPECT_EQ(runs_.alone, reads_in_rounds() ? 0U : 1U);
}

TEST_F(ScatteredReads, IndependentReadsWaitForNoOtherRank) {
  if (is_scattered_rank()) {
    const Selection selection = everything(1);
    std::vector<std::int64_t> values(selection.elements(), -1);
    step_->read("", RowSelection(selection), {{"x", View(values)}});
    expect_everything(values);
    EXPECT_EQ(runs_.alone, 2U);
  }
  EXPECT_EQ(runs_.together, 0U);
}

TEST_F(ScatteredReads, AllRanksThrowTheErrorOfARankThatFailsLate) {
  std::vector<std::int64_t> values;
  const bool fails = comm_.rank() == comm_.size() - 1;
  // In its last plan, at the last row.
  const auto error = read(everything(fails ? 0 : 1), values);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::type) << error->what();
  if (!fails) expect_everything(values);
}

TEST_F(ScatteredReads, AllRanksThrowTheErrorOfADiskThatFailsLate) {
  constexpr std::uint64_t end_of_first_plan = (block + 256) * sizeof(double) + 1;
  ReadOptions options;
  options.transport = transport();
  options.deadline = std::chrono::seconds(60);
  const int failing = comm_.size() - 1;
  options.wrapper = [failing](std::unique_ptr<Transport> inner, const std::string&, int rank) {
    return rank == failing ? faulty(std::move(inner), {.after_bytes = end_of_first_plan, .on_read = true})
                           : std::move(inner);
  };
  Reader in = open(file_, comm_, options);
  const ReadStep step = in.at(0);
  const Selection selection = everything(1);
  std::vector<std::int64_t> values(selection.elements(), -1);
  const auto error = error_of([&] { step.read_all("", RowSelection(selection), {{"x", View(values)}}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::io) << error->what();
  if (comm_.rank() != failing) expect_everything(values);
  in.close();
}

TEST_F(ScatteredReads, AllRanksThrowTheErrorOfARankThatCannotPlan) {
  std::vector<std::int64_t> values(3);
  const bool fails = comm_.rank() == comm_.size() - 1;
  const auto error = fails ? error_of([&] {
    step_->read_all("", Slice{0, 3}, {{"y", View(values)}});
  })
                           : read(everything(1), values);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::missing) << error->what();
  if (!fails) expect_everything(values);
}

TEST_F(ScatteredReads, AllRanksThrowARefusal) {
  std::vector<std::int64_t> values;
  const auto error = comm_.rank() == comm_.size() - 1
                         ? error_of([&] { step_->refuse_read(Error(ErrorKind::memory, "no memory for the values")); })
                         : read(everything(1), values);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::memory) << error->what();
  EXPECT_EQ(error->message(), "no memory for the values");
}

}  // namespace
}  // namespace quire::test::scattered_reads_test
