/* Steps by number and by place, several tables, declarations, attachments, and ranks that leave. */

#include <stdio.h>
#include <string.h>

#include "calls.h"

enum { rows = 2 };

static int is_last(const context* test) { return test->rank == test->size - 1; }

static void put_step(context* test, quire_file* file, int64_t number) {
  static const double x[rows] = {1, 2};
  EXPECT_OK(quire_step(file, number));
  EXPECT_OK(quire_set_rows(file, rows));
  EXPECT_OK(quire_put(file, "x", QUIRE_FLOAT64, x, "m"));
}

static void finds_steps(context* test) {
  quire_file* file = NULL;
  int64_t numbers[4] = {0};
  int64_t number = 0;
  uint64_t count = 0;
  EXPECT_OK(create(test, &file));
  for (int64_t step = 10; step <= 30; step += 10) {
    put_step(test, file, step);
    EXPECT_OK(quire_commit(file));
  }
  close_and_free(test, file);
  EXPECT_OK(open_file(test->path, &file));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_step(file, &number));
  EXPECT_OK(quire_steps_from(file, 1, 2, numbers, &count));
  EXPECT_TRUE(count == 2 && numbers[0] == 20 && numbers[1] == 30);
  EXPECT_OK(quire_steps_from(file, 2, 4, numbers, &count));
  EXPECT_TRUE(count == 1 && numbers[0] == 30);
  EXPECT_STATUS(QUIRE_USAGE,
                quire_steps_from(file, 0, 2, is_last(test) ? NULL : numbers, is_last(test) ? NULL : &count));
  EXPECT_STATUS(QUIRE_USAGE, quire_steps(file, 4, is_last(test) ? NULL : numbers, &count));
  EXPECT_OK(quire_step_at(file, 1));
  EXPECT_OK(quire_get_step(file, &number));
  EXPECT_TRUE(number == 20);
  EXPECT_STATUS(QUIRE_MISSING, quire_step_at(file, 3));
  const quire_status status = quire_step_declared(file);
  EXPECT_TRUE(status == QUIRE_OK || status == QUIRE_MISSING);
  test->with_declarations += status == QUIRE_OK;
  EXPECT_TRUE(quire_step_salvaged(file, 0) != QUIRE_OK);
  close_and_free(test, file);
}

/* A table of a step for each species, where the format has several. */
static void writes_several_tables(context* test) {
  quire_file* file = create_step(test);
  const double x[rows] = {1, 2};
  const double y[1] = {3};
  uint64_t count = 0;
  double read = 0;
  EXPECT_OK(quire_table(file, "electrons"));
  EXPECT_OK(quire_set_rows(file, rows));
  EXPECT_OK(quire_put(file, "x", QUIRE_FLOAT64, x, "m"));
  EXPECT_OK(quire_table(file, "ions"));
  EXPECT_STATUS(QUIRE_OK, quire_set_rows(file, 1));
  EXPECT_OK(quire_put(file, "x", QUIRE_FLOAT64, y, "m"));
  if (!commit_and_close(test, file, __LINE__)) return;
  ++test->with_tables;
  file = open_step(test);
  EXPECT_OK(quire_get_count(file, QUIRE_TABLES, &count));
  EXPECT_TRUE(count == 2);
  EXPECT_OK(quire_table(file, "ions"));
  EXPECT_OK(quire_get_rows(file, &count));
  EXPECT_TRUE(count == (uint64_t)test->size);
  EXPECT_OK(quire_read_all(file, "x", QUIRE_FLOAT64, 0, 1, &read));
  EXPECT_TRUE(read == 3);
  EXPECT_STATUS(QUIRE_MISSING, quire_table(file, "muons"));
  close_and_free(test, file);
}

/* A file for each step, where the format has series; a name with a pattern is that of a file elsewhere. */
static void writes_series(context* test) {
  quire_file* file = NULL;
  set_path(test, "series_%06T");
  EXPECT_OK(create(test, &file));
  for (int64_t step = 10; step <= 30; step += 10) {
    put_step(test, file, step);
    EXPECT_OK(step == 20 ? quire_commit_async(file, 1) : quire_commit(file));
  }
  EXPECT_OK(quire_wait(file));
  put_step(test, file, 40);
  EXPECT_OK(quire_abort(file, "not wanted"));
  close_and_free(test, file);
  set_path(test, "series_000020");
  if (open_file(test->path, &file) == QUIRE_OK) {
    uint64_t count = 0;
    double x[rows] = {0};
    ++test->with_series;
    EXPECT_OK(quire_step(file, 20));
    EXPECT_OK(quire_get_rows(file, &count));
    EXPECT_TRUE(count == (uint64_t)rows * (uint64_t)test->size);
    EXPECT_OK(quire_read_all(file, "x", QUIRE_FLOAT64, 0, rows, x));
    EXPECT_TRUE(x[0] == 1 && x[1] == 2);
    close_and_free(test, file);
    set_path(test, "series_%06T");
    int64_t numbers[4] = {0};
    EXPECT_OK(open_file(test->path, &file));
    EXPECT_OK(quire_steps(file, 4, numbers, &count));
    EXPECT_TRUE(count == 3 && numbers[0] == 10 && numbers[2] == 30);
    close_and_free(test, file);
  } else {
    quire_free(file);
  }
}

