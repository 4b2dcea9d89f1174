#include "context.h"

#include <stdio.h>
#include <stdlib.h>

void expect(context* test, int is_true, int line, const char* what) {
  if (is_true) return;
  ++test->failures;
  fprintf(stderr, "[rank %d] %s: line %d: %s\n", test->rank, test->format, line, what);
}

void expect_status(context* test, quire_status status, quire_status expected, const quire_file* file, int line) {
  if (status == expected) return;
  ++test->failures;
  fprintf(stderr, "[rank %d] %s: line %d: status %s instead of %s: %s\n", test->rank, test->format, line,
          quire_status_name(status), quire_status_name(expected), quire_error_message(file));
}

/* The three openers, on all ranks of the test. */
quire_status create_with(const context* test, const char* const* settings, quire_file** file) {
  quire_options options = quire_default_options();
  options.settings = settings;
  options.format = test->format;
  options.deadline = 20000;
#ifdef QUIRE_TESTS_WITH_MPI
  return quire_create_mpi(test->path, MPI_COMM_WORLD, &options, file);
#else
  return quire_create(test->path, &options, file);
#endif
}

quire_status create(const context* test, quire_file** file) { return create_with(test, NULL, file); }

quire_status append(const context* test, const int64_t* after, int drop_later, quire_file** file) {
#ifdef QUIRE_TESTS_WITH_MPI
  return quire_append_mpi(test->path, after, drop_later, MPI_COMM_WORLD, NULL, file);
#else
  return quire_append(test->path, after, drop_later, NULL, file);
#endif
}

quire_status open_file(const char* path, quire_file** file) {
#ifdef QUIRE_TESTS_WITH_MPI
  return quire_open_mpi(path, MPI_COMM_WORLD, NULL, file);
#else
  return quire_open(path, NULL, file);
#endif
}

void close_and_free(context* test, quire_file* file) {
  expect_status(test, quire_close(file), QUIRE_OK, file, __LINE__);
  quire_free(file);
}

void set_path(context* test, const char* name) {
  const char* directory = getenv("QUIRE_TEST_DIRECTORY");
  snprintf(test->path, sizeof test->path, "%s/%s.%s", directory != NULL ? directory : ".", name, test->format);
}

void for_formats(context* test, const char* name, int (*accepts)(const char* format), void (*run)(context* test)) {
  const char* const outer = test->format;
  uint64_t index = 0;
  for (test->format = quire_format_name(0); test->format != NULL; test->format = quire_format_name(++index)) {
    if (!accepts(test->format)) continue;
    set_path(test, name);
    run(test);
  }
  test->format = outer;
}

quire_file* create_step(context* test) {
  quire_file* file = NULL;
  EXPECT_OK(create(test, &file));
  EXPECT_OK(quire_step(file, 0));
  return file;
}

int commit_and_close(context* test, quire_file* file, int line) {
  const quire_status status = quire_commit(file);
  if (status != QUIRE_UNSUPPORTED) expect_status(test, status, QUIRE_OK, file, line);
  close_and_free(test, file);
  return status == QUIRE_OK;
}

quire_file* open_step(context* test) {
  quire_file* file = NULL;
  EXPECT_OK(open_file(test->path, &file));
  EXPECT_OK(quire_step(file, 0));
  return file;
}

int has_two_axes(quire_file* file, const char* field) {
  uint64_t axes = 0;
  uint64_t extents[8] = {0};
  return quire_get_extents(file, field, 8, extents, &axes, NULL) == QUIRE_OK && axes == 2;
}

int run_on_ranks(int argc, char** argv, int (*run)(context* test)) {
  context test = {0};
  test.size = 1;
  test.format = "no format";
#ifdef QUIRE_TESTS_WITH_MPI
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &test.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &test.size);
#else
  (void)argc;
  (void)argv;
#endif
  const char* ranks = getenv("QUIRE_TEST_RANKS");
  int failures = 1;
  if (ranks == NULL || atoi(ranks) != test.size) {
    fprintf(stderr, "world size is %d, the test was registered for %s\n", test.size, ranks != NULL ? ranks : "none");
  } else {
    failures = run(&test);
  }
#ifdef QUIRE_TESTS_WITH_MPI
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
#endif
  return failures == 0 ? 0 : 1;
}
