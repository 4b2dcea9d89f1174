/* The C interface as a C program uses it, on any number of ranks and in every format of the build. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"

enum { rows_per_rank = 100, text_length = 2048 };

/* Every value is a function of the step and the global row. Rank r has 100 r rows, and 100 if it is alone. */
static uint64_t rows_of(int rank, int size) { return size == 1 ? rows_per_rank : (uint64_t)(rows_per_rank * rank); }

static uint64_t first_row_of(int rank, int size) {
  uint64_t first = 0;
  for (int lower = 0; lower < rank; ++lower) first += rows_of(lower, size);
  return first;
}

static double position(int64_t step, uint64_t row) { return (double)step + 0.001 * (double)row; }

typedef struct columns {
  double x[4 * rows_per_rank];
  int32_t id[4 * rows_per_rank];
} columns;

static uint64_t fill(const context* test, int64_t step, columns* values) {
  const uint64_t rows = rows_of(test->rank, test->size);
  const uint64_t first = first_row_of(test->rank, test->size);
  for (uint64_t i = 0; i < rows; ++i) {
    values->x[i] = position(step, first + i);
    values->id[i] = (int32_t)(first + i);
  }
  return rows;
}

/* A step without its commit. */
static void put_step(context* test, quire_file* file, int64_t number, columns* values) {
  const uint64_t rows = fill(test, number, values);
  const double s = 0.5 * (double)number;
  const double centre[3] = {1.5, -2.5, 0.1};
  expect_status(test, quire_step(file, number), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_set(file, "s", QUIRE_FLOAT64, 1, &s, "m"), QUIRE_OK, file, __LINE__);
  for (int i = 0; i < 3; ++i) {
    const char name[3] = {'C', (char)('x' + i), 0};
    expect_status(test, quire_set(file, name, QUIRE_FLOAT64, 1, &centre[i], "m"), QUIRE_OK, file, __LINE__);
  }
  expect_status(test, quire_set_text(file, "code", "beam in C"), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_set_rows(file, rows), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_put(file, "x", QUIRE_FLOAT64, values->x, "m"), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_put(file, "id", QUIRE_INT32, values->id, NULL), QUIRE_OK, file, __LINE__);
}

static void write_two_steps(context* test) {
  quire_file* file = NULL;
  columns values;
  const int64_t seed = 42;
  expect_status(test, create(test, &file), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_set(file, "seed", QUIRE_INT64, 1, &seed, NULL), QUIRE_OK, file, __LINE__);
  for (int64_t number = 10; number <= 20; number += 10) {
    put_step(test, file, number, &values);
    expect_status(test, quire_commit(file), QUIRE_OK, file, __LINE__);
  }
  close_and_free(test, file);
}

/* All rows, although others wrote them. */
static void check_rows(context* test, quire_file* file, int64_t number) {
  uint64_t rows = 0;
  const uint64_t expected = first_row_of(test->size, test->size);
  double* x = malloc((size_t)expected * sizeof(double));
  int64_t* id = malloc((size_t)expected * sizeof(int64_t)); /* wider than in the file: lossless */
  expect_status(test, quire_get_rows(file, &rows), QUIRE_OK, file, __LINE__);
  expect(test, rows == expected, __LINE__, "wrong number of rows");
  expect_status(test, quire_read(file, "x", QUIRE_FLOAT64, 0, expected, x), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_read(file, "id", QUIRE_INT64, 0, expected, id), QUIRE_OK, file, __LINE__);
  int wrong = 0;
  for (uint64_t i = 0; i < expected; ++i) wrong += x[i] != position(number, i) || id[i] != (int64_t)i;
  expect(test, wrong == 0, __LINE__, "wrong values");
  expect_status(test, quire_read(file, "x", QUIRE_FLOAT64, expected - 1, 1, x), QUIRE_OK, file, __LINE__);
  expect(test, x[0] == position(number, expected - 1), __LINE__, "wrong last value");
  expect_status(test, quire_read(file, "x", QUIRE_FLOAT64, 0, 0, NULL), QUIRE_OK, file, __LINE__);
  free(x);
  free(id);
}

