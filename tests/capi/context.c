#include "context.h"

#include <stdio.h>

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
