// Narrow trees: as many hops on a few ranks as wide ones have on thousands.

#include "comm/mpi_tree.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "comm/mpi_gather_scatter.hpp"
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

using Words = std::span<const std::uint64_t>;

/// Sums of a word, then its maxima: over all ranks first, then over the lower ones.
std::vector<std::uint64_t> reduced(const Comm& comm, std::uint64_t word) {
  const RankTree tree = RankTree::of(comm.rank(), comm.size(), narrow);
  TreeReduction reduction(mpi_handle(comm), tree, Words(&word, 1), Words(&word, 1));
  finish(reduction);
  return {reduction.of_all()[0], reduction.of_lower()[0], reduction.of_all()[1], reduction.of_lower()[1]};
}

TEST(MpiTreeTest, ReducesInSeveralHops) {
  const Comm comm = test::everyone();
  const auto rank = static_cast<std::uint64_t>(comm.rank());
  const auto size = static_cast<std::uint64_t>(comm.size());
  // Repeated: messages of a rank that is ahead must not be received in an earlier round.
  for (std::uint64_t round = 0; round < 50; ++round) {
    const auto word_of = [&](std::uint64_t r) { return (r * 5 + round) % 7; };
    std::vector<std::uint64_t> sums(2);
    std::vector<std::uint64_t> maxima(2);
    for (std::uint64_t r = 0; r < size; ++r) {
      sums[0] += word_of(r);
      maxima[0] = std::max(maxima[0], word_of(r));
      if (r + 1 == rank) {
        sums[1] = sums[0];
        maxima[1] = maxima[0];
      }
    }
    sums.insert(sums.end(), maxima.begin(), maxima.end());
    EXPECT_EQ(reduced(comm, word_of(rank)), sums);
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

TEST(MpiTreeTest, BroadcastsTheAnswerOfTheRootInSeveralHops) {
  const Comm comm = test::everyone();
  const RankTree tree = RankTree::of(comm.rank(), comm.size(), narrow);
  const auto size = static_cast<std::uint64_t>(comm.size());
  for (std::uint64_t round = 0; round < 50; ++round) {
    const std::uint64_t word = 1;
    TreeReduction reduction(mpi_handle(comm), tree, Words(&word, 1), {}, 16,
                            [&](std::span<const std::uint64_t> of_all, std::span<std::byte> reply) {
                              std::ranges::fill(reply, static_cast<std::byte>(of_all[0] + round));
                            });
    finish(reduction);
    EXPECT_EQ(reduction.of_all()[0], size);
    EXPECT_EQ(reduction.of_lower()[0], static_cast<std::uint64_t>(comm.rank()));
    EXPECT_EQ(reduction.broadcast_bytes().size(), 16U);
    EXPECT_TRUE(std::ranges::all_of(reduction.broadcast_bytes(),
                                    [&](std::byte byte) { return byte == static_cast<std::byte>(size + round); }));
  }
}

TEST(MpiTreeTest, GathersAndScattersInSeveralHops) {
  const Comm comm = test::everyone();
  const RankTree tree = RankTree::of(comm.rank(), comm.size(), narrow);
  // Rank r asks with r bytes r and receives them twice, in short rounds and in long ones.
  for (std::size_t round = 0; round < 50; ++round) {
    const std::size_t times = round % 5 == 0 ? 1000 : 1;
    const auto rank = static_cast<std::size_t>(comm.rank());
    const std::vector<std::byte> question(rank * times, static_cast<std::byte>(rank + round));
    const RootReply reply = [&](std::vector<std::vector<std::byte>> questions) {
      for (std::vector<std::byte>& asked : questions) {
        const std::size_t length = asked.size();
        asked.resize(2 * length, length == 0 ? std::byte{} : asked.front());
      }
      return questions;
    };
    TreeGatherScatter exchange(mpi_handle(comm), tree, question, reply);
    finish(exchange);
    EXPECT_EQ(exchange.take(), std::vector<std::byte>(2 * rank * times, static_cast<std::byte>(rank + round)));
  }
}

// A rank that forwards words keeps its messages until the others have received them, and does not wait for that.
TEST(MpiTreeTest, CompletesBeforeItsMessagesAreReceived) {
  const Comm comm = test::everyone();
  const RankTree tree = RankTree::of(comm.rank(), comm.size(), narrow);
  const auto size = static_cast<std::uint64_t>(comm.size());
  std::vector<std::unique_ptr<TreeReduction>> reductions;
  for (std::uint64_t round = 0; round < 50; ++round) {
    reductions.push_back(std::make_unique<TreeReduction>(mpi_handle(comm), tree, Words(&round, 1), Words{}, 0,
                                                         TreeReduction::Answer{}, Completion::sent));
    finish(*reductions.back());
    EXPECT_EQ(reductions.back()->of_all()[0], round * size);
    EXPECT_TRUE(reductions.back()->may_be_in_transit());
  }
  for (const auto& reduction : reductions) {
    EXPECT_TRUE(wait_politely(Patience{}, Deadline{}, [&] { return reduction->is_received(); }));
  }
}

TEST(MpiTreeTest, DetectsDifferentCollectives) {
  const Comm comm = test::everyone();
  const RankTree tree = RankTree::of(comm.rank(), comm.size(), narrow);
  // The last rank sends one word less, which its parent notices. The others get no answer.
  const bool is_last = comm.rank() == comm.size() - 1;
  const std::vector<std::uint64_t> words(is_last ? 1 : 2);
  // MPI may use posted buffers until the program ends.
  static const auto& kept = *new RankTree(tree);
  static auto& reduction = *new TreeReduction(mpi_handle(comm), kept, words, {});
  if (!is_last && std::ranges::find(tree.children, comm.size() - 1) != tree.children.end()) {
    EXPECT_THROW(finish(reduction), Error);
  } else {
    static_cast<void>(reduction.advance());
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace quire
