/* Steps that are written in the background. */

#include <stdlib.h>
#include <string.h>

#include "context.h"

enum { rows = 1000 };

static void put_step(context* test, quire_file* file, int64_t number, double* x) {
  for (int i = 0; i < rows; ++i) x[i] = (double)number + i;
  expect_status(test, quire_step(file, number), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_set_rows(file, rows), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_put(file, "x", QUIRE_FLOAT64, x, "m"), QUIRE_OK, file, __LINE__);
}

static void check_step(context* test, quire_file* file, int64_t number) {
  double* x = malloc(rows * sizeof(double));
  expect_status(test, quire_step(file, number), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_read(file, "x", QUIRE_FLOAT64, (uint64_t)rows * (uint64_t)test->rank, rows, x), QUIRE_OK,
                file, __LINE__);
  expect(test, x[0] == (double)number && x[rows - 1] == (double)number + rows - 1, __LINE__, "wrong values");
  free(x);
}

static void refuses_wrong_calls(context* test) {
  quire_file* file = NULL;
  double x[rows];
  int done = -1;
  expect_status(test, quire_commit_async(NULL, 0), QUIRE_USAGE, NULL, __LINE__);
  expect_status(test, quire_wait(NULL), QUIRE_USAGE, NULL, __LINE__);
  expect_status(test, quire_test(NULL, &done), QUIRE_USAGE, NULL, __LINE__);
  expect(test, quire_overlaps(NULL) == 0, __LINE__, "no file overlaps");
  expect_status(test, create(test, &file), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_commit_async(file, 0), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_test(file, NULL), QUIRE_USAGE, file, __LINE__);
  put_step(test, file, 1, x);
  /* A put that failed on one rank. */
  const int is_last = test->rank == test->size - 1;
  if (is_last) expect_status(test, quire_put(file, NULL, QUIRE_FLOAT64, x, "m"), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_commit_async(file, 0), is_last ? QUIRE_USAGE : QUIRE_ABORTED, file, __LINE__);
  put_step(test, file, 2, x);
  expect_status(test, quire_commit_async(file, 0), QUIRE_OK, file, __LINE__);
  close_and_free(test, file);
  expect_status(test, open_file(test->path, &file), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_wait(file), QUIRE_USAGE, file, __LINE__);
  expect(test, quire_overlaps(file) == 0, __LINE__, "a file that is read does not overlap");
  check_step(test, file, 2);
  close_and_free(test, file);
}

void writes_steps_in_the_background(context* test) {
  quire_file* file = NULL;
  double x[rows];
  int done = 0;
  expect_status(test, create(test, &file), QUIRE_OK, file, __LINE__);
  expect(test, quire_overlaps(file) == 1, __LINE__, "the file overlaps");
  put_step(test, file, 1, x);
  expect_status(test, quire_commit_async(file, 0), QUIRE_OK, file, __LINE__);
  memset(x, 0, sizeof(x));
  put_step(test, file, 2, x);
  expect_status(test, quire_commit_async(file, 1), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_wait(file), QUIRE_OK, file, __LINE__);
  put_step(test, file, 3, x);
  expect_status(test, quire_commit_async(file, 0), QUIRE_OK, file, __LINE__);
  while (!done) expect_status(test, quire_test(file, &done), QUIRE_OK, file, __LINE__);
  close_and_free(test, file);

  expect_status(test, open_file(test->path, &file), QUIRE_OK, file, __LINE__);
  for (int64_t number = 1; number <= 3; ++number) check_step(test, file, number);
  close_and_free(test, file);
  refuses_wrong_calls(test);
}
