#pragma once

#include <mpi.h>

#include <map>
#include <vector>

#include "quire/comm/comm.hpp"

namespace quire {

/// One personalised exchange whose receivers do not know who sends: synchronous sends that count as done when they are
/// received, then a barrier that is complete when those of all ranks are.
///
/// MPI may use the buffers until every request is complete: an exchange that is given up must outlive the communicator.
class MpiExchange {
 public:
  /// Posts the sends. Exchanges that follow each other have different tags: a rank may be in the next one while others
  /// still look for parcels of this one.
  MpiExchange(MPI_Comm communicator, int tag, std::vector<Parcel> parcels);
  MpiExchange(const MpiExchange&) = delete;
  MpiExchange& operator=(const MpiExchange&) = delete;

  /// Goes on as far as it can without waiting; true when all ranks are done.
  [[nodiscard]] bool advance();
  /// What has come, by rank.
  [[nodiscard]] std::vector<Parcel> take();

 private:
  /// Takes one piece; false if none is complete.
  bool receive();
  [[nodiscard]] bool sends_are_done();

  MPI_Comm communicator_;
  int tag_;
  std::vector<Parcel> parcels_;
  std::vector<MPI_Request> sends_;
  MPI_Request barrier_ = MPI_REQUEST_NULL;
  bool at_barrier_ = false;

  MPI_Request incoming_ = MPI_REQUEST_NULL;  ///< of the piece that is being received,
  std::vector<std::byte> piece_;
  int from_ = 0;  ///< and who sends it
  std::map<int, std::vector<std::byte>> received_;
};

}  // namespace quire
