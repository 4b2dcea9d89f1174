#ifndef QUIRE_QUIRE_MPI_H
#define QUIRE_QUIRE_MPI_H

/*
 * Files of the ranks of a communicator, in C. Only in builds with MPI. Everything else is as in quire/quire.h.
 *
 * The library works on a duplicate of the communicator. The program calls MPI_Init() or MPI_Init_thread() before, the
 * library never does; MPI_THREAD_FUNNELED suffices. Handles must be released before MPI is finalised.
 */

#include <mpi.h>

#include "quire/quire.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Collective. quire_create() for the ranks of `communicator`.
QUIRE_EXPORT quire_status quire_create_mpi(const char* path, MPI_Comm communicator, const quire_options* options,
                                           quire_file** file);

/// Collective. quire_write_file() for the ranks of `communicator`.
QUIRE_EXPORT quire_status quire_write_file_mpi(const char* path, int64_t number, quire_fill fill, void* data,
                                               MPI_Comm communicator, const quire_options* options, quire_file** file);

/// Collective. quire_append() for the ranks of `communicator`.
QUIRE_EXPORT quire_status quire_append_mpi(const char* path, const int64_t* after, int drop_later,
                                           MPI_Comm communicator, const quire_options* options, quire_file** file);

/// Collective. quire_open() for the ranks of `communicator`.
QUIRE_EXPORT quire_status quire_open_mpi(const char* path, MPI_Comm communicator, const quire_options* options,
                                         quire_file** file);

/// Collective. quire_repair() for the ranks of `communicator`.
QUIRE_EXPORT quire_status quire_repair_mpi(const char* path, uint64_t steps, const int64_t* dropped,
                                           MPI_Comm communicator, const quire_options* options, int* changed,
                                           quire_file** file);

/// Collective. quire_lock() for the ranks of `communicator`.
QUIRE_EXPORT quire_status quire_lock_mpi(const char* path, MPI_Comm communicator, const quire_options* options,
                                         quire_file** file);

#ifdef __cplusplus
}
#endif

#endif
