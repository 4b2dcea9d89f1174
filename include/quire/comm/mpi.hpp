#pragma once

// Only in builds with MPI.
#include <mpi.h>

#include "quire/comm/comm.hpp"

namespace quire {

/// Initialises MPI and finalises it when destroyed. Declare it first in main(), before everything that uses MPI.
/// Nothing else in the library initialises MPI: a program that calls MPI_Init() or MPI_Init_thread() itself does not
/// need this.
class MpiSession {
 public:
  /// Collective over all processes. Initialises MPI with MPI_THREAD_FUNNELED; a usage error if it is initialised
  /// already, an unsupported error if this MPI does not provide that level.
  MpiSession(int& argc, char**& argv);
  /// Collective over all processes. Finalises MPI.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// Independent. In MPI_COMM_WORLD.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// Independent. Of MPI_COMM_WORLD.
  [[nodiscard]] int size() const noexcept { return size_; }
  /// Independent. Whether this is rank 0.
  [[nodiscard]] bool is_root() const noexcept { return rank_ == 0; }

 private:
  int rank_ = 0;
  int size_ = 1;
};

/// Collective. A communicator on a duplicate of `communicator`. MPI must be initialised (MPI_THREAD_FUNNELED suffices)
/// and must not be finalised while the result is in use. Throws a deadline error if a rank does not call in time; the
/// deadline also applies to later waits of the result. Throws usage errors for an intercommunicator and MPI_COMM_NULL.
[[nodiscard]] Comm mpi_comm(MPI_Comm communicator, Deadline deadline = std::nullopt);

/// Collective. mpi_comm(MPI_COMM_WORLD). The program has initialised MPI, by an MpiSession or its own call.
[[nodiscard]] Comm world();

/// The MPI communicator that a Comm uses; MPI_COMM_SELF for the serial one.
[[nodiscard]] MPI_Comm mpi_handle(const Comm& comm);

}  // namespace quire
