#include <cstdio>

#include "fortran/handle.hpp"
#include "quire/quire_mpi.h"

namespace quire::fortran {
namespace {

MPI_Comm communicator_of(const Opening& how) { return MPI_Comm_f2c(how.communicator); }

}  // namespace

quire_status open_on(const Opening& how, const std::int64_t* after, const quire_options& options, quire_file** file) {
  const MPI_Comm communicator = communicator_of(how);
  switch (how.manner) {
    case Opening::creating:
      return quire_create_mpi(how.path, communicator, &options, file);
    case Opening::appending:
      return quire_append_mpi(how.path, after, how.drop_later, communicator, &options, file);
    default:
      return quire_open_mpi(how.path, communicator, &options, file);
  }
}

quire_status write_file_on(const Opening& how, std::int64_t number, quire_fill fill, void* data,
                           const quire_options& options, quire_file** file) {
  return quire_write_file_mpi(how.path, number, fill, data, communicator_of(how), &options, file);
}

quire_status repair_on(const Opening& how, std::span<const std::int64_t> dropped, const quire_options& options,
                       int* changed, quire_file** file) {
  return quire_repair_mpi(how.path, dropped.size(), dropped.data(), communicator_of(how), &options, changed, file);
}

void abort_all_ranks(const char* message, int status) {
  int is_initialized = 0;
  int is_finalized = 0;
  MPI_Initialized(&is_initialized);
  MPI_Finalized(&is_finalized);
  if (is_initialized == 0 || is_finalized != 0) return;
  std::fprintf(stderr, "%s\n", message);
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, status);
}

}  // namespace quire::fortran
