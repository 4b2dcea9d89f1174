// Conversion of MPI communicators of Python; comm_serial.cpp replaces it in builds without MPI.
#include "bindings.hpp"
#include "quire/comm/mpi.hpp"

namespace quire::python {

Comm comm_from_handle(int handle, Deadline deadline) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0) {
    throw Error(ErrorKind::unsupported, "the communicator belongs to another MPI library than the one of this build")
        .advise("build mpi4py from source with the MPI that Quire was built with");
  }
  return mpi_comm(MPI_Comm_f2c(static_cast<MPI_Fint>(handle)), deadline);
}

}  // namespace quire::python
