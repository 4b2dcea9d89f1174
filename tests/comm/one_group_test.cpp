// Communicators that cannot open files: usage errors from C++ and C, where MPI would abort the program.

#include <gtest/gtest.h>
#include <mpi.h>

#include <optional>
#include <string>

#include "quire/comm/mpi.hpp"
#include "quire/quire_mpi.h"
#include "support/environment.hpp"
#include "support/error_of.hpp"

namespace quire::one_group_test {
namespace {

/// Connects the first rank with all others.
class Intercommunicator {
 public:
  Intercommunicator() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int color = rank == 0 ? 0 : 1;
    MPI_Comm_split(MPI_COMM_WORLD, color, rank, &group_);
    MPI_Intercomm_create(group_, 0, MPI_COMM_WORLD, 1 - color, 1, &both_);
  }
  Intercommunicator(const Intercommunicator&) = delete;
  Intercommunicator& operator=(const Intercommunicator&) = delete;
  ~Intercommunicator() {
    MPI_Comm_free(&both_);
    MPI_Comm_free(&group_);
  }

  [[nodiscard]] MPI_Comm handle() const noexcept { return both_; }

 private:
  MPI_Comm group_ = MPI_COMM_NULL;
  MPI_Comm both_ = MPI_COMM_NULL;
};

/// Calls every function of C that accepts a communicator.
void expect_usage_in_c(MPI_Comm communicator) {
  const std::string path = test::path("one_group");
  const auto expect_usage = [](quire_status status, quire_file* file) {
    EXPECT_EQ(status, QUIRE_USAGE) << quire_error_message(file);
    quire_free(file);
  };
  quire_file* file = nullptr;
  expect_usage(quire_create_mpi(path.c_str(), communicator, nullptr, &file), file);
  expect_usage(quire_append_mpi(path.c_str(), nullptr, 0, communicator, nullptr, &file), file);
  expect_usage(quire_open_mpi(path.c_str(), communicator, nullptr, &file), file);
}

TEST(OneGroup, AnIntercommunicatorIsRefused) {
  const Intercommunicator both;
  const auto error = test::error_of([&] { static_cast<void>(mpi_comm(both.handle())); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  EXPECT_NE(error->message().find("intercommunicator"), std::string::npos) << error->what();
  EXPECT_NE(error->advice().find("MPI_Intercomm_merge"), std::string::npos) << error->what();
  expect_usage_in_c(both.handle());
}

TEST(OneGroup, NoCommunicatorIsRefused) {
  const auto error = test::error_of([&] { static_cast<void>(mpi_comm(MPI_COMM_NULL)); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->kind(), ErrorKind::usage);
  expect_usage_in_c(MPI_COMM_NULL);
}

}  // namespace
}  // namespace quire::one_group_test