static void check_attributes(context* test, quire_file* file, int64_t number) {
  double s = 0;
  int64_t seed = 0;
  uint64_t count = 0;
  char text[32] = "";
  expect_status(test, quire_get(file, "s", QUIRE_FLOAT64, 1, &s, &count), QUIRE_OK, file, __LINE__);
  expect(test, s == 0.5 * (double)number && count == 1, __LINE__, "wrong attribute of the step");
  expect_status(test, quire_get(file, "seed", QUIRE_INT64, 1, &seed, NULL), QUIRE_OK, file, __LINE__);
  expect(test, seed == 42, __LINE__, "wrong attribute of the file");
  expect_status(test, quire_get_text(file, "code", sizeof text, text, &count), QUIRE_OK, file, __LINE__);
  expect(test, strcmp(text, "beam in C") == 0 && count == strlen(text), __LINE__, "wrong text");
}

static void read_two_steps(context* test) {
  quire_file* file = NULL;
  int64_t numbers[4] = {0};
  uint64_t count = 0;
  expect_status(test, open_file(test->path, &file), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_steps(file, 4, numbers, &count), QUIRE_OK, file, __LINE__);
  expect(test, count == 2 && numbers[0] == 10 && numbers[1] == 20, __LINE__, "wrong numbers of steps");
  expect_status(test, quire_steps(file, 0, NULL, &count), QUIRE_OK, file, __LINE__);
  for (int64_t number = 20; number >= 10; number -= 10) {
    expect_status(test, quire_step(file, number), QUIRE_OK, file, __LINE__);
    check_rows(test, file, number);
    check_attributes(test, file, number);
  }
  close_and_free(test, file);
}

static void refuses_wrong_reading(context* test) {
  quire_file* file = NULL;
  double value = 0;
  int8_t small = 0;
  uint64_t count = 0;
  char text[4] = "";
  expect_status(test, open_file(test->path, &file), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_read(file, "x", QUIRE_FLOAT64, 0, 1, &value), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_step(file, 11), QUIRE_MISSING, file, __LINE__);
  expect(test, strstr(quire_error_message(file), "10") != NULL, __LINE__, "the nearest step is not named");
  expect_status(test, quire_step(file, 10), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_read(file, "xx", QUIRE_FLOAT64, 0, 1, &value), QUIRE_MISSING, file, __LINE__);
  expect(test, strstr(quire_error_message(file), "xx") != NULL, __LINE__, "the missing column is not named");
  expect_status(test, quire_read(file, "x", QUIRE_INT8, 1, 1, &small), QUIRE_TYPE, file, __LINE__);
  expect_status(test, quire_read(file, "x", QUIRE_STRING, 0, 1, text), QUIRE_UNSUPPORTED, file, __LINE__);
  expect_status(test, quire_read(file, "x", (quire_type)99, 0, 1, &value), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_read(file, "x", QUIRE_FLOAT64, 0, 1, NULL), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_read(file, "x", QUIRE_FLOAT64, UINT64_MAX, 2, &value), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_read(file, NULL, QUIRE_FLOAT64, 0, 1, &value), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_get(file, "t", QUIRE_FLOAT64, 1, &value, NULL), QUIRE_MISSING, file, __LINE__);
  expect_status(test, quire_get(file, "s", QUIRE_FLOAT64, 0, &value, &count), QUIRE_USAGE, file, __LINE__);
  expect(test, count == 1, __LINE__, "the number of values is not returned");
  expect_status(test, quire_get_text(file, "code", sizeof text, text, &count), QUIRE_USAGE, file, __LINE__);
  expect(test, count == strlen("beam in C"), __LINE__, "the length of the text is not returned");
  expect_status(test, quire_put(file, "x", QUIRE_FLOAT64, &value, NULL), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_commit(file), QUIRE_USAGE, file, __LINE__);
  close_and_free(test, file);
}

