/*
 * The ways in which the ranks of a program share one array, those of the tutorial of Parallel HDF5, in C:
 *
 *     mpiexec -n 4 patterns_c by_columns array.h5
 *
 * Each says which elements of the array are this rank's: where the first one is, how far they are apart, and how many
 * there are along each axis. Nothing else changes: the file is that of ../patterns.cpp, for any number of ranks.
 */

#include <stdio.h>
#include <string.h>

#include "quire/quire_mpi.h"

/* The array, and the chunks by which by_chunks() shares it. */
enum { rows = 12, columns = 16, chunk_rows = 3, chunk_columns = 4, axes_of_file = 3 };

/* The elements of this rank, rows first. */
typedef struct part {
  uint64_t start[2];
  uint64_t stride[2];
  uint64_t count[2];
} part;

/* How many of `all` places a rank has that begins at `first` and takes every `step`-th. */
static uint64_t every(uint64_t all, uint64_t first, uint64_t step) {
  return first < all ? (all - first - 1) / step + 1 : 0;
}

/* Rows and columns of a grid of all ranks, as square as it gets. */
static void grid_of(uint64_t ranks, uint64_t grid[2]) {
  grid[0] = 1;
  for (uint64_t divisor = 1; divisor * divisor <= ranks; ++divisor) {
    if (ranks % divisor == 0) grid[0] = divisor;
  }
  grid[1] = ranks / grid[0];
}

/* Neighbouring rows for each rank: one contiguous piece of the file. */
static part by_rows(int rank, int ranks) {
  part mine = {{0, 0}, {1, 1}, {0, columns}};
  quire_even_slice(rows, rank, ranks, &mine.start[0], &mine.count[0]);
  return mine;
}

/* Every so many-th column for each rank: single elements at equal distances. */
static part by_columns(int rank, int ranks) {
  const uint64_t first = rank < columns ? (uint64_t)rank : columns;
  const uint64_t step = (uint64_t)ranks;
  return (part){{0, first}, {1, step}, {rows, every(columns, first, step)}};
}

/* Every so many-th element of every so many-th row: the ranks form a grid, and so do their elements. */
static part by_pattern(int rank, int ranks) {
  uint64_t grid[2];
  grid_of((uint64_t)ranks, grid);
  const uint64_t row = (uint64_t)rank / grid[1];
  const uint64_t column = (uint64_t)rank % grid[1];
  return (part){{row, column}, {grid[0], grid[1]}, {every(rows, row, grid[0]), every(columns, column, grid[1])}};
}

/* A block of neighbouring chunks for each rank: no chunk belongs to two ranks. */
static part by_chunks(int rank, int ranks) {
  uint64_t grid[2];
  part mine = {{0, 0}, {1, 1}, {0, 0}};
  grid_of((uint64_t)ranks, grid);
  const int across = (int)grid[1];
  quire_even_slice(rows / chunk_rows, rank / across, (int)grid[0], &mine.start[0], &mine.count[0]);
  quire_even_slice(columns / chunk_columns, rank % across, across, &mine.start[1], &mine.count[1]);
  const uint64_t chunk[2] = {chunk_rows, chunk_columns};
  for (int axis = 0; axis < 2; ++axis) {
    mine.start[axis] *= chunk[axis];
    mine.count[axis] *= chunk[axis];
  }
  return mine;
}

/* The value of an element, which does not depend on the writer. */
static double value_at(uint64_t row, uint64_t column) { return (double)row + 0.01 * (double)column; }

/* The values of this rank's elements, in the order of the file. */
static void fill(const part* mine, double* values) {
  for (uint64_t i = 0; i < mine->count[0]; ++i) {
    for (uint64_t j = 0; j < mine->count[1]; ++j) {
      *values++ = value_at(mine->start[0] + i * mine->stride[0], mine->start[1] + j * mine->stride[1]);
    }
  }
}

