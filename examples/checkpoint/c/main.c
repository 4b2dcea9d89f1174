/*
 * A run that writes a series of checkpoints, and restarts from the last one on fewer ranks, in C:
 *
 *     mpiexec -n 4 checkpoint_c run 3 layout=directory
 *
 * writes run/run_0.chk and so on and restarts on 3 ranks. The files are those of the program in C++ (../main.cpp).
 */

#include <stdio.h>
#include <stdlib.h>

#include "mesh.h"
#include "quire/quire_mpi.h"

enum { checkpoints = 3, elements = 300, path_length = 1024 };

static double time_of(int number) { return 0.125 * number; }

static void path_of(char* path, const char* directory, int number) {
  snprintf(path, path_length, "%s/run_%d.chk", directory, number);
}

/* Prints an error on rank 0, releases the file, and returns the status. */
static quire_status finished(quire_file* file, quire_status status) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (status != QUIRE_OK && rank == 0) fprintf(stderr, "checkpoint: %s\n", quire_error_message(file));
  quire_free(file);
  return status;
}

/* Collective. One checkpoint. An error of one rank is returned by the commit on all ranks. */
static quire_status write_checkpoint(const char* path, int number, mesh* mine, quire_layout* layout,
                                     const quire_options* options) {
  quire_file* file = NULL;
  const quire_element_part* parts[kinds];
  const double time = time_of(number);
  advance_mesh(mine, time);
  const uint64_t count = parts_of_mesh(mine, parts);
  quire_status status = quire_create_mpi(path, MPI_COMM_WORLD, options, &file);
  if (status == QUIRE_OK) status = quire_step(file, number);
  if (status != QUIRE_OK) return finished(file, status);
  quire_set(file, "Time", QUIRE_FLOAT64, 1, &time, NULL);
  quire_put_elements(file, count, parts, layout);
  status = quire_commit(file);
  return finished(file, status == QUIRE_OK ? quire_close(file) : status);
}

static quire_status write_series(const char* directory, const quire_options* options) {
  int rank = 0;
  int size = 1;
  char path[path_length];
  quire_layout* layout = NULL; /* the partition never changes: it is exchanged once */
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  mesh* mine = new_mesh(elements, rank, size);
  quire_status status = quire_new_layout(&layout);
  for (int number = 0; number < checkpoints && status == QUIRE_OK; ++number) {
    path_of(path, directory, number);
    status = write_checkpoint(path, number, mine, layout, options);
    if (status == QUIRE_OK && rank == 0) {
      printf("checkpoint %d: layout %s\n", number, quire_count_reused(layout) == 0 ? "exchanged" : "as before");
    }
  }
  quire_free_layout(layout);
  free_mesh(mine);
  return status;
}

/* Collective. The number of elements of this rank that are as they were written. */
static quire_status read_elements(quire_file* file, double time, uint64_t* right) {
  quire_element_request request = quire_default_element_request();
  quire_elements_info info;
  quire_element_block block;
  *right = 0;
  quire_status status = quire_read_elements_all(file, &request);
  if (status == QUIRE_OK) status = quire_get_elements_info(file, &info, sizeof info);
  for (uint64_t i = 0; status == QUIRE_OK && i < info.blocks; ++i) {
    status = quire_get_element_block(file, i, &block, sizeof block);
    if (status == QUIRE_OK) *right += right_elements(&block, time);
  }
  return status;
}

/* Collective over the ranks of a communicator. A call that fails, fails on all of them. */
static quire_status restart(const char* directory, MPI_Comm communicator, uint64_t* right) {
  quire_file* file = NULL;
  char path[path_length];
  uint64_t mine = 0;
  path_of(path, directory, checkpoints - 1);
  quire_status status = quire_open_mpi(path, communicator, NULL, &file);
  if (status == QUIRE_OK) status = quire_step_at(file, 0);
  if (status == QUIRE_OK) status = read_elements(file, time_of(checkpoints - 1), &mine);
  if (status == QUIRE_OK) status = quire_close(file);
  MPI_Allreduce(&mine, right, 1, MPI_UINT64_T, MPI_SUM, communicator);
  return finished(file, status);
}

static int run(const char* directory, int readers, const quire_options* options) {
  int rank = 0;
  uint64_t right = 0;
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (write_series(directory, options) != QUIRE_OK) return 4;
  MPI_Comm_split(MPI_COMM_WORLD, rank < readers, rank, &part);
  const quire_status status = restart(directory, part, &right);
  MPI_Comm_free(&part);
  if (status != QUIRE_OK) return 4;
  if (rank == 0) printf("restart on %d ranks: %d of %d elements are right\n", readers, (int)right, elements);
  return right == elements ? 0 : 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int result = 2;
  if (argc >= 3) {
    quire_options options = quire_default_options();
    options.settings = (const char* const*)(argv + 3); /* NAME=VALUE; the last pointer is null */
    result = run(argv[1], atoi(argv[2]), &options);
  } else {
    fprintf(stderr, "usage: checkpoint_c DIRECTORY READERS [NAME=VALUE ...]\n");
  }
  MPI_Finalize();
  return result;
}
