/* Collective calls with a wrong argument on the last rank: all ranks return, with the same error, and go on. */

#include <string.h>

#include "calls.h"

enum { rows = 2, steps = 3 };

static int is_last(const context* test) { return test->rank == test->size - 1; }

/* What all ranks get if the last one asks for something else than the others. */
static quire_status conflict_or(const context* test, quire_status alone) {
  return test->size > 1 ? QUIRE_CONFLICT : alone;
}

static void put_step(context* test, quire_file* file, int64_t number) {
  static const double x[rows] = {1, 2};
  EXPECT_OK(quire_step(file, number));
  EXPECT_OK(quire_set_rows(file, rows));
  EXPECT_OK(quire_put(file, "x", QUIRE_FLOAT64, x, "m"));
}

static quire_status fill_nothing(quire_file* file, void* data) {
  (void)data;
  return quire_set_rows(file, 0);
}

/* A call that opens a file, and the handle of its message. */
static void refused(context* test, quire_status status, quire_status wanted, quire_file* file, int line) {
  expect_status(test, status, wanted, file, line);
  expect(test, quire_error_message(file)[0] != 0, line, "no message");
  quire_free(file);
}

#define REFUSED(wanted, call)                       \
  do {                                              \
    const quire_status found = (call);              \
    refused(test, found, (wanted), file, __LINE__); \
    file = NULL;                                    \
  } while (0)

static void opens_no_path(context* test) {
  quire_file* file = NULL;
  const char* const path = is_last(test) ? NULL : test->path;
  int changed = 0;
#ifdef QUIRE_TESTS_WITH_MPI
  const int64_t after = 999;
  REFUSED(QUIRE_USAGE, quire_create_mpi(is_last(test) ? NULL : path, MPI_COMM_WORLD, NULL, &file));
  REFUSED(QUIRE_USAGE,
          quire_write_file_mpi(is_last(test) ? NULL : path, 0, fill_nothing, NULL, MPI_COMM_WORLD, NULL, &file));
  REFUSED(QUIRE_USAGE, quire_append_mpi(is_last(test) ? NULL : path, NULL, 0, MPI_COMM_WORLD, NULL, &file));
  REFUSED(conflict_or(test, QUIRE_MISSING),
          quire_append_mpi(test->path, is_last(test) ? &after : NULL, 0, MPI_COMM_WORLD, NULL, &file));
  REFUSED(QUIRE_USAGE, quire_open_mpi(is_last(test) ? NULL : path, MPI_COMM_WORLD, NULL, &file));
  REFUSED(QUIRE_USAGE, quire_repair_mpi(is_last(test) ? NULL : path, 0, NULL, MPI_COMM_WORLD, NULL, &changed, &file));
  REFUSED(QUIRE_USAGE, quire_lock_mpi(is_last(test) ? NULL : path, MPI_COMM_WORLD, NULL, &file));
#endif
  /* On several ranks these are refused in any case. */
  REFUSED(QUIRE_USAGE, quire_create(is_last(test) ? NULL : path, NULL, &file));
  REFUSED(QUIRE_USAGE, quire_write_file(is_last(test) ? NULL : path, 0, fill_nothing, NULL, NULL, &file));
  REFUSED(QUIRE_USAGE, quire_append(is_last(test) ? NULL : path, NULL, 0, NULL, &file));
  REFUSED(QUIRE_USAGE, quire_open(is_last(test) ? NULL : path, NULL, &file));
  REFUSED(QUIRE_USAGE, quire_repair(is_last(test) ? NULL : path, 0, NULL, NULL, &changed, &file));
  REFUSED(QUIRE_USAGE, quire_lock(is_last(test) ? NULL : path, NULL, &file));
}

static void selects_other_steps(context* test) {
  quire_file* file = NULL;
  int64_t numbers[steps] = {0};
  uint64_t count = 0;
  double x[rows] = {0};
  EXPECT_OK(open_file(test->path, &file));
  EXPECT_STATUS(conflict_or(test, QUIRE_MISSING), quire_step(file, is_last(test) ? 99 : 10));
  EXPECT_STATUS(conflict_or(test, QUIRE_OK), quire_step(file, is_last(test) ? 20 : 10));
  EXPECT_STATUS(conflict_or(test, QUIRE_OK), quire_step_at(file, is_last(test) ? 2 : 0));
  /* What is known of steps from before changes nothing. */
  for (uint64_t place = 0; place < steps; ++place) EXPECT_OK(quire_step_at(file, place));
  EXPECT_STATUS(conflict_or(test, QUIRE_OK), quire_step_at(file, is_last(test) ? 1 : 0));
  EXPECT_STATUS(conflict_or(test, QUIRE_MISSING), quire_step_at(file, is_last(test) ? 99 : 0));
  const quire_status status = quire_step_salvaged(file, is_last(test) ? 1 : 0);
  EXPECT_TRUE(test->size > 1 ? status == QUIRE_CONFLICT : status != QUIRE_OK);
  EXPECT_STATUS(conflict_or(test, QUIRE_OK), quire_steps_from(file, is_last(test) ? 1 : 0, 2, numbers, &count));
  EXPECT_STATUS(QUIRE_USAGE, quire_steps(file, steps, is_last(test) ? NULL : numbers, &count));
  EXPECT_OK(quire_step(file, 20));
  EXPECT_OK(quire_read_all(file, "x", QUIRE_FLOAT64, 0, rows, x));
  EXPECT_TRUE(x[0] == 1 && x[1] == 2);
  close_and_free(test, file);
}

/* A rank without a place for the answer takes part. */
static void tests_without_an_answer(context* test) {
  quire_file* file = NULL;
  int done = 0;
  EXPECT_OK(create(test, &file));
  put_step(test, file, 10);
  EXPECT_OK(quire_commit_async(file, 0));
  EXPECT_STATUS(is_last(test) ? QUIRE_USAGE : QUIRE_OK, quire_test(file, is_last(test) ? NULL : &done));
  EXPECT_OK(quire_wait(file));
  close_and_free(test, file);
}

/* A reason is not necessary: the others get the error all the same. */
static void leaves_without_a_reason(context* test) {
  quire_file* file = NULL;
  EXPECT_OK(create(test, &file));
  put_step(test, file, 10);
  EXPECT_STATUS(is_last(test) ? QUIRE_OK : QUIRE_ABORTED, is_last(test) ? quire_abort(file, NULL) : quire_commit(file));
  put_step(test, file, 20);
  EXPECT_STATUS(is_last(test) ? QUIRE_OK : QUIRE_ABORTED,
                is_last(test) ? quire_abort_file(file, NULL) : quire_commit(file));
  if (!is_last(test)) EXPECT_OK(quire_close(file));
  quire_free(file);
}

static void run(context* test) {
  quire_file* file = NULL;
  if (quire_format_holds_one_step(test->format)) return;
  tests_without_an_answer(test);
  leaves_without_a_reason(test);
  EXPECT_OK(create(test, &file));
  for (int64_t step = 10; step <= 10 * steps; step += 10) {
    put_step(test, file, step);
    EXPECT_OK(quire_commit(file));
  }
  close_and_free(test, file);
  opens_no_path(test);
  selects_other_steps(test);
}

void agrees_on_one_wrong_rank(context* test) { for_formats(test, "discord", quire_format_holds_tables, run); }
