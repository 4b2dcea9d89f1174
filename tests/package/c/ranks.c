/* The header that needs an MPI. */

#include <stddef.h>

#include "quire/quire_mpi.h"

int main(int argc, char** argv) {
  quire_file* file = NULL;
  MPI_Init(&argc, &argv);
  quire_status status = argc == 2 ? quire_open_mpi(argv[1], MPI_COMM_WORLD, NULL, &file) : QUIRE_USAGE;
  quire_close(file);
  quire_free(file);
  MPI_Finalize();
  return status == QUIRE_OK ? 0 : 1;
}
