// Every transport on every number of ranks: the same bytes, the same errors, and no endless waits.

#include "quire/spi/transport/transport.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <vector>

#include "quire/comm/partition.hpp"
#include "support/environment.hpp"
#include "support/reported_rank.hpp"
#include "transport/faulty.hpp"
#include "transport/pattern.hpp"
#include "transport/trace.hpp"

namespace quire::transport_test {
namespace {

constexpr std::uint64_t header_bytes = 371;
constexpr std::uint64_t row_bytes = 60;
constexpr std::uint64_t columns = 3;

/// The ranks that hold the rows.
enum class Holders { all, not_root, only_last, none };

Slice slice_of(Holders holders, std::uint64_t rows, const Comm& comm) {
  switch (holders) {
    case Holders::all:
      return even_slice(rows, comm.rank(), comm.size());
    case Holders::not_root:
      return slice_without_root(rows, comm.rank(), comm.size());
    case Holders::only_last:
      return comm.rank() == comm.size() - 1 ? Slice{0, rows} : Slice{};
    case Holders::none:
      break;
  }
  return {};
}

/// A file with a header, rows, and columns after them: one kind of bytes after another, at odd offsets.
struct Layout {
  std::uint64_t rows = 0;

  [[nodiscard]] std::uint64_t rows_at(std::uint64_t row) const { return header_bytes + row * row_bytes; }
  [[nodiscard]] std::uint64_t column_at(std::uint64_t column, std::uint64_t row) const {
    return rows_at(rows) + 8 * (column * rows + row);
  }
  [[nodiscard]] std::uint64_t end() const { return column_at(columns, 0); }
};

/// The bytes that one rank writes, and their memory.
struct Part {
  WritePlan plan;
  std::vector<std::vector<std::byte>> memory;
};

Part part_of(const Layout& layout, const Slice& mine, bool root, std::optional<std::uint64_t> fails_at = {}) {
  Part part;
  if (root) part.plan.add(0, test::pattern(0, header_bytes));
  const std::uint64_t offset = layout.rows_at(mine.first);
  part.plan.add(offset, mine.count * row_bytes, std::make_shared<test::PatternEncoder>(offset, row_bytes, fails_at));
  for (std::uint64_t column = 0; column < columns; ++column) {
    const std::uint64_t begin = layout.column_at(column, mine.first);
    part.memory.push_back(test::pattern(begin, static_cast<std::size_t>(mine.count * 8)));
    part.plan.add(begin, std::span<const std::byte>(part.memory.back()));
  }
  return part;
}

TransportOptions small_pieces() {
  TransportOptions options;
  options.limits.piece = 16 << 10;
  options.limits.staging = 8 << 10;
  options.limits.direct_from = 4 << 10;
  return options;
}

class TransportTest : public testing::Test {
 protected:
  [[nodiscard]] std::string own_path() const {
    return test::path(testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  [[nodiscard]] std::unique_ptr<Transport> open(Access access, const TransportOptions& options = small_pieces()) {
    return open_transport(test::transport(), own_path(), access, comm_, options);
  }
  [[nodiscard]] bool is(const char* name) const { return test::transport() == name; }

  /// The error on which all ranks agree.
  template <class Action>
  [[nodiscard]] std::optional<Error> agreed_error(Action&& action) {
    const auto mine = test::error_of(action);
    return test::error_of([&] { agree(comm_, mine); });
  }

  void expect_file(const Layout& layout, std::uint64_t bytes) {
    comm_.barrier();
    if (comm_.is_root()) {
      EXPECT_TRUE(test::bytes_of_file(own_path()) == test::pattern(0, static_cast<std::size_t>(bytes))) << layout.rows;
    }
    comm_.barrier();
  }

  Comm comm_ = test::everyone();
};

TEST_F(TransportTest, WritesTheSameBytesForAnyHoldersOfTheRows) {
  for (const Holders holders : {Holders::all, Holders::not_root, Holders::only_last, Holders::none}) {
    for (const std::uint64_t rows : {std::uint64_t{2}, std::uint64_t{1500}}) {
      const Layout layout{rows};
      const auto file = open(Access::create);
      const Part part = part_of(layout, slice_of(holders, rows, comm_), comm_.is_root());
      EXPECT_FALSE(agreed_error([&] { file->run(part.plan); }));
      expect_file(layout, holders == Holders::none ? header_bytes : layout.end());
      file->close();
      file->close();
    }
  }
}

TEST_F(TransportTest, ReadsWhatOtherRanksWrote) {
  const Layout layout{1600};
  const auto file = open(Access::create);
  const Part part = part_of(layout, slice_of(Holders::all, layout.rows, comm_), comm_.is_root());
  EXPECT_FALSE(agreed_error([&] { file->run(part.plan); }));
  file->close();

  const auto reader = open(Access::read);
  for (const Holders holders : {Holders::all, Holders::not_root, Holders::only_last, Holders::none}) {
    const Slice mine = slice_of(holders, layout.rows, comm_);
    const auto decoder = std::make_shared<test::KeepingDecoder>(row_bytes);
    std::vector<std::vector<std::byte>> ready(columns,
                                              std::vector<std::byte>(static_cast<std::size_t>(mine.count * 8)));
    ReadPlan plan;
    plan.add(layout.rows_at(mine.first), mine.count * row_bytes, decoder);
    for (std::uint64_t c = 0; c < columns; ++c) plan.add(layout.column_at(c, mine.first), std::span(ready[c]));
    reader->run(plan);
    EXPECT_TRUE(decoder->bytes == test::pattern(layout.rows_at(mine.first), decoder->bytes.size()));
    EXPECT_EQ(decoder->bytes.size(), mine.count * row_bytes);
    for (std::uint64_t c = 0; c < columns; ++c) {
      EXPECT_TRUE(ready[c] == test::pattern(layout.column_at(c, mine.first), ready[c].size()));
    }
  }
  reader->close();
}

TEST_F(TransportTest, WritesSeveralStepsThroughOneOpenFile) {
  const Layout layout{300};
  const auto file = open(Access::create, TransportOptions{});
  for (int step = 0; step < 3; ++step) {
    // Increasing sizes, so that shared buffers must grow.
    const Layout larger{layout.rows << (3 * step)};
    const Part part = part_of(larger, slice_of(Holders::all, larger.rows, comm_), comm_.is_root());
    EXPECT_FALSE(agreed_error([&] { file->run(part.plan); }));
    expect_file(larger, larger.end());
  }
  const std::uint64_t handles = is("mpi_collective") ? 2 : 1;
  EXPECT_LE(file->counters().opens, handles);
  file->close();
}

// ext4 writes a file that was truncated to zero, even an empty one, to disk inside every later close.
TEST_F(TransportTest, AnEmptyFileIsNotTruncated) {
  const auto long_ago = std::filesystem::file_time_type(std::chrono::seconds(1'000'000));
  if (comm_.is_root()) {
    test::make_file(own_path(), {});
    std::filesystem::last_write_time(own_path(), long_ago);
  }
  comm_.barrier();
  open(Access::create)->close();
  comm_.barrier();
  EXPECT_TRUE(std::filesystem::last_write_time(own_path()) == long_ago);
}

TEST_F(TransportTest, RanksWithNothingDoNotOpen) {
  if (is("mpi_collective")) GTEST_SKIP() << "a collective handle is open on all ranks";
  const Layout layout{100};
  const auto file = open(Access::create);
  const Part part = part_of(layout, slice_of(Holders::none, 100, comm_), comm_.is_root());
  file->run(part.plan);
  EXPECT_EQ(file->counters().opens, comm_.is_root() ? 1U : 0U);
  file->close();
}

TEST_F(TransportTest, OneWriterServesItsNode) {
  if (!is("aggregated")) GTEST_SKIP() << "the other transports have no writers";
  const Layout layout{2000};
  const auto file = open(Access::create);
  const Part part = part_of(layout, slice_of(Holders::all, layout.rows, comm_), comm_.is_root());
  file->run(part.plan);
  EXPECT_EQ(file->counters().bytes_written, comm_.is_root() ? layout.end() : 0U);
  EXPECT_EQ(file->counters().opens, comm_.is_root() ? 1U : 0U);
  // A rank that has returned may rely on the bytes.
  EXPECT_EQ(file->size(), layout.end());
  file->close();
}

TEST_F(TransportTest, OneRankAloneDoesNotWait) {
  const auto file = open(Access::create);
  if (comm_.rank() == comm_.size() - 1) {
    const Part part = part_of({500}, {0, 500}, true);
    file->run_alone(part.plan);
    file->put(10, test::pattern(10, 5));
    std::vector<std::byte> out(100);
    EXPECT_EQ(file->get(30, out), 100U);
    EXPECT_TRUE(out == test::pattern(30, 100));
    ReadPlan plan;
    plan.add(7, std::span(out));
    file->run_alone(plan);
    EXPECT_TRUE(out == test::pattern(7, 100));
    EXPECT_EQ(file->size(), Layout{500}.end());
    file->reserve(0, 10);
    file->sync(true);
    file->resize(400);
    EXPECT_EQ(file->size(), 400U);
  }
  expect_file({500}, 400);
  file->close();
}

TEST_F(TransportTest, AFullDiskOnAnyRankFreesTheOthers) {
  const Layout layout{1200};
  for (int broken = 0; broken < comm_.size(); ++broken) {
    auto file = open(Access::create);
    if (comm_.rank() == broken) file = faulty(std::move(file), {.after_bytes = 10'000, .error_number = ENOSPC});
    const Part part = part_of(layout, slice_of(Holders::all, layout.rows, comm_), comm_.is_root());
    const auto error = agreed_error([&] { file->run(part.plan); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::io);
    EXPECT_EQ(error->rank(), test::reported_rank(comm_, broken));
    EXPECT_TRUE(error->offset());
    file->close();
  }
}

TEST_F(TransportTest, AFailingEncoderOnAnyRankFreesTheOthers) {
  const Layout layout{1200};
  const auto file = open(Access::create);
  for (int broken = 0; broken < comm_.size(); ++broken) {
    std::optional<std::uint64_t> fails_at;
    if (comm_.rank() == broken) fails_at = 10'000;
    const Part part = part_of(layout, slice_of(Holders::all, layout.rows, comm_), comm_.is_root(), fails_at);
    const auto error = agreed_error([&] { file->run(part.plan); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::type);
    EXPECT_EQ(error->rank(), test::reported_rank(comm_, broken));
    EXPECT_EQ(error->file(), own_path());
  }
  // The object still works after an error.
  const Part part = part_of(layout, slice_of(Holders::all, layout.rows, comm_), comm_.is_root());
  EXPECT_FALSE(agreed_error([&] { file->run(part.plan); }));
  expect_file(layout, layout.end());
  file->close();
}

TEST_F(TransportTest, AFailingDecoderOnAnyRankFreesTheOthers) {
  const Layout layout{1200};
  if (comm_.is_root()) test::make_file(own_path(), test::pattern(0, static_cast<std::size_t>(layout.end())));
  comm_.barrier();
  const auto file = open(Access::read);
  for (int broken = 0; broken < comm_.size(); ++broken) {
    const Slice mine = slice_of(Holders::all, layout.rows, comm_);
    std::optional<std::uint64_t> fails_at;
    if (comm_.rank() == broken) fails_at = 10'000;
    ReadPlan plan;
    plan.add(layout.rows_at(mine.first), mine.count * row_bytes,
             std::make_shared<test::KeepingDecoder>(row_bytes, fails_at));
    const auto error = agreed_error([&] { file->run(plan); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::bad_file);
    EXPECT_EQ(error->rank(), test::reported_rank(comm_, broken));
    EXPECT_EQ(error->offset(), layout.rows_at(even_slice(layout.rows, broken, comm_.size()).first) + 10'000);
  }
  file->close();
}

TEST_F(TransportTest, AShortFileIsABadFileOnTheRankThatMissesBytes) {
  if (comm_.is_root()) test::make_file(own_path(), test::pattern(0, 50'000));
  comm_.barrier();
  const auto file = open(Access::read);
  std::vector<std::byte> memory(60'000);
  ReadPlan plan;
  if (comm_.rank() == comm_.size() - 1) plan.add(3, std::span(memory));
  const auto error = agreed_error([&] { file->run(plan); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::bad_file);
  EXPECT_EQ(error->offset(), 50'000U);
  EXPECT_EQ(error->file(), own_path());
  EXPECT_EQ(error->rank(), test::reported_rank(comm_, comm_.size() - 1));
  file->close();
}

TEST_F(TransportTest, ATrulyFullDiskIsAnIoErrorThatNamesTheFile) {
  const Layout layout{10'000};
  const auto file = open(Access::create);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{500'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const Part part = part_of(layout, slice_of(Holders::all, layout.rows, comm_), comm_.is_root());
  const auto error = agreed_error([&] { file->run(part.plan); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::io);
  EXPECT_EQ(error->file(), own_path());
  // Not every MPI reports the text of the system.
  EXPECT_TRUE(error->message().starts_with("cannot write: ")) << error->message();
  EXPECT_EQ(error->message().find('\n'), std::string::npos) << error->message();
  EXPECT_EQ(error->message().ends_with("File too large"), error->advice().starts_with("make room"));
  ASSERT_TRUE(error->offset());
  EXPECT_LE(*error->offset(), layout.end());
  file->close();
}

TEST_F(TransportTest, OpeningErrorsAgree) {
  if (comm_.is_root()) std::filesystem::remove(own_path());
  comm_.barrier();
  const auto missing = test::error_of([&] { static_cast<void>(open(Access::read)); });
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->kind(), ErrorKind::missing);
  EXPECT_EQ(missing->rank(), test::reported_rank(comm_, 0));
  EXPECT_EQ(missing->file(), own_path());

  const auto unknown =
      test::error_of([&] { static_cast<void>(open_transport("pigeon", own_path(), Access::create, comm_, {})); });
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->kind(), ErrorKind::usage);

  // One rank requests another transport than the others.
  const bool odd = comm_.rank() == comm_.size() - 1;
  const auto mixed = test::error_of([&] {
    static_cast<void>(open_transport(odd ? "pigeon" : test::transport(), own_path(), Access::create, comm_, {}));
  });
  ASSERT_TRUE(mixed);
  EXPECT_EQ(mixed->kind(), ErrorKind::usage);
  EXPECT_EQ(mixed->rank(), test::reported_rank(comm_, comm_.size() - 1));
}

TEST_F(TransportTest, AMissingRankLeadsToADeadlineError) {
  Comm comm = comm_.split(0, comm_.rank());
  comm.set_deadline(std::chrono::seconds(2));  // opening must succeed on a busy machine too
  const auto file = open_transport(test::transport(), own_path(), Access::create, comm, small_pieces());
  if (!file->is_collective() || comm.size() == 1) GTEST_SKIP() << "no rank waits for another";
  if (comm.rank() < comm.size() - 1) {
    const Part part = part_of({100}, {0, comm.is_root() ? 100U : 0U}, comm.is_root());
    const auto error = test::error_of([&] { file->run(part.plan); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::deadline);
  }
  comm_.barrier();  // other communicators still work
}

TEST_F(TransportTest, FilesOfPartsAndOfSingleRanksMayBeOpenTogether) {
  const auto own = open_transport(test::transport(), own_path() + std::to_string(comm_.rank()), Access::create,
                                  Comm::self(), small_pieces());
  Comm half = comm_.split(comm_.rank() % 2, comm_.rank());
  const std::string half_path = own_path() + "half" + std::to_string(comm_.rank() % 2);
  const auto together = open_transport(test::transport(), half_path, Access::create, half, small_pieces());
  const Layout layout{700};
  const Part whole = part_of(layout, {0, layout.rows}, true);
  own->run(whole.plan);
  const Part part = part_of(layout, slice_of(Holders::all, layout.rows, half), half.is_root());
  together->run(part.plan);
  half.barrier();
  const auto expected = test::pattern(0, static_cast<std::size_t>(layout.end()));
  EXPECT_TRUE(test::bytes_of_file(half_path) == expected);
  EXPECT_TRUE(test::bytes_of_file(own_path() + std::to_string(comm_.rank())) == expected);
  together->close();
  own->close();
}

TEST_F(TransportTest, TracesOfAllRanksReplayToTheFile) {
  const Layout layout{900};
  const auto trace = std::make_shared<Trace>();
  trace->keep_bytes = true;
  const auto file = traced(open(Access::create), trace);
  const Part part = part_of(layout, slice_of(Holders::all, layout.rows, comm_), comm_.is_root());
  EXPECT_FALSE(agreed_error([&] { file->run(part.plan); }));
  std::vector<std::byte> bytes;
  for (int rank = 0; rank < comm_.size(); ++rank) {
    if (comm_.rank() == rank) bytes = replay(*trace, trace->events.size(), bytes);
    comm_.broadcast(bytes, rank);
  }
  EXPECT_TRUE(bytes == test::pattern(0, static_cast<std::size_t>(layout.end())));
  file->close();
}

}  // namespace
}  // namespace quire::transport_test