static int holds_attachments(const char* format) {
  quire_format_info info;
  return quire_get_format_info(format, &info, sizeof info) == QUIRE_OK && info.holds_attachments;
}

static void attaches_files(context* test) {
  quire_file* file = NULL;
  const char input[] = "input of the run";
  char part[6] = "";
  quire_info info;
  uint64_t count = 0;
  EXPECT_OK(create(test, &file));
  EXPECT_OK(quire_attach(file, "input.txt", sizeof input, test->rank == 0 ? input : NULL, 0));
  EXPECT_OK(quire_attach(file, "other.txt", sizeof input, input, 0));
  EXPECT_STATUS(QUIRE_CONFLICT, quire_attach(file, "other.txt", sizeof input, input, 0));
  EXPECT_OK(quire_attach(file, "other.txt", 0, NULL, 1));
  EXPECT_STATUS(QUIRE_USAGE, quire_attach(file, is_last(test) ? NULL : "a.txt", sizeof input, input, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_attach(file, "a.txt", sizeof input, test->rank == 0 ? NULL : input, 0));
  EXPECT_OK(quire_detach(file, "other.txt"));
  EXPECT_STATUS(QUIRE_MISSING, quire_detach(file, "absent.txt"));
  EXPECT_STATUS(QUIRE_USAGE, quire_detach(file, is_last(test) ? NULL : "input.txt"));
  put_step(test, file, 0);
  EXPECT_OK(quire_commit(file));
  close_and_free(test, file);
  file = open_step(test);
  EXPECT_OK(quire_get_count(file, QUIRE_ATTACHMENTS, &count));
  EXPECT_OK(quire_get_info(file, QUIRE_ATTACHMENTS, "input.txt", &info, sizeof info));
  EXPECT_TRUE(count == 1 && info.count == sizeof input);
  EXPECT_OK(quire_read_attachment(file, "input.txt", 6, 2, part));
  EXPECT_TRUE(memcmp(part, "of", 2) == 0);
  EXPECT_STATUS(QUIRE_USAGE, quire_read_attachment(file, "input.txt", 0, sizeof input + 1, part));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_attachment(file, "input.txt", 0, 1, NULL));
  EXPECT_STATUS(QUIRE_MISSING, quire_read_attachment(file, "absent.txt", 0, 1, part));
  close_and_free(test, file);
  ++test->with_attachments;
}

/* A rank that closes the file by quire_abort_file() ends the commit of the others. */
static void leaves_a_file(context* test) {
  quire_file* file = NULL;
  EXPECT_OK(create(test, &file));
  put_step(test, file, 1);
  EXPECT_OK(quire_commit(file));
  put_step(test, file, 2);
  if (is_last(test)) {
    EXPECT_OK(quire_abort_file(file, "the particles are lost"));
    EXPECT_STATUS(QUIRE_USAGE, quire_commit(file));
    EXPECT_STATUS(QUIRE_USAGE, quire_close(file));
  } else {
    EXPECT_STATUS(QUIRE_ABORTED, quire_commit(file));
    EXPECT_TRUE(strstr(quire_error_message(file), "the particles are lost") != NULL);
    EXPECT_OK(quire_close(file));
  }
  quire_free(file);
}

static void refuses_options(context* test) {
  quire_file* file = NULL;
  quire_options options = quire_default_options();
  options.deadline = 20000;
  options.size = 0;
#ifdef QUIRE_TESTS_WITH_MPI
  const quire_options* const mine = is_last(test) ? &options : NULL;
  EXPECT_STATUS(QUIRE_USAGE, quire_create_mpi(test->path, MPI_COMM_WORLD, mine, &file));
#else
  EXPECT_STATUS(QUIRE_USAGE, quire_create(test->path, &options, &file));
#endif
  EXPECT_TRUE(strstr(quire_error_message(file), "quire_default_options") != NULL);
  quire_free(file);
  options = quire_default_options();
  options.refused = "no memory for the particles";
#ifdef QUIRE_TESTS_WITH_MPI
  EXPECT_STATUS(QUIRE_USAGE, quire_create_mpi(test->path, MPI_COMM_WORLD, mine, &file));
#else
  EXPECT_STATUS(QUIRE_USAGE, quire_create(test->path, &options, &file));
#endif
  EXPECT_TRUE(strstr(quire_error_message(file), "no memory for the particles") != NULL);
  quire_free(file);
  /* A program that was compiled with an older version knows fewer members. */
  options = quire_default_options();
  options.size = 2 * sizeof(uint64_t);
  options.format = test->format;
  options.deadline = -1;
#ifdef QUIRE_TESTS_WITH_MPI
  EXPECT_OK(quire_create_mpi(test->path, MPI_COMM_WORLD, &options, &file));
#else
  EXPECT_OK(quire_create(test->path, &options, &file));
#endif
  close_and_free(test, file);
}

static void run(context* test) {
  refuses_options(test);
  writes_several_tables(test);
  if (quire_format_holds_one_step(test->format)) return;
  finds_steps(test);
  leaves_a_file(test);
  writes_series(test);
}

void handles_steps_and_files(context* test) {
  quire_file* const file = NULL;
  (void)file;
  for_formats(test, "steps", quire_format_holds_tables, run);
  for_formats(test, "attachments", holds_attachments, attaches_files);
  EXPECT_TRUE(test->with_series > 0);
  EXPECT_TRUE(test->with_tables > 0 && test->with_attachments > 0 && test->with_declarations > 0);
}
