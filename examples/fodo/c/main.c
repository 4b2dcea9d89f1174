/*
 * Tracks a bunch of particles through a FODO channel and writes it step by step, in C:
 *
 *     mpiexec -n 4 fodo_c beam.h5 10000 100 10            10000 particles until cell 100, a step every 10 cells
 *     mpiexec -n 4 fodo_c beam.h5 10000 100 10 async      the same; a step is written while the next one is tracked
 *     mpiexec -n 2 fodo_c beam.h5 10000 200 10 restart    continues the last step of the file
 *
 * The files are those of the program in C++ (../main.cpp), on any number of ranks.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moments.h"
#include "quire/quire_mpi.h"

typedef struct state {
  int64_t cell;
  channel of;
  bunch mine;
  int is_async; /* a step is written while the next one is tracked */
} state;

typedef struct text {
  const char* name;
  const char* unit;
  const char* description;
} text;

static const text columns[coordinates] = {{"x", "m", "horizontal position"},
                                          {"px", "1", "horizontal momentum Px/P0"},
                                          {"y", "m", "vertical position"},
                                          {"py", "1", "vertical momentum Py/P0"},
                                          {"z", "m", "position ahead of the reference particle"},
                                          {"delta", "1", "relative momentum deviation (P-P0)/P0"}};

/* The constants of the channel, attributes of the file, in the order of the members of the structure. */
enum { constants = sizeof(channel) / sizeof(double) };
static const text of_channel[constants] = {{"gamma", "1", "Lorentz factor of the reference particle"},
                                           {"quadrupole", "1/m^2", "quadrupole strength k1"},
                                           {"quadrupole_length", "m", "length of a quadrupole"},
                                           {"drift_length", "m", "length of a drift"},
                                           {"sextupole", "1/m^2", "integrated sextupole strength k2 L"},
                                           {"rf", "1", "largest relative change of momentum in a cavity"},
                                           {"rf_wave_number", "1/m", "wave number of the cavities"},
                                           {"rf_cubic", "1", "cubic coefficient of the cavity's kick"},
                                           {"rf_quintic", "1", "quintic coefficient of the cavity's kick"}};

/* An attribute. Its error is returned by the commit, on all ranks. */
static void set(quire_file* file, text name, quire_type type, const void* value) {
  quire_set_description(file, NULL, name.description, NULL);
  quire_set(file, name.name, type, 1, value, name.unit);
}

static void set_moments(quire_file* file, const moments* found) {
  char name[16];
  char description[64];
  set(file, (text){"particles", "", "number of particles"}, QUIRE_INT64, &found->particles);
  for (int c = 0; c < coordinates; ++c) {
    snprintf(name, sizeof name, "C%s", columns[c].name);
    snprintf(description, sizeof description, "centroid of the %s", columns[c].description);
    set(file, (text){name, columns[c].unit, description}, QUIRE_FLOAT64, &found->centroid[c]);
  }
  for (int c = 0; c < coordinates; ++c) {
    snprintf(name, sizeof name, "S%s", columns[c].name);
    snprintf(description, sizeof description, "rms of the %s", columns[c].description);
    set(file, (text){name, columns[c].unit, description}, QUIRE_FLOAT64, &found->rms[c]);
  }
  for (int plane = 0; plane < 3; ++plane) {
    snprintf(name, sizeof name, "e%s", columns[2 * plane].name);
    snprintf(description, sizeof description, "projected geometric emittance in %s", columns[2 * plane].name);
    set(file, (text){name, "m", description}, QUIRE_FLOAT64, &found->emittance[plane]);
  }
}

/* Collective. */
static quire_status write_step(quire_file* file, const state* now) {
  const double s = (double)now->cell * cell_length(&now->of);
  const moments found = measure(&now->mine, MPI_COMM_WORLD);
  const quire_status status = quire_step(file, now->cell);
  if (status != QUIRE_OK) return status;
  set(file, (text){"s", "m", "distance along the channel"}, QUIRE_FLOAT64, &s);
  set(file, (text){"cell", "", "cells passed"}, QUIRE_INT64, &now->cell);
  set_moments(file, &found);
  quire_set_rows(file, now->mine.particles);
  for (int c = 0; c < coordinates; ++c) {
    quire_set_description(file, NULL, columns[c].description, NULL);
    quire_put(file, columns[c].name, QUIRE_FLOAT64, now->mine.values[c], columns[c].unit);
  }
  quire_set_description(file, NULL, "place of the particle in the bunch", NULL);
  quire_put(file, "id", QUIRE_INT64, now->mine.id, NULL);
  return now->is_async ? quire_commit_async(file, 0) : quire_commit(file);
}

