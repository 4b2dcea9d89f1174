#include "capi/arguments.hpp"
#include "capi/handle.hpp"
#include "quire/comm/mpi.hpp"
#include "quire/quire_mpi.h"

namespace {

quire::Comm comm_of(MPI_Comm communicator, const quire_options* options) {
  return quire::mpi_comm(communicator, quire::capi::deadline_of(options));
}

}  // namespace

extern "C" {

quire_status quire_create_mpi(const char* path, MPI_Comm communicator, const quire_options* options,
                              quire_file** file) {
  return quire::capi::create(
      path, [&] { return comm_of(communicator, options); }, options, file);
}

quire_status quire_write_file_mpi(const char* path, int64_t number, quire_fill fill, void* data, MPI_Comm communicator,
                                  const quire_options* options, quire_file** file) {
  return quire::capi::write_file(
      path, number, fill, data, [&] { return comm_of(communicator, options); }, options, file);
}

quire_status quire_append_mpi(const char* path, const int64_t* after, int drop_later, MPI_Comm communicator,
                              const quire_options* options, quire_file** file) {
  return quire::capi::append(
      path, after, drop_later != 0, [&] { return comm_of(communicator, options); }, options, file);
}

quire_status quire_open_mpi(const char* path, MPI_Comm communicator, const quire_options* options, quire_file** file) {
  return quire::capi::open(
      path, [&] { return comm_of(communicator, options); }, options, file);
}

quire_status quire_repair_mpi(const char* path, uint64_t steps, const int64_t* dropped, MPI_Comm communicator,
                              const quire_options* options, int* changed, quire_file** file) {
  return quire::capi::repair(
      path, [&] { return quire::capi::copy_of(dropped, steps, "the numbers of steps"); },
      [&] { return comm_of(communicator, options); }, options, changed, file);
}

quire_status quire_lock_mpi(const char* path, MPI_Comm communicator, const quire_options* options, quire_file** file) {
  return quire::capi::lock(
      path, [&] { return comm_of(communicator, options); }, options, file);
}

}  // extern "C"