/* Collective. */
static quire_status write_array(const char* path, const part* mine, const quire_options* options, quire_file** file) {
  const uint64_t extents[2] = {rows, columns};
  double values[rows * columns];
  const void* const component[1] = {values};
  fill(mine, values);
  quire_status status = quire_create_mpi(path, MPI_COMM_WORLD, options, file);
  if (status == QUIRE_OK) status = quire_step(*file, 0);
  if (status != QUIRE_OK) return status;
  quire_set_hyperslab(*file, 2, extents, mine->start, mine->stride, mine->count, NULL);
  quire_put_field(*file, "array", QUIRE_FLOAT64, 1, component, NULL);
  status = quire_commit(*file); /* returns errors of the two calls before on all ranks */
  return status == QUIRE_OK ? quire_close(*file) : status;
}

/* Independent. The same elements of the array in the file, which may hold it with axes of one element in front. */
static quire_status select_elements(quire_file* file, const part* mine) {
  uint64_t extents[axes_of_file];
  uint64_t start[axes_of_file] = {0};
  uint64_t stride[axes_of_file] = {1, 1, 1};
  uint64_t count[axes_of_file] = {1, 1, 1};
  uint64_t axes = 0;
  const quire_status status = quire_get_extents(file, "array", axes_of_file, extents, &axes, NULL);
  if (status != QUIRE_OK) return status;
  memcpy(start + axes - 2, mine->start, sizeof mine->start);
  memcpy(stride + axes - 2, mine->stride, sizeof mine->stride);
  memcpy(count + axes - 2, mine->count, sizeof mine->count);
  return quire_set_hyperslab(file, axes, extents, start, stride, count, NULL);
}

/* Collective. Reads this rank's elements, and counts on all ranks those that differ. */
static quire_status read_array(const char* path, const part* mine, quire_file** file, uint64_t* wrong) {
  double wanted[rows * columns];
  double found[rows * columns] = {0};
  void* const component[1] = {found};
  fill(mine, wanted);
  quire_status status = quire_open_mpi(path, MPI_COMM_WORLD, NULL, file);
  if (status == QUIRE_OK) status = quire_step(*file, 0);
  if (status == QUIRE_OK) status = select_elements(*file, mine);
  if (status == QUIRE_OK) status = quire_read_field_all(*file, "array", QUIRE_FLOAT64, 1, component);
  if (status == QUIRE_OK) status = quire_close(*file);
  *wrong = 0;
  for (uint64_t i = 0; i < mine->count[0] * mine->count[1]; ++i) *wrong += found[i] != wanted[i];
  MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return status;
}

typedef struct pattern {
  const char* name;
  part (*mine)(int rank, int ranks);
  const char* setting; /* of the format */
} pattern;

static const pattern patterns[] = {
    {"by_rows", by_rows, NULL},
    {"by_columns", by_columns, NULL},
    {"by_pattern", by_pattern, NULL},
    {"by_chunks", by_chunks, "field_chunk=3x4"},
};

static const pattern* pattern_of(const char* name) {
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; ++i) {
    if (strcmp(patterns[i].name, name) == 0) return &patterns[i];
  }
  return NULL;
}

/* Collective. Writes the array and reads it back. */
static int run(const pattern* chosen, const char* path, int rank, int ranks) {
  const char* const settings[2] = {chosen->setting, NULL};
  quire_options options = quire_default_options();
  options.settings = settings;
  const part mine = chosen->mine(rank, ranks);
  quire_file* out = NULL;
  quire_file* in = NULL;
  uint64_t wrong = 0;
  quire_status status = write_array(path, &mine, &options, &out);
  const int is_written = status == QUIRE_OK;
  if (is_written) status = read_array(path, &mine, &in, &wrong);
  if (rank == 0 && status != QUIRE_OK) {
    fprintf(stderr, "patterns: %s\n", quire_error_message(is_written ? in : out));
  } else if (rank == 0 && wrong > 0) {
    fprintf(stderr, "patterns: %llu values are wrong\n", (unsigned long long)wrong);
  }
  quire_free(in);
  quire_free(out);
  return status == QUIRE_OK && wrong == 0 ? 0 : 1;
}

int main(int count, char** arguments) {
  int rank = 0;
  int ranks = 1;
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const pattern* chosen = count == 3 ? pattern_of(arguments[1]) : NULL;
  int result = 2;
  if (chosen != NULL) {
    result = run(chosen, arguments[2], rank, ranks);
  } else if (rank == 0) {
    fprintf(stderr, "usage: patterns_c by_rows|by_columns|by_pattern|by_chunks FILE\n");
  }
  MPI_Finalize();
  return result;
}
