#pragma once

#include <mpi.h>

#include <map>
#include <vector>

#include "comm/mpi_pending.hpp"
#include "quire/comm/comm.hpp"

namespace quire {

/// One personalised exchange whose receivers do not know their senders: synchronous sends, which complete when they are
/// received, then a barrier that each rank enters when its own sends are complete.
class MpiExchange final : public MpiPending {
 public:
  /// Consecutive exchanges need different tags: a rank may start the next one while others still probe for parcels of
  /// this one.
  MpiExchange(MPI_Comm communicator, int tag, std::vector<Parcel> parcels);

  /// Complete when all ranks are done.
  [[nodiscard]] bool advance() override;
  /// The received parcels, by rank.
  [[nodiscard]] std::vector<Parcel> take();

 private:
  void send();
  /// Receives one piece; false if none is complete.
  bool receive();
  [[nodiscard]] bool sends_are_done();

  MPI_Comm communicator_;
  int tag_;
  std::vector<Parcel> parcels_;
  std::vector<MPI_Request> sends_;
  bool is_sent_ = false;
  MPI_Request barrier_ = MPI_REQUEST_NULL;  ///< entered when the own parcels have been received
  bool is_in_barrier_ = false;

  MPI_Request incoming_ = MPI_REQUEST_NULL;  ///< of the piece that is being received
  std::vector<std::byte> piece_;
  int from_ = 0;  ///< the sender of that piece
  std::map<int, std::vector<std::byte>> received_;
};

}  // namespace quire
