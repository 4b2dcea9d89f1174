#include "bindings.hpp"

namespace quire::python {

Comm comm_from_handle(int, Deadline) {
  throw Error(ErrorKind::unsupported, "this build of Quire has no MPI")
      .advise("leave the communicator out, or build Quire with MPI");
}

}  // namespace quire::python
