/* Files of one step that are created, written and closed by one call, which calls a function for the values. */

#include <stdio.h>
#include <string.h>

#include "context.h"

enum { rows = 5 };

typedef struct filling {
  context* test;
  double x[rows];
  quire_status answer; /* of the last rank */
  int makes_calls;     /* calls that are not allowed in a fill */
  double s;            /* an attribute */
  int puts_nothing;    /* without memory, on the last rank */
} filling;

static int is_last(const context* test) { return test->rank == test->size - 1; }

static void refuses_other_calls(context* test, quire_file* file) {
  expect_status(test, quire_step(file, 1), QUIRE_USAGE, file, __LINE__);
  expect(test, strstr(quire_error_message(file), "only sets and puts") != NULL, __LINE__, "another error");
  expect_status(test, quire_open_step(file), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_agree_on_rows(file), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_commit(file), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_abort(file, "no reason"), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_close(file), QUIRE_USAGE, file, __LINE__);
  expect(test, strstr(quire_error_message(file), "only sets and puts") != NULL, __LINE__, "another error");
  quire_free(file);
}

static quire_status fill(quire_file* file, void* data) {
  filling* given = data;
  context* test = given->test;
  for (int i = 0; i < rows; ++i) given->x[i] = rows * test->rank + i;
  if (given->makes_calls) refuses_other_calls(test, file);
  expect_status(test, quire_set(file, "s", QUIRE_FLOAT64, 1, &given->s, "m"), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_set_rows(file, rows), QUIRE_OK, file, __LINE__);
  if (given->puts_nothing && is_last(test)) {
    expect_status(test, quire_put(file, "x", QUIRE_FLOAT64, NULL, "m"), QUIRE_USAGE, file, __LINE__);
    return QUIRE_OK;
  }
  expect_status(test, quire_put(file, "x", QUIRE_FLOAT64, given->x, "m"), QUIRE_OK, file, __LINE__);
  return is_last(test) ? given->answer : QUIRE_OK;
}

static quire_status write_file(const context* test, quire_fill with, filling* data, quire_file** file) {
  quire_options options = quire_default_options();
  options.format = test->format;
  options.deadline = 20000;
#ifdef QUIRE_TESTS_WITH_MPI
  return quire_write_file_mpi(test->path, 7, with, data, MPI_COMM_WORLD, &options, file);
#else
  return quire_write_file(test->path, 7, with, data, &options, file);
#endif
}

static void check_file(context* test) {
  quire_file* file = NULL;
  uint64_t count = 0;
  uint64_t found = 0;
  int64_t number = -1;
  double s = 0;
  expect_status(test, open_file(test->path, &file), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_steps(file, 1, &number, &count), QUIRE_OK, file, __LINE__);
  expect(test, count == 1, __LINE__, "wrong number of steps");
  expect_status(test, quire_step(file, number), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_get(file, "s", QUIRE_FLOAT64, 1, &s, NULL), QUIRE_OK, file, __LINE__);
  expect(test, s == 2.5, __LINE__, "wrong attribute");
  expect_status(test, quire_get_rows(file, &found), QUIRE_OK, file, __LINE__);
  expect(test, found == (uint64_t)(rows * test->size), __LINE__, "wrong number of rows");
  for (uint64_t row = 0; row < found; ++row) {
    double x = -1;
    expect_status(test, quire_read(file, "x", QUIRE_FLOAT64, row, 1, &x), QUIRE_OK, file, __LINE__);
    expect(test, x == (double)row, __LINE__, "wrong value");
  }
  close_and_free(test, file);
}

/* A rank that failed returns its own error, the others QUIRE_ABORTED; the previous file stays. */
static void fails(context* test, filling* given, quire_status mine, const char* reason) {
  quire_file* file = NULL;
  const quire_status wanted = is_last(test) ? mine : QUIRE_ABORTED;
  expect_status(test, write_file(test, fill, given, &file), wanted, file, __LINE__);
  expect(test, strstr(quire_error_message(file), reason) != NULL, __LINE__, "no reason given");
  quire_free(file);
  check_file(test);
}

void writes_files_in_one_call(context* test) {
  quire_file* file = NULL;
  filling given = {0};
  given.test = test;
  given.s = 2.5;
  given.makes_calls = 1;
  expect_status(test, write_file(test, fill, &given, &file), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_set_rows(file, 1), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_close(file), QUIRE_USAGE, file, __LINE__);
  quire_free(file);
  check_file(test);
  given.makes_calls = 0;
  given.s = 3.5;
  expect_status(test, write_file(test, is_last(test) ? NULL : fill, &given, &file), QUIRE_USAGE, file, __LINE__);
  quire_free(file);
  check_file(test);
  given.answer = QUIRE_MEMORY;
  fails(test, &given, QUIRE_MEMORY, "returned memory");
  given.answer = (quire_status)99;
  fails(test, &given, QUIRE_USAGE, "returned unknown");
  given.answer = QUIRE_OK;
  given.puts_nothing = 1;
  fails(test, &given, QUIRE_USAGE, "null pointer");
  given.puts_nothing = 0;
  given.s = 2.5;
  expect_status(test, write_file(test, fill, &given, &file), QUIRE_OK, file, __LINE__);
  quire_free(file);
  check_file(test);
}
