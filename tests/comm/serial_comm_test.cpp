#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

#include "quire/comm/comm.hpp"

namespace quire::serial_comm_test {
namespace {

TEST(SerialComm, IsRankZeroOfOne) {
  Comm comm = Comm::self();
  EXPECT_EQ(comm.rank(), 0);
  EXPECT_EQ(comm.size(), 1);
  EXPECT_TRUE(comm.is_root());
}

TEST(SerialComm, PrefixIsNothing) {
  Comm comm = Comm::self();
  std::array<std::uint64_t, 2> words{5, 7};
  comm.sum(words);
  EXPECT_EQ(words, (std::array<std::uint64_t, 2>{5, 7}));
  comm.maximum(words);
  EXPECT_EQ(words, (std::array<std::uint64_t, 2>{5, 7}));
  comm.prefix(words);
  EXPECT_EQ(words, (std::array<std::uint64_t, 2>{0, 0}));
}

TEST(SerialComm, CountsCollectivesOfEachHandle) {
  Comm comm = Comm::self();
  comm.barrier();
  std::vector<std::byte> bytes(3);
  comm.broadcast(bytes);
  EXPECT_EQ(comm.collectives(), 2U);
  bytes.resize(505);  // too many for the first message
  comm.broadcast(bytes);
  EXPECT_EQ(comm.collectives(), 4U);
  Comm part = comm.split(1, 0);
  EXPECT_EQ(comm.collectives(), 5U);
  EXPECT_EQ(part.collectives(), 0U);
}

TEST(SerialComm, RefusesARootThatDoesNotExist) {
  Comm comm = Comm::self();
  std::array<std::byte, 1> bytes{};
  EXPECT_THROW(comm.broadcast(bytes, 1), Error);
}

TEST(SerialComm, PassesTheDeadlineOnToParts) {
  Comm comm = Comm::self();
  comm.set_deadline(std::chrono::milliseconds(7));
  EXPECT_EQ(comm.split_by_node().deadline(), std::chrono::milliseconds(7));
}

TEST(SerialComm, AgreesOnItsOwnError) {
  Comm comm = Comm::self();
  agree(comm, std::nullopt);
  try {
    agree(comm, Error(ErrorKind::bad_file, "cut").in_file("a.dat").on("x").at(17).advise("run recover"));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_file);
    EXPECT_EQ(error.file(), "a.dat");
    EXPECT_EQ(error.object(), "x");
    EXPECT_EQ(error.offset(), 17U);
    EXPECT_EQ(error.rank(), std::nullopt);
    EXPECT_EQ(error.advice(), "run recover");
  }
}

}  // namespace
}  // namespace quire::serial_comm_test
