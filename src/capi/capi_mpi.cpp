#include "capi/handle.hpp"
#include "quire/comm/mpi.hpp"
#include "quire/quire_mpi.h"

extern "C" {

quire_status quire_create_mpi(const char* path, MPI_Comm communicator, const quire_options* options,
                              quire_file** file) {
  return quire::capi::create(
      path, [communicator] { return quire::mpi_comm(communicator); }, options, file);
}

quire_status quire_append_mpi(const char* path, const int64_t* after, int drop_later, MPI_Comm communicator,
                              const quire_options* options, quire_file** file) {
  return quire::capi::append(
      path, after, drop_later != 0, [communicator] { return quire::mpi_comm(communicator); }, options, file);
}

quire_status quire_open_mpi(const char* path, MPI_Comm communicator, const quire_options* options, quire_file** file) {
  return quire::capi::open(
      path, [communicator] { return quire::mpi_comm(communicator); }, options, file);
}

}  // extern "C"
