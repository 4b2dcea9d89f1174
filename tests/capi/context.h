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
  /* Formats that have what a part of the test needs. */
  int with_file_attributes;
  int with_field_attributes;
  int with_grids;
  int found_fields;
  int found_titles;
  int found_descriptions;
  int with_strings;
  int rows_in_parts;
  int with_constants;
  int with_hyperslabs;
  int with_groups;
  int with_coordinates;
  int with_tables;
  int with_declarations;
  int with_attachments;
  int with_series;
  int with_indexes;
  int with_streams;
  int with_records;
  int with_elements;
  int with_damage;
  int with_salvage;
  const char* format;
  char path[path_length];
} context;

void expect(context* test, int is_true, int line, const char* what);
void expect_status(context* test, quire_status status, quire_status expected, const quire_file* file, int line);

/* For the file and the test of the calling function. */
#define EXPECT_STATUS(expected, call) expect_status(test, (call), (expected), file, __LINE__)
#define EXPECT_OK(call) EXPECT_STATUS(QUIRE_OK, call)
#define EXPECT_TRUE(is_true) expect(test, (is_true), __LINE__, #is_true)

/* Runs on all ranks that the test was registered for; the exit code of the program. */
int run_on_ranks(int argc, char** argv, int (*run)(context* test));
/* Runs with each format that is accepted, and a path of its own. */
void for_formats(context* test, const char* name, int (*accepts)(const char* format), void (*run)(context* test));
void set_path(context* test, const char* name);

/* The three openers, on all ranks of the test. */
quire_status create(const context* test, quire_file** file);
quire_status create_with(const context* test, const char* const* settings, quire_file** file);
quire_status append(const context* test, const int64_t* after, int drop_later, quire_file** file);
quire_status open_file(const char* path, quire_file** file);
void close_and_free(context* test, quire_file* file);

/* Step 0 of a new file, to be written. */
quire_file* create_step(context* test);
/* Whether the format holds what was put. */
int commit_and_close(context* test, quire_file* file, int line);
/* Step 0 of the file, to be read. */
quire_file* open_step(context* test);

/* Whether a field of the selected step has two axes. */
int has_two_axes(quire_file* file, const char* field);

/* Fields whose values are passed box by box, in kinds of files of one format (parts.c). */
void writes_fields_in_parts(context* test);

/* What every step has, defined before the first one (definitions.c). */
void defines_what_steps_have(context* test);

/* Files that are written by one call (at_once.c). */
void writes_files_in_one_call(context* test);

/* Steps that are written while the program continues (overlap.c). */
void writes_steps_in_the_background(context* test);

#endif
