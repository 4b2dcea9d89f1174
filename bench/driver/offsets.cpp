#include "driver/offsets.hpp"

#include <mpi.h>

#include <chrono>

#include "driver/ranks.hpp"
#include "quire/comm/mpi.hpp"

namespace quire::bench {
namespace {

/// The first ways are longer than later ones, and other programs delay some.
constexpr int ways = 20;

struct Offset {
  double seconds = 0;
  double uncertainty = 0;
};

/// Rank 0's side: asks `rank` what time it is.
Offset offset_of(MPI_Comm communicator, int rank) {
  Offset best;
  for (int way = 0; way < ways; ++way) {
    double theirs = 0;
    const double sent = clock_now();
    MPI_Send(&sent, 1, MPI_DOUBLE, rank, 0, communicator);
    MPI_Recv(&theirs, 1, MPI_DOUBLE, rank, 0, communicator, MPI_STATUS_IGNORE);
    const double back = clock_now();
    const double uncertainty = (back - sent) / 2;
    if (way == 0 || uncertainty < best.uncertainty) best = {theirs - (sent + back) / 2, uncertainty};
  }
  return best;
}

void answer(MPI_Comm communicator) {
  for (int way = 0; way < ways; ++way) {
    double theirs = 0;
    MPI_Recv(&theirs, 1, MPI_DOUBLE, 0, 0, communicator, MPI_STATUS_IGNORE);
    const double mine = clock_now();
    MPI_Send(&mine, 1, MPI_DOUBLE, 0, 0, communicator);
  }
}

}  // namespace

double clock_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ClockOffsets compare_clocks(Comm& comm) {
  MPI_Comm communicator = mpi_handle(comm);
  Offset mine;
  for (int rank = 1; rank < comm.size(); ++rank) {
    if (comm.is_root()) {
      const Offset found = offset_of(communicator, rank);
      MPI_Send(&found, 2, MPI_DOUBLE, rank, 0, communicator);
    } else if (comm.rank() == rank) {
      answer(communicator);
      MPI_Recv(&mine, 2, MPI_DOUBLE, 0, 0, communicator, MPI_STATUS_IGNORE);
    }
  }
  return {gather(comm, mine.seconds), gather(comm, mine.uncertainty)};
}

}  // namespace quire::bench
