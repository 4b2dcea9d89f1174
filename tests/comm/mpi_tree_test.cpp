// Narrow trees: with as many hops on a few ranks as wide ones have on thousands.

#include "comm/mpi_tree.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "comm/polite_wait.hpp"
#include "quire/comm/mpi.hpp"
#include "support/environment.hpp"

namespace quire {
namespace {

constexpr int narrow = 2;

template <class Pending>
void finish(Pending& pending) {
  wait_politely(Patience{}, Deadline{}, [&] { return pending.advance(); });
}

std::vector<std::uint64_t> reduced(const Comm& comm, TreeReduction::Kind kind, std::vector<std::uint64_t> words) {
  const RankTree tree = RankTree::of(comm.rank(), comm.size(), narrow);
  TreeReduction reduction(mpi_handle(comm), tree, kind, words);
  finish(reduction);
  return {reduction.result().begin(), reduction.result().end()};
}

TEST(MpiTreeTest, ReducesInSeveralHops) {
  const Comm comm = test::everyone();
  const auto rank = static_cast<std::uint64_t>(comm.rank());
  const auto size = static_cast<std::uint64_t>(comm.size());
  // Again and again: whoever is ahead must not be heard in an earlier one.
  for (std::uint64_t round = 0; round < 50; ++round) {
    const std::vector<std::uint64_t> words{rank + round, (rank * 5 + round) % 7};
    EXPECT_EQ(reduced(comm, TreeReduction::Kind::sum, words)[0], size * (size - 1) / 2 + size * round);
    EXPECT_EQ(reduced(comm, TreeReduction::Kind::prefix_sum, words)[0],
              rank == 0 ? 0 : rank * (rank - 1) / 2 + rank * round);
    std::uint64_t lower = 0;
    std::uint64_t all = 0;
    for (std::uint64_t r = 0; r < size; ++r) {
      all = std::max(all, (r * 5 + round) % 7);
      if (r < rank) lower = all;
    }
    EXPECT_EQ(reduced(comm, TreeReduction::Kind::maximum, words)[1], all);
    EXPECT_EQ(reduced(comm, TreeReduction::Kind::prefix_maximum, words)[1], lower);
  }
}

TEST(MpiTreeTest, BroadcastsFromEveryRankInSeveralHops) {
  const Comm comm = test::everyone();
  for (int round = 0; round < 50; ++round) {
    const int root = round % comm.size();
    const auto sent = static_cast<std::byte>(round);
    std::vector<std::byte> bytes(static_cast<std::size_t>(round), comm.rank() == root ? sent : std::byte{255});
    TreeBroadcast broadcast(mpi_handle(comm),
                            RankTree::of((comm.rank() - root + comm.size()) % comm.size(), comm.size(), narrow), root,
                            bytes);
    finish(broadcast);
    EXPECT_EQ(broadcast.result().size(), bytes.size());
    EXPECT_TRUE(std::ranges::all_of(broadcast.result(), [&](std::byte byte) { return byte == sent; }));
  }
}

TEST(MpiTreeTest, TellsRanksThatMeetInDifferentCalls) {
  const Comm comm = test::everyone();
  const RankTree tree = RankTree::of(comm.rank(), comm.size(), narrow);
  // The last rank brings a word less, which its parent notices. The others have no answer to wait for.
  const bool is_last = comm.rank() == comm.size() - 1;
  const std::vector<std::uint64_t> words(is_last ? 1 : 2);
  TreeReduction reduction(mpi_handle(comm), tree, TreeReduction::Kind::sum, words);
  if (!is_last && std::ranges::find(tree.children, comm.size() - 1) != tree.children.end()) {
    EXPECT_THROW(finish(reduction), Error);
  } else {
    static_cast<void>(reduction.advance());
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace quire