/* This rank's share of so many particles. */
static quire_status new_share(state* now, uint64_t particles, uint64_t* first) {
  int rank = 0;
  int size = 1;
  uint64_t count = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const quire_status status = quire_even_slice(particles, rank, size, first, &count);
  now->mine = new_bunch(count);
  return status;
}

/* Collective. The last step of a file: calls that are collective return the same status on every rank. */
static quire_status read_state(quire_file* file, state* now) {
  uint64_t steps = 0;
  uint64_t rows = 0;
  uint64_t first = 0;
  double* member = (double*)&now->of;
  const char* names[coordinates + 1] = {"id"};
  quire_type types[coordinates + 1] = {QUIRE_INT64};
  void* values[coordinates + 1];
  quire_status status = quire_steps(file, 0, NULL, &steps);
  if (status == QUIRE_OK) status = quire_step_at(file, steps - 1);
  if (status == QUIRE_OK) status = quire_get_step(file, &now->cell);
  for (int i = 0; i < constants && status == QUIRE_OK; ++i) {
    status = quire_get(file, of_channel[i].name, QUIRE_FLOAT64, 1, &member[i], NULL);
  }
  if (status == QUIRE_OK) status = quire_get_rows(file, &rows);
  if (status == QUIRE_OK) status = new_share(now, rows, &first);
  if (status != QUIRE_OK) return status;
  values[0] = now->mine.id;
  for (int c = 0; c < coordinates; ++c) {
    names[c + 1] = columns[c].name;
    types[c + 1] = QUIRE_FLOAT64;
    values[c + 1] = now->mine.values[c];
  }
  quire_set_row_range(file, first, now->mine.particles, NULL);
  return quire_read_columns_all(file, coordinates + 1, names, types, values);
}

/* Prints an error on rank 0, releases the file, and returns the status. */
static quire_status finished(quire_file* file, quire_status status) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (status != QUIRE_OK && rank == 0) fprintf(stderr, "fodo: %s\n", quire_error_message(file));
  quire_free(file);
  return status;
}

static quire_status restart(const char* path, state* now) {
  quire_file* file = NULL;
  quire_status status = quire_open_mpi(path, MPI_COMM_WORLD, NULL, &file);
  if (status == QUIRE_OK) status = read_state(file, now);
  if (status == QUIRE_OK) status = quire_close(file);
  return finished(file, status);
}

static quire_status begin(quire_file* file, const state* now) {
  const double* member = (const double*)&now->of;
  quire_status status = quire_set_title(file, "FODO channel", "particles");
  for (int i = 0; i < constants; ++i) set(file, of_channel[i], QUIRE_FLOAT64, &member[i]);
  if (status == QUIRE_OK) status = write_step(file, now);
  return status;
}

static quire_status run(const char* path, state* now, int64_t cells, int64_t every, int is_restart) {
  quire_file* file = NULL;
  quire_status status = is_restart ? quire_append_mpi(path, NULL, 0, MPI_COMM_WORLD, NULL, &file)
                                   : quire_create_mpi(path, MPI_COMM_WORLD, NULL, &file);
  if (status == QUIRE_OK && !is_restart) status = begin(file, now);
  while (status == QUIRE_OK && now->cell < cells) {
    const int64_t end = (now->cell / every + 1) * every;
    const int64_t next = end < cells ? end : cells;
    track(&now->mine, next - now->cell, &now->of);
    now->cell = next;
    status = write_step(file, now);
  }
  return finished(file, status == QUIRE_OK ? quire_close(file) : status);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  state now;
  uint64_t first = 0;
  const int is_restart = argc == 6 && strcmp(argv[5], "restart") == 0;
  const int is_async = argc == 6 && strcmp(argv[5], "async") == 0;
  quire_status status = QUIRE_USAGE;
  memset(&now, 0, sizeof now);
  now.is_async = is_async;
  if (is_restart) {
    status = restart(argv[1], &now);
  } else if (argc == 5 || is_async) {
    now.of = default_channel();
    status = new_share(&now, strtoull(argv[2], NULL, 10), &first);
    fill_bunch(&now.mine, first, &now.of);
  } else {
    fprintf(stderr, "usage: fodo_c OUTPUT PARTICLES CELLS EVERY [async | restart]\n");
  }
  if (status == QUIRE_OK) status = run(argv[1], &now, atoll(argv[3]), atoll(argv[4]), is_restart);
  free_bunch(&now.mine);
  MPI_Finalize();
  return status == QUIRE_OK ? 0 : 2;
}