static void refuses_wrong_order(context* test) {
  quire_file* file = NULL;
  columns values;
  expect_status(test, create(test, &file), QUIRE_OK, file, __LINE__);
  expect(test, strcmp(quire_error_message(file), "") == 0, __LINE__, "a message although nothing failed");
  expect_status(test, quire_put(file, "x", QUIRE_FLOAT64, values.x, NULL), QUIRE_USAGE, file, __LINE__);
  expect(test, strlen(quire_error_message(file)) > 0, __LINE__, "no message");
  expect_status(test, quire_set_rows(file, 1), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_commit(file), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_abort(file, "nothing to abort"), QUIRE_USAGE, file, __LINE__);
  /* Values without rows would be lost, or have an unknown length. */
  expect_status(test, quire_step(file, 1), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_put(file, "x", QUIRE_FLOAT64, values.x, NULL), QUIRE_USAGE, file, __LINE__);
  expect(test, strstr(quire_error_message(file), "quire_set_rows") != NULL, __LINE__, "no advice");
  expect_status(test, quire_commit(file), QUIRE_USAGE, file, __LINE__);
  put_step(test, file, 1, &values);
  expect_status(test, quire_step(file, 2), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_read(file, "x", QUIRE_FLOAT64, 0, 1, values.x), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_commit(file), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_commit(file), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_close(file), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_close(file), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_step(file, 3), QUIRE_USAGE, file, __LINE__);
  quire_free(file);
}

static void refuses_null_pointers(context* test) {
  quire_file* file = NULL;
  expect_status(test, quire_create(NULL, NULL, &file), QUIRE_USAGE, file, __LINE__);
  expect(test, file != NULL && strlen(quire_error_message(file)) > 0, __LINE__, "no handle with the error message");
  expect_status(test, quire_step(file, 1), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_close(file), QUIRE_USAGE, file, __LINE__);
  quire_free(file);
  expect_status(test, quire_open(test->path, NULL, NULL), QUIRE_USAGE, NULL, __LINE__);
  expect_status(test, quire_step(NULL, 1), QUIRE_USAGE, NULL, __LINE__);
  expect_status(test, quire_commit(NULL), QUIRE_USAGE, NULL, __LINE__);
  expect_status(test, quire_close(NULL), QUIRE_USAGE, NULL, __LINE__);
  expect(test, strlen(quire_error_message(NULL)) > 0, __LINE__, "no message for a null handle");
  quire_free(NULL);
}

static void refuses_several_ranks_without_communicator(context* test) {
  quire_file* file = NULL;
  if (test->size == 1) return;
  expect_status(test, quire_create(test->path, NULL, &file), QUIRE_USAGE, file, __LINE__);
  expect(test, strstr(quire_error_message(file), "quire_mpi.h") != NULL, __LINE__, "no advice for C");
  quire_free(file);
}

static void refuses_files_and_options(context* test) {
  quire_file* file = NULL;
  char absent[path_length + 8];
  quire_options options = quire_default_options();
  const char* const settings[] = {"no_such_option=1", NULL};
  const char* const malformed[] = {"malformed", NULL};
  snprintf(absent, sizeof absent, "%s.absent", test->path);
  const quire_status status = open_file(absent, &file);
  expect(test, status == QUIRE_MISSING || status == QUIRE_IO, __LINE__, "an absent file was opened");
  expect(test, strstr(quire_error_message(file), absent) != NULL, __LINE__, "the absent file is not named");
  quire_free(file);

  options.settings = settings;
  snprintf(absent, sizeof absent, "%s.%d", test->path, test->rank);
  options.format = test->format;
  expect_status(test, quire_create(absent, &options, &file), QUIRE_USAGE, file, __LINE__);
  quire_free(file);
  options.settings = malformed;
  expect_status(test, quire_create(absent, &options, &file), QUIRE_USAGE, file, __LINE__);
  quire_free(file);
  options.settings = NULL;
  options.format = "no such format";
  expect_status(test, quire_create(absent, &options, &file), QUIRE_USAGE, file, __LINE__);
  quire_free(file);
}

