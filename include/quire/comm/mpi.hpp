#pragma once

// Only in builds with MPI.
#include <mpi.h>

#include "quire/comm/comm.hpp"

namespace quire {

/// Collective. A communicator on a duplicate of `communicator`; MPI must be initialised (MPI_THREAD_FUNNELED suffices)
/// and must not be finalised while the result is in use.
[[nodiscard]] Comm mpi_comm(MPI_Comm communicator);

/// Collective. mpi_comm(MPI_COMM_WORLD).
[[nodiscard]] Comm world();

/// The MPI communicator behind a Comm; MPI_COMM_SELF for the serial one.
[[nodiscard]] MPI_Comm mpi_handle(const Comm& comm);

}  // namespace quire
