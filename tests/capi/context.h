/* Shared functions of the tests of the C interface. */

#ifndef QUIRE_TESTS_CAPI_CONTEXT_H
#define QUIRE_TESTS_CAPI_CONTEXT_H

#ifdef QUIRE_TESTS_WITH_MPI
#include "quire/quire_mpi.h"
#else
#include "quire/quire.h"
#endif

enum { path_length = 1024 };

/* The state of a test; no globals. */
typedef struct context {
  int rank;
  int size;
  int failures;
  int weighing; /* kinds of files whose parts were weighed */
  int chunked;  /* of those, kinds that encode them in chunks */
  int defined;  /* formats whose files keep definitions */
  const char* format;
  char path[path_length];
} context;

void expect(context* test, int is_true, int line, const char* what);
void expect_status(context* test, quire_status status, quire_status expected, const quire_file* file, int line);

/* The three openers, on all ranks of the test. */
quire_status create(const context* test, quire_file** file);
quire_status create_with(const context* test, const char* const* settings, quire_file** file);
quire_status append(const context* test, const int64_t* after, int drop_later, quire_file** file);
quire_status open_file(const char* path, quire_file** file);
void close_and_free(context* test, quire_file* file);

/* Fields whose values are passed box by box, in kinds of files of one format (parts.c). */
void writes_fields_in_parts(context* test);

/* What every step has, defined before the first one (definitions.c). */
void defines_what_steps_have(context* test);

/* Files that are written by one call (at_once.c). */
void writes_files_in_one_call(context* test);

/* Steps that are written while the program continues (overlap.c). */
void writes_steps_in_the_background(context* test);

#endif