/* One rank fails; all others must report it, none may hang, and the next step must be complete. */
static void survives_one_bad_rank(context* test) {
  quire_file* file = NULL;
  columns values;
  uint64_t count = 0;
  int64_t numbers[8] = {0};
  const int is_last = test->rank == test->size - 1;
  expect_status(test, create(test, &file), QUIRE_OK, file, __LINE__);
  put_step(test, file, 1, &values);
  if (is_last) {
    expect_status(test, quire_abort(file, "the particles are lost"), QUIRE_OK, file, __LINE__);
  } else {
    expect_status(test, quire_commit(file), QUIRE_ABORTED, file, __LINE__);
    expect(test, strstr(quire_error_message(file), "the particles are lost") != NULL, __LINE__, "no reason given");
  }

  put_step(test, file, 2, &values);
  if (is_last) expect_status(test, quire_put(file, "y", QUIRE_FLOAT64, NULL, "m"), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_commit(file), is_last ? QUIRE_USAGE : QUIRE_ABORTED, file, __LINE__);

  put_step(test, file, 3, &values);
  if (is_last) expect_status(test, quire_put(file, "y", QUIRE_FLOAT64, values.x, "m"), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_commit(file), test->size == 1 ? QUIRE_OK : QUIRE_CONFLICT, file, __LINE__);

  /* With one rank alone the column y belongs to every step from now on. */
  if (test->size > 1) {
    put_step(test, file, 4, &values);
    expect_status(test, quire_commit(file), QUIRE_OK, file, __LINE__);
  }
  close_and_free(test, file);

  expect_status(test, open_file(test->path, &file), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_steps(file, 8, numbers, &count), QUIRE_OK, file, __LINE__);
  expect(test, count == 1 && numbers[0] == (test->size == 1 ? 3 : 4), __LINE__, "a step that failed is in the file");
  close_and_free(test, file);
}

/* All ranks read, or all fail in the same way. */
static void reads_together(context* test) {
  quire_file* file = NULL;
  columns values;
  const uint64_t row = 0;
  const int is_last = test->rank == test->size - 1;
  double x = -1;
  expect_status(test, create(test, &file), QUIRE_OK, file, __LINE__);
  put_step(test, file, 1, &values);
  expect_status(test, quire_commit(file), QUIRE_OK, file, __LINE__);
  close_and_free(test, file);

  expect_status(test, open_file(test->path, &file), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_step(file, 1), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_read_all(file, "x", QUIRE_FLOAT64, row, is_last ? 0 : 1, &x), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_read_all(file, is_last ? "xx" : "x", QUIRE_FLOAT64, row, 1, &x), QUIRE_MISSING, file,
                __LINE__);
  expect(test, strstr(quire_error_message(file), "xx") != NULL, __LINE__, "the error of the last rank is missing");
  expect_status(test, quire_read_all(file, is_last ? NULL : "x", QUIRE_FLOAT64, row, 1, &x), QUIRE_USAGE, file,
                __LINE__);
  /* A rank that cannot make its call. */
  for (int is_wrong = 0; is_wrong < 2; ++is_wrong) {
    const quire_status wanted = is_wrong ? QUIRE_USAGE : QUIRE_MEMORY;
    const quire_status status = is_last
                                    ? quire_refuse_read_all(file, is_wrong ? QUIRE_OK : QUIRE_MEMORY, "no place for x")
                                    : quire_read_all(file, "x", QUIRE_FLOAT64, row, 1, &x);
    expect_status(test, status, wanted, file, __LINE__);
    expect(test, is_wrong || strstr(quire_error_message(file), "no place for x") != NULL, __LINE__, "another message");
  }
  /* An independent read is made by any rank. */
  if (is_last) expect_status(test, quire_read(file, "x", QUIRE_FLOAT64, row, 1, &x), QUIRE_OK, file, __LINE__);
  close_and_free(test, file);
}

/* The limits of blocks of rows, in a file of its own. */
static void makes_an_index(context* test) {
  const char* const settings[] = {"zones=true", NULL};
  quire_file* file = NULL;
  columns values;
  char index[path_length + 8];
  expect_status(test, create_with(test, settings, &file), QUIRE_OK, file, __LINE__);
  put_step(test, file, 1, &values);
  expect_status(test, quire_commit(file), QUIRE_OK, file, __LINE__);
  close_and_free(test, file);
  snprintf(index, sizeof index, "%s.qix", test->path);
  FILE* found = fopen(index, "rb");
  if (found == NULL) return;
  ++test->with_indexes;
  fclose(found);
}

static void appends(context* test) {
  quire_file* file = NULL;
  columns values;
  uint64_t count = 0;
  int64_t numbers[8] = {0};
  const int64_t after = 10;
  write_two_steps(test);
  expect_status(test, append(test, NULL, 0, &file), QUIRE_OK, file, __LINE__);
  put_step(test, file, 30, &values);
  expect_status(test, quire_commit(file), QUIRE_OK, file, __LINE__);
  close_and_free(test, file);
  expect_status(test, append(test, &after, 0, &file), QUIRE_CONFLICT, file, __LINE__);
  quire_free(file);
  expect_status(test, append(test, &after, 1, &file), QUIRE_OK, file, __LINE__);
  put_step(test, file, 40, &values);
  expect_status(test, quire_commit(file), QUIRE_OK, file, __LINE__);
  close_and_free(test, file);

  expect_status(test, open_file(test->path, &file), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_steps(file, 8, numbers, &count), QUIRE_OK, file, __LINE__);
  expect(test, count == 2 && numbers[0] == 10 && numbers[1] == 40, __LINE__, "wrong steps after appending");
  expect_status(test, quire_step(file, 40), QUIRE_OK, file, __LINE__);
  check_rows(test, file, 40);
  close_and_free(test, file);
}

