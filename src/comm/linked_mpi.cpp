#include "comm/mpi_error.hpp"
#include "comm/mpi_part.hpp"
#include "quire/comm/mpi.hpp"

namespace quire {
namespace {

int world_size() noexcept {
  int size = 1;
  if (mpi_is_running()) MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

Comm comm_of(int handle, Deadline deadline) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0) {
    throw Error(ErrorKind::unsupported, "the communicator belongs to another MPI library than the one of this build")
        .advise("build mpi4py from source with the MPI that Quire was built with");
  }
  return mpi_comm(MPI_Comm_f2c(static_cast<MPI_Fint>(handle)), deadline);
}

}  // namespace

const MpiPart* linked_mpi() noexcept {
  static constexpr MpiPart part{world_size, comm_of};
  return &part;
}

}  // namespace quire
