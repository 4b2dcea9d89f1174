// A disk that fails on any one rank: every rank raises the same error, nothing hangs, earlier steps stay.

#include <gtest/gtest.h>

#include "quire/quire.hpp"
#include "support/variant_file.hpp"
#include "transport/faulty.hpp"

namespace quire::test::fault_test {
namespace {

constexpr std::uint64_t rows = 64;

/// The error of a rank in a run whose second step fails, or none if the step succeeded.
std::optional<Error> failure_of(WriteStep& step) {
  try {
    step.commit();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

/// True if all ranks hold the same text.
bool same_everywhere(Comm& comm, const std::string& mine) {
  std::string root = mine;
  std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(root.data()),
                               reinterpret_cast<const std::byte*>(root.data() + root.size()));
  comm.broadcast(bytes);
  const std::string theirs(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::uint64_t different = theirs == mine ? 0 : 1;
  comm.sum(std::span(&different, 1));
  return different == 0;
}

class Faults : public VariantTest {
 protected:
  /// Writes step 0 whole and step 1 with a fault on one rank; or the only step of a file that holds no more.
  void run(const Fault& fault, int failing_rank, bool must_fail) {
    const Format& format = *GetParam().format;
    Comm comm = comm_;
    const std::string file = path("fault_" + GetParam().name());
    const bool is_only = format.holds_one_step;
    if (!is_only) write_first_step(file, comm);

    WriteOptions options = GetParam().write_options();
    options.transport = transport();
    options.wrapper = [&](std::unique_ptr<Transport> inner, const std::string&, int rank) {
      return rank == failing_rank ? faulty(std::move(inner), fault) : std::move(inner);
    };
    options.durable = fault.on_sync;
    Sample sample(format, rows);
    Writer out = is_only ? create(file, comm, options) : append(file, comm, {}, Later::refuse, options);
    const std::int64_t number = is_only ? 0 : 1;
    WriteStep step = out.step(number);
    sample.fill(step, number, slice(Spread::even, rows, comm));
    const auto error = failure_of(step);
    ASSERT_EQ(error.has_value(), must_fail);
    if (error) {
      EXPECT_EQ(error->kind(), ErrorKind::io) << error->what();
      EXPECT_EQ(error->rank(), comm.size() > 1 ? std::optional(failing_rank) : std::nullopt) << error->what();
      EXPECT_NE(error->file(), "");
      EXPECT_TRUE(same_everywhere(comm, error->what()));
    }
    try {
      out.close();
    } catch (const Error&) {
      // The disk still fails; only the contents of the file count.
    }
    comm.barrier();
    if (is_only && must_fail) return;  // the rest is no file of the format, and no step was ever committed
    expect_steps(file, comm, sample, is_only || must_fail ? 1 : 2);
  }

  void write_first_step(const std::string& file, Comm& comm) {
    Sample sample(*GetParam().format, rows);
    Writer out = create(file, comm, GetParam().write_options());
    WriteStep step = out.step(0);
    sample.fill(step, 0, slice(Spread::even, rows, comm));
    step.commit();
    out.close();
  }

  static void expect_steps(const std::string& file, Comm& comm, Sample& sample, std::uint64_t least) {
    Reader in = open(file, comm);
    const CheckReport report = in.check();
    EXPECT_GE(report.whole_steps, least);
    for (std::uint64_t i = 0; i < report.whole_steps; ++i) {
      EXPECT_EQ(sample.difference(in.at(i), slice(Spread::even, rows, comm)), "") << i;
    }
    in.close();
  }
};

TEST_P(Faults, DiskIsFullOnEachRankInTurn) {
  const int size = comm_.size();
  for (int rank = 0; rank < size; ++rank) {
    for (const std::uint64_t after : {0, 1, 100}) {
      SCOPED_TRACE("rank " + std::to_string(rank) + " after " + std::to_string(after));
      run({.after_bytes = after, .error_number = 28, .on_read = false, .on_sync = false}, rank, true);
    }
  }
}

TEST_P(Faults, DataCannotBeMadeDurableOnEachRankInTurn) {
  const int size = comm_.size();
  for (int rank = 0; rank < size; ++rank) {
    SCOPED_TRACE("rank " + std::to_string(rank));
    run({.after_bytes = 0, .error_number = 5, .on_read = false, .on_sync = true}, rank, true);
  }
}

TEST_P(Faults, ReadingFailsOnOneRankOnly) {
  const Format& format = *GetParam().format;
  Comm comm = comm_;
  const std::string file = path("fault_read_" + GetParam().name());
  write_first_step(file, comm);
  Sample sample(format, rows);
  const int last = comm.size() - 1;
  ReadOptions options;
  options.transport = transport();
  options.wrapper = [&](std::unique_ptr<Transport> inner, const std::string&, int rank) {
    if (rank != last || comm.size() == 1) return inner;
    return faulty(std::move(inner), {.after_bytes = 0, .error_number = 5, .on_read = true, .on_sync = false});
  };
  Reader in = open(file, comm, options);
  const ReadStep step = in.at(0);
  std::vector<std::byte> memory(rows * 16);
  const Column& column = sample.columns().front();
  const View view(column.type, memory.data(), rows, static_cast<std::ptrdiff_t>(size_of(column.type)));
  const bool fails = comm.rank() == last && comm.size() > 1;
  const auto alone = error_of([&] { step.read({}, {0, rows}, {{column.name, view}}); });
  EXPECT_EQ(alone.has_value(), fails);
  // Together, all ranks throw its error.
  const auto error = error_of([&] { step.read_all({}, {0, rows}, {{column.name, view}}); });
  ASSERT_EQ(error.has_value(), comm.size() > 1);
  if (error) {
    EXPECT_EQ(error->kind(), ErrorKind::io) << error->what();
    EXPECT_EQ(error->rank(), last) << error->what();
  }
  in.close();
}

INSTANTIATE_TEST_SUITE_P(Formats, Faults, testing::ValuesIn(variants()),
                         [](const auto& chosen) { return chosen.param.name(); });

}  // namespace
}  // namespace quire::test::fault_test
