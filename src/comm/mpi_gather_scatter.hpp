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

/// Bytes of several ranks on their way along a tree: the number and the first of them in a message of fixed size, the
/// rest in another one.
class Bundle {
 public:
  void send(MpiMessages& messages, MPI_Comm communicator, int rank, int tag, std::span<const std::byte> bytes);
  void receive_head(MpiMessages& messages, MPI_Comm communicator, int rank, int tag);
  /// Once the head is here.
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

/// A question of every rank for rank 0 and an answer for each, along the tree: what lies below a rank goes up as one
/// bundle and comes back as one.
class TreeGatherScatter final : public MpiPending {
 public:
  /// `reply` must live until this is complete.
  TreeGatherScatter(MPI_Comm communicator, const RankTree& tree, std::span<const std::byte> question,
                    const RootReply& reply, Parting parting = Parting::received);
  [[nodiscard]] bool advance() override;
  [[nodiscard]] bool may_be_unheard() const noexcept override { return leaves_early(); }
  [[nodiscard]] bool is_received() override { return messages_.are_done(); }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(answer_); }

 private:
  enum class Phase : std::uint8_t { start, hearing_heads, hearing, asking, answering, telling };

  /// Not from long answers: MPI sends them only while this rank looks after them.
  [[nodiscard]] bool leaves_early() const noexcept { return parting_ == Parting::sent && are_answers_short_; }
  void start();
  void hear();
  void ask();
  void gather_scatter();
  void tell(std::span<const std::byte> answers);

  MPI_Comm communicator_;
  const RankTree& tree_;
  const RootReply& reply_;
  Parting parting_;
  Phase phase_ = Phase::start;
  std::vector<std::byte> asked_;  ///< of this rank and, once they are here, of all below it
  std::vector<Bundle> below_;     ///< from each child, and to it
  Bundle above_;                  ///< to the parent,
  Bundle answers_;                ///< and from it
  std::vector<std::byte> answer_;
  bool are_answers_short_ = true;  ///< each below has been told all in one message
  MpiMessages messages_;
};

}  // namespace quire
