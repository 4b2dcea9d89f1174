/*
 * The ways in which the ranks of a program share one table of particles, what some libraries call views, in C:
 *
 *     mpiexec -n 4 views by_list particles.h5
 *
 * Each says which rows of the table this rank's particles are, and nothing else changes: the file is the same for all
 * of them, and for any number of ranks. views.py is the same in Python.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quire/quire_mpi.h"

enum { particles = 1000 };
static const uint64_t total = particles;

/* This rank's particles: which ones, in the order in which they lie in memory, and their values. */
typedef struct beam {
  uint64_t count;
  uint64_t rows[particles];
  double x[particles];
  int64_t id[particles];
} beam;

static void add(beam* mine, uint64_t row) {
  mine->rows[mine->count] = row;
  mine->x[mine->count] = 0.001 * (double)row;
  mine->id[mine->count] = (int64_t)row;
  ++mine->count;
}

/* Neighbouring rows for each rank; here the last rank has the first ones. */
static quire_status by_range(quire_file* file, beam* mine, uint64_t rank, uint64_t ranks) {
  const uint64_t part = ranks - 1 - rank;
  const uint64_t first = total * part / ranks;
  const uint64_t end = total * (part + 1) / ranks;
  for (uint64_t row = first; row < end; ++row) add(mine, row);
  return quire_set_row_blocks(file, first, end - first, 1, end - first, &total);
}

/* Every so many-th row for each rank. */
static quire_status by_stride(quire_file* file, beam* mine, uint64_t rank, uint64_t ranks) {
  for (uint64_t row = rank; row < total; row += ranks) add(mine, row);
  return quire_set_row_blocks(file, rank, ranks, mine->count, 1, &total);
}

/* Rows in any order: as the particles lie in memory, where each knows its number. */
static quire_status by_list(quire_file* file, beam* mine, uint64_t rank, uint64_t ranks) {
  for (uint64_t i = rank; i < total; i += ranks) add(mine, i * 387 % total);
  return quire_set_row_list(file, mine->count, mine->rows, &total);
}

typedef quire_status view(quire_file*, beam*, uint64_t, uint64_t);

static view* view_of(const char* name) {
  if (strcmp(name, "by_range") == 0) return by_range;
  if (strcmp(name, "by_stride") == 0) return by_stride;
  return strcmp(name, "by_list") == 0 ? by_list : NULL;
}

/* Collective. A step whose table the ranks share. An error of one rank is returned by the commit on all ranks. */
static quire_status write_step(quire_file* file, view* choose, beam* mine, int rank, int ranks) {
  quire_status status = quire_step(file, 0);
  if (status == QUIRE_OK) status = choose(file, mine, (uint64_t)rank, (uint64_t)ranks);
  if (status == QUIRE_OK) status = quire_put(file, "x", QUIRE_FLOAT64, mine->x, "m");
  if (status == QUIRE_OK) status = quire_put(file, "id", QUIRE_INT64, mine->id, NULL);
  const quire_status committed = quire_commit(file);
  return status == QUIRE_OK ? committed : status;
}

static int write_file(const char* path, view* choose, beam* mine, int rank, int ranks) {
  quire_file* file = NULL;
  quire_status status = quire_create_mpi(path, MPI_COMM_WORLD, NULL, &file);
  if (status == QUIRE_OK) status = write_step(file, choose, mine, rank, ranks);
  if (status == QUIRE_OK) status = quire_close(file);
  if (status != QUIRE_OK && rank == 0) fprintf(stderr, "views: %s\n", quire_error_message(file));
  quire_free(file);
  return status == QUIRE_OK ? 0 : 1;
}

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  view* choose = count == 3 ? view_of(arguments[1]) : NULL;
  int result = 2;
  if (choose != NULL) {
    beam* mine = calloc(1, sizeof *mine);
    result = mine != NULL ? write_file(arguments[2], choose, mine, rank, ranks) : 1;
    free(mine);
  } else if (rank == 0) {
    fprintf(stderr, "usage: views by_range|by_stride|by_list FILE\n");
  }
  MPI_Finalize();
  return result;
}