/* A layer of a field for each rank; every rank reads its own and the next one's. */
static void writes_and_reads_fields(context* test) {
  enum { rows = 3, columns_of_layer = 4, elements = rows * columns_of_layer };
  quire_file* file = NULL;
  double mine[elements];
  float vector[3][elements];
  const void* const scalar[1] = {mine};
  const void* const components[3] = {vector[0], vector[1], vector[2]};
  for (int i = 0; i < elements; ++i) {
    mine[i] = 100.0 * test->rank + i;
    for (int c = 0; c < 3; ++c) vector[c][i] = (float)(c + 1);
  }
  const uint64_t layers = (uint64_t)test->size;
  const uint64_t extents[3] = {layers, rows, columns_of_layer};
  const uint64_t start[3] = {(uint64_t)test->rank, 0, 0};
  const uint64_t count[3] = {1, rows, columns_of_layer};
  expect_status(test, create(test, &file), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_step(file, 0), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_set_box(file, 3, extents, start, count), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_put_field(file, "phi", QUIRE_FLOAT64, 1, scalar, "V"), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_put_field(file, "E", QUIRE_FLOAT32, 3, components, "V/m"), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_commit(file), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_step(file, 1), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_put_field(file, "phi", QUIRE_FLOAT64, 1, scalar, "V"), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_abort(file, "no box"), QUIRE_OK, file, __LINE__);
  close_and_free(test, file);

  expect_status(test, open_file(test->path, &file), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_step(file, 0), QUIRE_OK, file, __LINE__);
  uint64_t found[3] = {0, 0, 0};
  uint64_t axes = 0;
  uint64_t parts = 0;
  expect_status(test, quire_get_extents(file, "phi", 3, found, &axes, &parts), QUIRE_OK, file, __LINE__);
  expect(test, axes == 3 && parts == 1 && memcmp(found, extents, sizeof found) == 0, __LINE__, "wrong extents");
  expect_status(test, quire_get_extents(file, "phi", 2, found, &axes, NULL), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_get_extents(file, "phy", 3, found, NULL, NULL), QUIRE_MISSING, file, __LINE__);
  double read[elements];
  void* const memory[1] = {read};
  expect_status(test, quire_read_field(file, "phi", QUIRE_FLOAT64, 1, memory), QUIRE_USAGE, file, __LINE__);
  for (int layer = test->rank; layer <= test->rank + 1; ++layer) {
    const uint64_t from[3] = {(uint64_t)(layer % test->size), 0, 0};
    expect_status(test, quire_set_box(file, 3, NULL, from, count), QUIRE_OK, file, __LINE__);
    expect_status(test, quire_read_field_all(file, "phi", QUIRE_FLOAT64, 1, memory), QUIRE_OK, file, __LINE__);
    int wrong = 0;
    for (int i = 0; i < elements; ++i) wrong += read[i] != 100.0 * (layer % test->size) + i;
    expect(test, wrong == 0, __LINE__, "wrong values of the field");
  }
  const uint64_t outside[3] = {layers, 0, 0};
  expect_status(test, quire_set_box(file, 3, NULL, outside, count), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_read_field(file, "phi", QUIRE_FLOAT64, 1, memory), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_read_field(file, "phi", QUIRE_FLOAT64, 2, memory), QUIRE_USAGE, file, __LINE__);
  close_and_free(test, file);
}

