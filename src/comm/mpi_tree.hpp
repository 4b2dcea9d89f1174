#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "comm/mpi_pending.hpp"
#include "comm/rank_tree.hpp"
#include "quire/comm/comm.hpp"

namespace quire {

/// Small collectives by messages along a tree of ranks.
///
/// MPI's own go through all ranks a few times (recursive doubling, chains of ranks for sums over the lower ones). Where
/// ranks outnumber the cores each time costs every rank a turn on a core: 16 ranks of Open MPI on 2 cores took 105 us
/// for a sum and 100 more for a prefix, 4 of MPICH 320; here a rank has two turns, which took 30 to 40 and 15 to 50.
constexpr std::size_t largest_in_tree = 2048;  ///< bytes of a message: MPI sends it without waiting for the receiver

/// Messages to and from other ranks that are waited for together.
class MpiMessages {
 public:
  void send(MPI_Comm communicator, int rank, int tag, std::span<const std::byte> bytes);
  void receive(MPI_Comm communicator, int rank, int tag, std::span<std::byte> bytes);
  /// The same with any number of bytes, in several messages where MPI could not count them; none for nothing.
  void send_large(MPI_Comm communicator, int rank, int tag, std::span<const std::byte> bytes);
  void receive_large(MPI_Comm communicator, int rank, int tag, std::span<std::byte> bytes);
  /// Throws internal errors if a message has another length than was expected.
  [[nodiscard]] bool are_done();

 private:
  struct Message {
    MPI_Request request = MPI_REQUEST_NULL;
    int length = 0;
    bool is_incoming = false;
  };
  std::vector<Message> messages_;
  std::size_t done_ = 0;  ///< so many of them, in the order of posting
};

/// The sums of the first words, or of all, and the maxima of the others over all ranks, and over the lower ones.
class TreeReduction final : public MpiPending {
 public:
  /// Rank 0, when all words are known: fills what all ranks are told with them.
  using Answer = std::function<void(std::span<const std::uint64_t> of_all, std::span<std::byte> told)>;

  /// @param told_bytes how much rank 0 tells all others, a multiple of 8, by `answer`
  TreeReduction(MPI_Comm communicator, const RankTree& tree, std::span<const std::uint64_t> summed,
                std::span<const std::uint64_t> compared, std::size_t told_bytes = 0, Answer answer = {},
                Parting parting = Parting::received);
  [[nodiscard]] bool advance() override;
  [[nodiscard]] bool may_be_unheard() const noexcept override { return parting_ == Parting::sent; }
  [[nodiscard]] bool is_received() override { return messages_.are_done(); }
  [[nodiscard]] std::span<const std::uint64_t> of_all() const { return std::span(answer_).first(count_); }
  /// Zeros on rank 0.
  [[nodiscard]] std::span<const std::uint64_t> of_lower() const { return std::span(answer_).subspan(count_, count_); }
  [[nodiscard]] std::span<const std::byte> broadcast_bytes() const {
    return std::as_bytes(std::span(answer_).subspan(2 * count_));
  }

 private:
  enum class Phase { start, collecting, asking, telling };

  [[nodiscard]] std::span<std::uint64_t> question_of(std::size_t child);
  void combine(std::span<std::uint64_t> into, std::span<const std::uint64_t> words) const;
  void collect();
  void ask();
  void tell();

  MPI_Comm communicator_;
  const RankTree& tree_;
  std::size_t sums_;  ///< how many words are summed
  Phase phase_ = Phase::start;
  std::size_t count_;  ///< of words
  std::vector<std::uint64_t> mine_;
  std::vector<std::uint64_t> total_;      ///< of this rank and all below it
  std::vector<std::uint64_t> questions_;  ///< the totals of the children,
  std::vector<std::uint64_t> answers_;    ///< and to each: all ranks', those of the ranks before it, what rank 0 tells
  std::vector<std::uint64_t> answer_;     ///< to this rank
  Answer make_answer_;
  Parting parting_;
  MpiMessages messages_;
};

/// Bytes of one rank for all.
class TreeBroadcast final : public MpiPending {
 public:
  /// @param tree that of the ranks counted from the root
  /// @param bytes of the root what it sends, of the others as many
  TreeBroadcast(MPI_Comm communicator, RankTree tree, int root, std::span<const std::byte> bytes);
  [[nodiscard]] bool advance() override;
  [[nodiscard]] std::span<const std::byte> result() const { return bytes_; }

 private:
  enum class Phase { start, hearing, telling };

  [[nodiscard]] int rank_of(int from_root) const { return (from_root + root_) % size_; }

  MPI_Comm communicator_;
  RankTree tree_;
  int root_;
  int size_ = 1;
  Phase phase_ = Phase::start;
  std::vector<std::byte> bytes_;
  MpiMessages messages_;
};

}  // namespace quire
