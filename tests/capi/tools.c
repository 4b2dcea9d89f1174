/* Shares of ranks, units, and the state of files. */

#include <stdio.h>
#include <string.h>

#include "calls.h"

enum { rows = 2 };

static void shares_rows(context* test) {
  quire_file* const file = NULL;
  uint64_t first = 0;
  uint64_t count = 0;
  const double weights[2] = {1, 3};
  EXPECT_OK(quire_even_slice(7, 1, 2, &first, &count));
  EXPECT_TRUE(first == 4 && count == 3);
  EXPECT_OK(quire_slice_without_root(6, 1, 3, &first, &count));
  EXPECT_TRUE(first == 0 && count == 3);
  EXPECT_OK(quire_weighted_slice(8, 1, 2, weights, &first, &count));
  EXPECT_TRUE(first == 2 && count == 6);
  EXPECT_STATUS(QUIRE_USAGE, quire_even_slice(7, 2, 2, &first, &count));
  EXPECT_STATUS(QUIRE_USAGE, quire_even_slice(7, 0, 0, &first, &count));
  EXPECT_STATUS(QUIRE_USAGE, quire_even_slice(7, 1, 2, NULL, &count));
  EXPECT_STATUS(QUIRE_USAGE, quire_slice_without_root(7, 1, 2, &first, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_slice_without_root(7, -1, 2, &first, &count));
  EXPECT_STATUS(QUIRE_USAGE, quire_weighted_slice(7, 1, 2, NULL, &first, &count));
}

static void converts_units(context* test) {
  quire_file* const file = NULL;
  double factor = 0;
  int divides = -1;
  EXPECT_OK(quire_get_unit_scale("mm", "m", &factor, &divides));
  EXPECT_TRUE(divides ? factor == 1000 : factor == 0.001);
  EXPECT_STATUS(QUIRE_CONFLICT, quire_get_unit_scale("mm", "s", &factor, &divides));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_unit_scale("furlong", "m", &factor, &divides));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_unit_scale(NULL, "m", &factor, &divides));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_unit_scale("mm", "m", NULL, &divides));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_unit_scale("mm", "m", &factor, NULL));
}

static void write_step(context* test) {
  quire_file* file = create_step(test);
  const double x[rows] = {1, 2};
  EXPECT_OK(quire_set_rows(file, rows));
  EXPECT_OK(quire_put(file, "x", QUIRE_FLOAT64, x, "m"));
  EXPECT_TRUE(commit_and_close(test, file, __LINE__));
}

static void cuts_boxes(context* test) {
  quire_file* file = NULL;
  const int is_last = test->rank == test->size - 1;
  /* Boxes of three elements along a line, each with one of the next rank. */
  uint64_t start[1] = {(uint64_t)(2 * test->rank)};
  uint64_t count[1] = {3};
  EXPECT_OK(open_file(test->path, &file));
  EXPECT_STATUS(test->size > 1 ? QUIRE_CONFLICT : QUIRE_OK, quire_require_disjoint(file, 1, start, count));
  EXPECT_OK(quire_make_disjoint(file, 1, start, count));
  EXPECT_TRUE(test->size == 1 ? count[0] == 3 : count[0] >= 2 && count[0] <= 3);
  EXPECT_OK(quire_require_disjoint(file, 1, start, count));
  EXPECT_STATUS(QUIRE_USAGE, quire_make_disjoint(file, 1, is_last ? NULL : start, count));
  EXPECT_STATUS(QUIRE_USAGE, quire_require_disjoint(file, 1, start, is_last ? NULL : count));
  const uint64_t grid[1] = {(uint64_t)test->size};
  const uint64_t block[1] = {2};
  EXPECT_STATUS(QUIRE_USAGE, quire_set_grid_part(file, 1, NULL, block, NULL, QUIRE_NATURAL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_grid_part(file, 1, grid, block, NULL, (quire_placement)9));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_grid_part(file, 1, grid, block, NULL, QUIRE_COMPATIBLE));
  EXPECT_OK(quire_set_grid_part(file, 1, grid, block, NULL, QUIRE_NATURAL));
  close_and_free(test, file);
}