/* Two rows of every rank: by a falling list, and by blocks, each followed by a gap of zeros. */
static void writes_chosen_rows(context* test) {
  quire_file* file = NULL;
  const uint64_t ranks = (uint64_t)test->size;
  const uint64_t rank = (uint64_t)test->rank;
  const uint64_t list[2] = {ranks + rank, rank};
  const uint64_t total = 3 * ranks;
  const double falling[2] = {(double)(ranks + rank + 1), (double)(rank + 1)};
  const double rising[2] = {(double)(3 * rank + 1), (double)(3 * rank + 2)};
  for (int is_list = 0; is_list <= 1; ++is_list) {
    expect_status(test, create(test, &file), QUIRE_OK, file, __LINE__);
    expect_status(test, quire_set_row_list(file, 0, NULL, NULL), QUIRE_USAGE, file, __LINE__);
    expect_status(test, quire_step(file, 0), QUIRE_OK, file, __LINE__);
    if (is_list) {
      expect_status(test, quire_set_row_list(file, 2, list, NULL), QUIRE_OK, file, __LINE__);
    } else {
      expect_status(test, quire_set_row_blocks(file, 3 * rank, 2, 1, 2, &total), QUIRE_OK, file, __LINE__);
    }
    expect_status(test, quire_put(file, "x", QUIRE_FLOAT64, is_list ? falling : rising, "m"), QUIRE_OK, file, __LINE__);
    expect_status(test, quire_commit(file), QUIRE_OK, file, __LINE__);
    close_and_free(test, file);

    uint64_t rows = 0;
    expect_status(test, open_file(test->path, &file), QUIRE_OK, file, __LINE__);
    expect_status(test, quire_step(file, 0), QUIRE_OK, file, __LINE__);
    expect_status(test, quire_get_rows(file, &rows), QUIRE_OK, file, __LINE__);
    expect(test, rows == (is_list ? 2 : 3) * ranks, __LINE__, "wrong number of rows");
    for (uint64_t row = 0; row < rows; ++row) {
      double x = -1;
      const double wanted = !is_list && row % 3 == 2 ? 0 : (double)(row + 1);
      expect_status(test, quire_read(file, "x", QUIRE_FLOAT64, row, 1, &x), QUIRE_OK, file, __LINE__);
      expect(test, x == wanted, __LINE__, "wrong value of a chosen row");
    }
    close_and_free(test, file);
  }
}

static void run_all(context* test) {
  refuses_null_pointers(test);
  refuses_several_ranks_without_communicator(test);
  refuses_files_and_options(test);
  refuses_wrong_order(test);
  writes_and_reads_fields(test);
  writes_fields_in_parts(test);
  writes_chosen_rows(test);
  writes_files_in_one_call(test);
  defines_what_steps_have(test);
  if (quire_format_holds_one_step(test->format)) return;
  write_two_steps(test);
  read_two_steps(test);
  refuses_wrong_reading(test);
  survives_one_bad_rank(test);
  makes_an_index(test);
  reads_together(test);
  appends(test);
  writes_steps_in_the_background(test);
}

static int run_every_format(context* test) {
  const char* directory = getenv("QUIRE_TEST_DIRECTORY");
  uint64_t index = 0;
  for (test->format = quire_format_name(0); test->format != NULL; test->format = quire_format_name(++index)) {
    if (!quire_format_holds_tables(test->format)) continue;
    snprintf(test->path, sizeof test->path, "%s/beam.%s", directory != NULL ? directory : ".", test->format);
    run_all(test);
  }
  test->format = "no format";
  expect(test, index > 0, __LINE__, "this build has no formats");
  expect(test, test->weighing > test->chunked && test->chunked > 0, __LINE__, "no parts were weighed, or in chunks");
  expect(test, test->defined > 0, __LINE__, "no format keeps definitions");
  expect(test, test->with_indexes > 1, __LINE__, "zones=true makes no indexes");
  expect(test, quire_format_holds_one_step("no format") == 0, __LINE__, "an unknown format holds steps");
  expect(test, quire_format_holds_one_step(NULL) == 0, __LINE__, "no name holds steps");
  expect(test, quire_format_holds_tables("no format") == 0, __LINE__, "an unknown format holds tables");
  expect(test, quire_format_holds_streams("no format") == 0, __LINE__, "an unknown format holds streams");
  expect(test, quire_format_holds_streams(NULL) == 0, __LINE__, "no name holds streams");
  if (test->rank == 0) printf("ran with %d formats on %d ranks\n", (int)index, test->size);
  return test->failures;
}

int main(int argc, char** argv) { return run_on_ranks(argc, argv, run_every_format); }
