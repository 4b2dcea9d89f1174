#pragma once

#include "quire/comm/comm.hpp"

namespace quire {

/// What the library asks of MPI without knowing it. In a library with MPI it is linked. To a library without MPI, an
/// extension that is compiled for one MPI adds it when it is loaded.
struct MpiPart {
  /// Independent. The number of ranks of MPI_COMM_WORLD; 1 where MPI cannot be used.
  int (*world_size)() noexcept;
  /// Collective. mpi_comm() of a communicator that is given as a Fortran handle.
  Comm (*comm_of)(int handle, Deadline deadline);
};

/// Independent. The part for MPI, if there is one.
[[nodiscard]] const MpiPart* mpi_part() noexcept;

/// Independent. Adds `part`, which must live until the program ends.
void set_mpi_part(const MpiPart& part) noexcept;

/// Independent. The part for the MPI that this code is compiled for; nothing in a library without MPI.
[[nodiscard]] const MpiPart* linked_mpi() noexcept;

}  // namespace quire