static void checks_files(context* test) {
  quire_file* file = NULL;
  quire_check_report report;
  EXPECT_OK(open_file(test->path, &file));
  EXPECT_OK(quire_check(file, &report, sizeof report));
  EXPECT_TRUE(report.whole_steps == 1 && report.steps == 1 && !report.is_damaged && strcmp(report.damage, "") == 0);
  EXPECT_TRUE(report.damaged_steps == 0 && !report.is_being_written && !report.is_changed);
  const int is_last = test->rank == test->size - 1;
  EXPECT_STATUS(QUIRE_USAGE, quire_check(file, is_last ? NULL : &report, sizeof report));
  close_and_free(test, file);
}

static quire_status repair(const context* test, const char* path, uint64_t steps, const int64_t* dropped, int* changed,
                           quire_file** file) {
  (void)test;
#ifdef QUIRE_TESTS_WITH_MPI
  return quire_repair_mpi(path, steps, dropped, MPI_COMM_WORLD, NULL, changed, file);
#else
  return quire_repair(path, steps, dropped, NULL, changed, file);
#endif
}

static quire_status lock(const char* path, quire_file** file) {
#ifdef QUIRE_TESTS_WITH_MPI
  return quire_lock_mpi(path, MPI_COMM_WORLD, NULL, file);
#else
  return quire_lock(path, NULL, file);
#endif
}

static void repairs_files(context* test) {
  const int is_last = test->rank == test->size - 1;
  quire_file* file = NULL;
  int changed = -1;
  EXPECT_OK(repair(test, test->path, 0, NULL, &changed, &file));
  EXPECT_TRUE(changed == 0);
  quire_free(file);
  EXPECT_STATUS(QUIRE_USAGE, repair(test, test->path, is_last ? 1 : 0, NULL, &changed, &file));
  quire_free(file);
  EXPECT_STATUS(QUIRE_USAGE, repair(test, test->path, 0, NULL, is_last ? NULL : &changed, &file));
  quire_free(file);
  EXPECT_STATUS(QUIRE_USAGE, repair(test, is_last ? NULL : test->path, 0, NULL, &changed, &file));
  quire_free(file);
  if (test->size > 1) return;
  EXPECT_OK(quire_repair(test->path, 0, NULL, NULL, &changed, &file));
  quire_free(file);
}

static void locks_files(context* test) {
  quire_file* held = NULL;
  quire_file* file = NULL;
  EXPECT_OK(lock(test->path, &file));
  held = file;
  EXPECT_STATUS(QUIRE_CONFLICT, append(test, NULL, 0, &file));
  quire_free(file);
  file = held;
  EXPECT_STATUS(QUIRE_USAGE, quire_step(file, 0));
  close_and_free(test, file);
  EXPECT_STATUS(QUIRE_USAGE, lock(test->rank == test->size - 1 ? NULL : test->path, &file));
  quire_free(file);
  if (test->size > 1) return;
  EXPECT_OK(quire_lock(test->path, NULL, &file));
  close_and_free(test, file);
}

/* A truncated file of several steps: damage, and what of it can be recovered. */
static void reports_damage(context* test) {
  quire_file* file = NULL;
  quire_check_report report;
  char bytes[4096];
  size_t size = 0;
  if (test->rank == 0) {
    FILE* stream = fopen(test->path, "rb");
    size = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    stream = fopen(test->path, "wb");
    fwrite(bytes, 1, size - 4, stream);
    fclose(stream);
  }
#ifdef QUIRE_TESTS_WITH_MPI
  MPI_Barrier(MPI_COMM_WORLD);
#endif
  if (open_file(test->path, &file) == QUIRE_OK) {
    EXPECT_OK(quire_check(file, &report, sizeof report));
    if (report.is_damaged) {
      ++test->with_damage;
      EXPECT_TRUE(strlen(report.damage) > 0 || report.damaged_steps > 0);
    }
    const quire_status status = quire_step_salvaged(file, 0);
    test->with_salvage += status == QUIRE_OK;
    EXPECT_OK(quire_close(file));
  }
  quire_free(file);
}

static void run(context* test) {
  write_step(test);
  cuts_boxes(test);
  checks_files(test);
  repairs_files(test);
  if (!quire_format_holds_one_step(test->format)) locks_files(test);
  reports_damage(test);
}

void uses_tools(context* test) {
  quire_file* const file = NULL;
  (void)file;
  shares_rows(test);
  converts_units(test);
  for_formats(test, "tools", quire_format_holds_tables, run);
  EXPECT_TRUE(test->with_damage > 0 && test->with_salvage > 0);
}
