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
/// The collectives of MPI pass all ranks several times (recursive doubling, chains of ranks for MPI_Exscan). With more
/// ranks than cores each pass costs every rank a time slice: 16 ranks of Open MPI on 2 cores took 105 us for an
/// allreduce and 100 more for an exscan, 4 of MPICH 320; here a rank needs two, which took 30 to 40 and 15 to 50.
constexpr std::size_t largest_in_tree = 2048;  ///< bytes of a message: MPI sends it without waiting for the receiver

/// Messages to and from other ranks that complete together.
class MpiMessages {
 public:
  void send(MPI_Comm communicator, int rank, int tag, std::span<const std::byte> bytes);
  void receive(MPI_Comm communicator, int rank, int tag, std::span<std::byte> bytes);
  /// The same with any number of bytes, in several messages if an int cannot count them; no message without bytes.
  void send_large(MPI_Comm communicator, int rank, int tag, std::span<const std::byte> bytes);
  void receive_large(MPI_Comm communicator, int rank, int tag, std::span<std::byte> bytes);
  /// Throws internal errors if a message has an unexpected length.
  [[nodiscard]] bool are_done();

 private:
  struct Message {
    MPI_Request request = MPI_REQUEST_NULL;
    int length = 0;
    bool is_incoming = false;
  };
  std::vector<Message> messages_;
  std::size_t done_ = 0;  ///< number of completed messages, in the order of posting
};

/// Sums of the first words and maxima of the others, over all ranks and over the lower ones.
class TreeReduction final : public MpiPending {
 public:
  /// Called on rank 0 when all words are known: fills the bytes that are broadcast with them.
  using Answer = std::function<void(std::span<const std::uint64_t> of_all, std::span<std::byte> reply)>;

  /// @param reply_bytes number of bytes that rank 0 broadcasts, filled by `answer`; a multiple of 8
  TreeReduction(MPI_Comm communicator, const RankTree& tree, std::span<const std::uint64_t> summed,
                std::span<const std::uint64_t> compared, std::size_t reply_bytes = 0, Answer answer = {},
                Completion completion = Completion::received);
  [[nodiscard]] bool advance() override;
  [[nodiscard]] bool may_be_in_transit() const noexcept override { return completion_ == Completion::sent; }
  [[nodiscard]] bool is_received() override { return messages_.are_done(); }
  [[nodiscard]] std::span<const std::uint64_t> of_all() const { return std::span(answer_).first(count_); }
  /// Zeros on rank 0.
  [[nodiscard]] std::span<const std::uint64_t> of_lower() const { return std::span(answer_).subspan(count_, count_); }
  [[nodiscard]] std::span<const std::byte> broadcast_bytes() const {
    return std::as_bytes(std::span(answer_).subspan(2 * count_));
  }

 private:
  enum class Phase { start, collecting, asking, replying };

  [[nodiscard]] std::span<std::uint64_t> question_of(std::size_t child);
  void combine(std::span<std::uint64_t> into, std::span<const std::uint64_t> words) const;
  void collect();
  void ask();
  void send_answers();

  MPI_Comm communicator_;
  const RankTree& tree_;
  std::size_t sums_;  ///< number of words that are summed
  Phase phase_ = Phase::start;
  std::size_t count_;  ///< of words
  std::vector<std::uint64_t> mine_;
  std::vector<std::uint64_t> total_;      ///< of this rank and all ranks below it
  std::vector<std::uint64_t> questions_;  ///< the totals of the children
  std::vector<std::uint64_t> answers_;    ///< to each child: over all ranks, over the ranks before it, the reply
  std::vector<std::uint64_t> answer_;     ///< to this rank
  Answer make_answer_;
  Completion completion_;
  MpiMessages messages_;
};

/// Broadcast of bytes along a tree.
class TreeBroadcast final : public MpiPending {
 public:
  /// @param tree of ranks counted from the root
  /// @param bytes the bytes to send on the root, a buffer of the same size on the others
  TreeBroadcast(MPI_Comm communicator, RankTree tree, int root, std::span<const std::byte> bytes);
  [[nodiscard]] bool advance() override;
  [[nodiscard]] std::span<const std::byte> result() const { return bytes_; }

 private:
  enum class Phase { start, receiving, replying };

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
