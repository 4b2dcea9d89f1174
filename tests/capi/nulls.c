/* Null handles, and null pointers for everything else: errors, and never a crash. */

#include <stddef.h>

#include "calls.h"

static void refuses_null_files(context* test) {
  quire_file* const file = NULL;
  EXPECT_STATUS(QUIRE_USAGE, quire_get_error(NULL, NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_close(NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_abort_file(NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_title(NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_step(NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_step_at(NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_step_declared(NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_step_salvaged(NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_steps(NULL, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_steps_from(NULL, 0, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_step(NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_commit(NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_abort(NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_attach(NULL, NULL, 0, NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_detach(NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_attachment(NULL, NULL, 0, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_count(NULL, QUIRE_TABLES, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_name(NULL, QUIRE_TABLES, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_info(NULL, QUIRE_TABLES, NULL, NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_file_info(NULL, NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_timing(NULL, NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_counters(NULL, NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_locate(NULL, NULL, NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_locate_field(NULL, NULL, 0, NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_owner(NULL, QUIRE_OWNER_STEP, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_description(NULL, NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set(NULL, NULL, QUIRE_FLOAT64, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_array(NULL, NULL, QUIRE_FLOAT64, 0, NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_text(NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_texts(NULL, NULL, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_get(NULL, NULL, QUIRE_FLOAT64, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_text(NULL, NULL, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_texts(NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_table(NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_stride(NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_rows(NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_row_list(NULL, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_row_blocks(NULL, 0, 0, 0, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_row_range(NULL, 0, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_rows_where(NULL, NULL, 0, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_rows(NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_chosen_rows(NULL, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_put(NULL, NULL, QUIRE_FLOAT64, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_put_texts(NULL, NULL, NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_put_constant(NULL, NULL, QUIRE_FLOAT64, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_read(NULL, NULL, QUIRE_FLOAT64, 0, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_all(NULL, NULL, QUIRE_FLOAT64, 0, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_refuse_read_all(NULL, QUIRE_MEMORY, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_texts(NULL, NULL, 0, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_texts_all(NULL, NULL, 0, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_columns(NULL, 0, NULL, NULL, NULL));
}

static void refuses_other_null_files(context* test) {
  quire_file* const file = NULL;
  EXPECT_STATUS(QUIRE_USAGE, quire_read_columns_all(NULL, 0, NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_box(NULL, 0, NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_hyperslab(NULL, 0, NULL, NULL, NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_add_hyperslab(NULL, 0, NULL, NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_memory(NULL, 0, NULL, NULL, NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_add_memory(NULL, 0, NULL, NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_grid(NULL, NULL, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_coordinates(NULL, NULL, 0, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_group(NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_put_field(NULL, NULL, QUIRE_FLOAT64, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_extents(NULL, NULL, 0, NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_grid(NULL, NULL, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_coordinates(NULL, NULL, 0, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_field(NULL, NULL, QUIRE_FLOAT64, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_field_all(NULL, NULL, QUIRE_FLOAT64, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_define_attribute(NULL, NULL, QUIRE_FLOAT64, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_define_column(NULL, NULL, NULL, QUIRE_FLOAT64, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_define_field(NULL, NULL, QUIRE_FLOAT64, 0, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_declare_field(NULL, NULL, QUIRE_FLOAT64, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_chunk(NULL, NULL, QUIRE_FLOAT64, 0, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_agree_on_rows(NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_weigh_field(NULL, NULL, QUIRE_FLOAT64, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_open_step(NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_write_field(NULL, NULL, QUIRE_FLOAT64, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_declare_column(NULL, NULL, QUIRE_FLOAT64, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_declare_texts(NULL, NULL, 0, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_weigh_rows(NULL, 0, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_write_rows(NULL, 0, 0, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_put_elements(NULL, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_expansion(NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_expansion(NULL, NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_elements_all(NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_elements_info(NULL, NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_element_block(NULL, 0, NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_add_stream(NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_write_stream(NULL, 0, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_write_stream_together(NULL, 0, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_write_record(NULL, 0, 0, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_ensure_space(NULL, 0, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_space(NULL, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_stream_size(NULL, 0, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_count_streams(NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_find_streams_all(NULL, 0, NULL, QUIRE_BY_RANK));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_stream_info(NULL, 0, NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_stream_chunk(NULL, 0, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_stream(NULL, 0, 0, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_record(NULL, 0, 0, NULL, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_make_disjoint(NULL, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_require_disjoint(NULL, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_grid_part(NULL, 0, NULL, NULL, NULL, QUIRE_NATURAL));
  EXPECT_STATUS(QUIRE_USAGE, quire_check(NULL, NULL, 0));
}

static void refuses_null_results(context* test) {
  quire_file* const file = NULL;
  EXPECT_STATUS(QUIRE_USAGE, quire_create(test->path, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_write_file(test->path, 0, NULL, NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_append(test->path, NULL, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_open(test->path, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_repair(test->path, 0, NULL, NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_lock(test->path, NULL, NULL));
#ifdef QUIRE_TESTS_WITH_MPI
  EXPECT_STATUS(QUIRE_USAGE, quire_create_mpi(test->path, MPI_COMM_WORLD, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_write_file_mpi(test->path, 0, NULL, NULL, MPI_COMM_WORLD, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_append_mpi(test->path, NULL, 0, MPI_COMM_WORLD, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_open_mpi(test->path, MPI_COMM_WORLD, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_repair_mpi(test->path, 0, NULL, MPI_COMM_WORLD, NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_lock_mpi(test->path, MPI_COMM_WORLD, NULL, NULL));
#endif
  EXPECT_TRUE(quire_error_message(NULL)[0] != 0 && quire_weighs_values(NULL) == 0);
  quire_free(NULL);
}

/* Files that are open for the other purpose, and closed ones. */
static void refuses_other_purposes(context* test) {
  quire_file* file = create_step(test);
  uint64_t count = 0;
  quire_texts* texts = NULL;
  EXPECT_STATUS(QUIRE_USAGE, quire_step_at(file, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_steps(file, 0, NULL, &count));
  EXPECT_STATUS(QUIRE_USAGE, quire_count_streams(file, &count));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_texts(file, "x", 0, 1, &texts));
  EXPECT_STATUS(QUIRE_USAGE, quire_check(file, &(quire_check_report){0}, sizeof(quire_check_report)));
  EXPECT_OK(quire_abort(file, NULL));
  EXPECT_OK(quire_close(file));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_stride(file, 8));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_title(file, "a", "b"));
  quire_free(file);
}

static void run(context* test) {
  refuses_null_results(test);
  refuses_other_purposes(test);
}

void refuses_null_handles(context* test) {
  refuses_null_files(test);
  refuses_other_null_files(test);
  for_formats(test, "nulls", quire_format_holds_tables, run);
}
