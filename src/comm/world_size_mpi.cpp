#include <mpi.h>

#include "comm/mpi_error.hpp"
#include "comm/world_size.hpp"

namespace quire {

int world_size() noexcept {
  int size = 1;
  if (mpi_is_running()) MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

}  // namespace quire
