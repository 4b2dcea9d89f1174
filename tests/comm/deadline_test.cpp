// One rank does not call: the waits of the others reach their deadline, and all ranks still exit normally.

#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "quire/comm/mpi.hpp"
#include "quire/quire.hpp"
#include "support/environment.hpp"
#include "support/sample.hpp"

namespace quire::deadline_test {
namespace {

template <class Action>
std::optional<Error> error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

/// All ranks but the last one wait for the last one, which never calls.
template <class Wait>
void expect_deadline(const char* operation, Wait&& wait) {
  Comm comm = world();
  comm.set_deadline(std::chrono::milliseconds(30));
  if (comm.rank() < comm.size() - 1) {
    const auto first = error_of([&] { wait(comm); });
    ASSERT_TRUE(first);
    EXPECT_EQ(first->kind(), ErrorKind::deadline);
    EXPECT_NE(first->message().find(operation), std::string::npos) << first->what();
    // The communicator stays abandoned: later calls do not wait.
    comm.set_deadline(std::nullopt);
    const auto second = error_of([&] { agree(comm, first); });
    ASSERT_TRUE(second);
    EXPECT_EQ(second->kind(), ErrorKind::deadline);
  }
  // Other communicators still work.
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(DeadlineTest, HoldsForTheCommunicatorItself) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(copy, &rank);
  MPI_Comm_size(copy, &size);
  if (rank < size - 1) {
    const auto error = error_of([&] { static_cast<void>(mpi_comm(copy, std::chrono::milliseconds(30))); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->kind(), ErrorKind::deadline);
    EXPECT_NE(error->message().find("duplicate the communicator"), std::string::npos) << error->what();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const Comm comm = mpi_comm(MPI_COMM_WORLD, std::chrono::milliseconds(30'000));
  EXPECT_EQ(comm.deadline(), std::chrono::milliseconds(30'000));
}

TEST(DeadlineTest, NamesTheBarrier) {
  expect_deadline("wait for all ranks", [](Comm& comm) { comm.barrier(); });
}

TEST(DeadlineTest, NamesTheSum) {
  expect_deadline("sum over all ranks", [](Comm& comm) {
    std::vector<std::uint64_t> words(1000, 1);
    comm.sum(words);
  });
}

TEST(DeadlineTest, NamesTheIncompleteExchange) {
  expect_deadline("exchange bytes", [](Comm& comm) {
    // Its parcel is in the memory of an abandoned exchange, which lives as long as MPI may read it.
    static_cast<void>(comm.exchange({{comm.size() - 1, std::vector<std::byte>(std::size_t{20} << 20)}}));
  });
}

TEST(DeadlineTest, NamesTheBroadcastWhoseRootStaysAway) {
  expect_deadline("broadcast from rank", [](Comm& comm) {
    std::vector<std::byte> bytes(1 << 20);
    comm.broadcast(std::span(bytes), comm.size() - 1);
  });
}

TEST(DeadlineTest, HoldsForSplitsToo) {
  expect_deadline("wait for all ranks", [](Comm& comm) { static_cast<void>(comm.split(0, 0)); });
}

TEST(DeadlineTest, NamesTheFileAndTheRankThatWaited) {
  const std::string file = test::path("deadline");
  WriteOptions options;
  options.format = test::formats_of_tables().front()->name;
  Writer out = create(file, world(), options);
  const std::vector<double> x(3, 1.0);
  WriteStep step = out.step(0);
  step.put("x", x);
  out.comm().set_deadline(std::chrono::milliseconds(30));
  if (out.comm().rank() < out.comm().size() - 1) {
    for (const bool commits : {true, false}) {
      const auto error = error_of([&] { commits ? step.commit() : out.close(); });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->kind(), ErrorKind::deadline) << error->what();
      EXPECT_EQ(error->file(), file) << error->what();
      EXPECT_EQ(error->rank(), out.comm().rank()) << error->what();
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST(DeadlineTest, PassesWhenEverybodyComes) {
  Comm comm = world();
  comm.set_deadline(std::chrono::seconds(30));
  comm.barrier();
  std::uint64_t word = 1;
  comm.sum(std::span(&word, 1));
  EXPECT_EQ(word, static_cast<std::uint64_t>(comm.size()));
}

}  // namespace
}  // namespace quire::deadline_test
