#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "comm/mpi_pending.hpp"
#include "comm/mpi_tree.hpp"
#include "comm/rank_tree.hpp"
#include "quire/comm/comm.hpp"

namespace quire {

/// Bytes of several ranks in one message of fixed size, which holds their number and the first of them, and further
/// messages for the rest.
class Bundle {
 public:
  void send(MpiMessages& messages, MPI_Comm communicator, int rank, int tag, std::span<const std::byte> bytes);
  void receive_head(MpiMessages& messages, MPI_Comm communicator, int rank, int tag);
  /// After the head has been received.
  void receive_rest(MpiMessages& messages, MPI_Comm communicator, int rank, int tag);
  [[nodiscard]] std::span<const std::byte> bytes() const;
  [[nodiscard]] bool is_short() const noexcept { return all_.size() <= head_.bytes.size(); }

 private:
  struct Head {
    std::uint64_t size = 0;
    std::array<std::byte, 1016> bytes{};
  } head_;
  std::vector<std::byte> all_;
};

/// Gathers a question of every rank on rank 0 and scatters its replies, along a tree: each subtree sends and receives
/// one bundle.
class TreeGatherScatter final : public MpiPending {
 public:
  /// `reply` must live until this is complete.
  TreeGatherScatter(MPI_Comm communicator, const RankTree& tree, std::span<const std::byte> question,
                    const RootReply& reply, Completion completion = Completion::received);
  [[nodiscard]] bool advance() override;
  [[nodiscard]] bool may_be_in_transit() const noexcept override { return leaves_early(); }
  [[nodiscard]] bool is_received() override { return messages_.are_done(); }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(answer_); }

 private:
  enum class Phase : std::uint8_t { start, receiving_heads, receiving, asking, answering, replying };

  /// Not with long answers: MPI sends them only while this rank makes MPI calls.
  [[nodiscard]] bool leaves_early() const noexcept { return completion_ == Completion::sent && are_answers_short_; }
  void start();
  void receive_bundles();
  void ask();
  void gather_scatter();
  void send_answers(std::span<const std::byte> answers);

  MPI_Comm communicator_;
  const RankTree& tree_;
  const RootReply& reply_;
  Completion completion_;
  Phase phase_ = Phase::start;
  std::vector<std::byte> asked_;  ///< of this rank and, after they are received, of all ranks below it
  std::vector<Bundle> below_;     ///< from each child, and to it
  Bundle above_;                  ///< to the parent
  Bundle answers_;                ///< from the parent
  std::vector<std::byte> answer_;
  bool are_answers_short_ = true;  ///< the answers to each child fit into one message
  MpiMessages messages_;
};

}  // namespace quire
