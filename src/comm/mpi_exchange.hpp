#pragma once

#include <mpi.h>

#include <map>
#include <optional>
#include <vector>

#include "comm/mpi_pending.hpp"
#include "comm/mpi_tree.hpp"
#include "quire/comm/comm.hpp"

namespace quire {

/// One personalised exchange whose receivers do not know who sends: synchronous sends that count as done when they are
/// received, then a barrier that is complete when those of all ranks are.
class MpiExchange final : public MpiPending {
 public:
  /// Exchanges that follow each other have different tags: a rank may be in the next one while others still look for
  /// parcels of this one.
  MpiExchange(MPI_Comm communicator, const RankTree& tree, int tag, std::vector<Parcel> parcels);

  /// Complete when all ranks are done.
  [[nodiscard]] bool advance() override;
  /// What has come, by rank.
  [[nodiscard]] std::vector<Parcel> take();

 private:
  void send();
  /// Takes one piece; false if none is complete.
  bool receive();
  [[nodiscard]] bool sends_are_done();

  MPI_Comm communicator_;
  const RankTree& tree_;
  int tag_;
  std::vector<Parcel> parcels_;
  std::vector<MPI_Request> sends_;
  bool is_sent_ = false;
  std::optional<TreeReduction> barrier_;  ///< once the own parcels have been received

  MPI_Request incoming_ = MPI_REQUEST_NULL;  ///< of the piece that is being received,
  std::vector<std::byte> piece_;
  int from_ = 0;  ///< and who sends it
  std::map<int, std::vector<std::byte>> received_;
};

}  // namespace quire
