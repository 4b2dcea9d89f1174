/* Parts of tables and fields: rows, conditions, hyperslabs in the file and in memory, distances in memory. */

#include <string.h>

#include "calls.h"

enum { rows = 4, edge = 4, halo = 1, around = edge + 2 * halo };

typedef struct particle {
  double x;
  int32_t id;
  int32_t charge;
} particle;

/* Particles as an array of structures, with the same charge, in two tables where the format has several. */
static int put_particles(context* test, particle* particles) {
  quire_file* file = create_step(test);
  const int32_t mass = 7;
  for (int i = 0; i < rows; ++i) {
    particles[i].id = rows * test->rank + i;
    particles[i].x = 0.5 * particles[i].id;
    particles[i].charge = -1;
  }
  EXPECT_OK(quire_set_rows(file, rows));
  EXPECT_OK(quire_set_stride(file, sizeof(particle)));
  EXPECT_OK(quire_put(file, "x", QUIRE_FLOAT64, &particles[0].x, "m"));
  EXPECT_OK(quire_put(file, "id", QUIRE_INT32, &particles[0].id, NULL));
  EXPECT_OK(quire_put_constant(file, "mass", QUIRE_INT32, &mass, "u"));
  EXPECT_STATUS(QUIRE_OK, quire_set_stride(file, 0));
  return commit_and_close(test, file, __LINE__);
}

static void reads_several_columns(context* test, quire_file* file) {
  const char* const names[2] = {"id", "x"};
  const quire_type types[2] = {QUIRE_INT32, QUIRE_FLOAT64};
  particle read[rows];
  void* const values[2] = {&read[0].id, &read[0].x};
  const uint64_t list[3] = {3, 0, 3};
  uint64_t numbers[8] = {0};
  uint64_t count = 0;
  const int is_last = test->rank == test->size - 1;
  EXPECT_STATUS(QUIRE_USAGE, quire_read_columns(file, 2, names, types, values)); /* no rows were chosen */
  EXPECT_STATUS(QUIRE_USAGE, quire_get_chosen_rows(file, 0, NULL, &count));
  EXPECT_OK(quire_set_stride(file, sizeof(particle)));
  EXPECT_OK(quire_set_row_list(file, 3, list, NULL));
  EXPECT_OK(quire_read_columns(file, 2, names, types, values));
  EXPECT_TRUE(read[0].id == 3 && read[1].id == 0 && read[2].id == 3 && read[2].x == 1.5);
  EXPECT_OK(quire_get_chosen_rows(file, 8, numbers, &count));
  EXPECT_TRUE(count == 3 && numbers[0] == 3 && numbers[1] == 0);
  EXPECT_OK(quire_set_row_blocks(file, 0, 2, 2, 1, NULL));
  EXPECT_OK(quire_read_columns_all(file, 2, names, types, values));
  EXPECT_TRUE(read[1].id == 2 && read[1].x == 1);
  EXPECT_OK(quire_get_chosen_rows(file, 8, numbers, &count));
  EXPECT_TRUE(count == 2 && numbers[1] == 2);
  EXPECT_OK(quire_set_row_range(file, 1, 2, NULL));
  EXPECT_OK(quire_read_columns(file, 2, names, types, values));
  EXPECT_TRUE(read[0].id == 1 && read[1].id == 2);
  EXPECT_STATUS(QUIRE_USAGE, quire_read_columns_all(file, 2, names, is_last ? NULL : types, values));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_columns_all(file, 2, is_last ? NULL : names, types, values));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_columns_all(file, 2, names, types, is_last ? NULL : values));
  if (is_last) EXPECT_STATUS(QUIRE_USAGE, quire_set_row_list(file, 1, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_columns_all(file, 2, names, types, values));
  EXPECT_OK(quire_set_stride(file, 0));
}

static void reads_rows_where(context* test, quire_file* file) {
  const uint64_t all = (uint64_t)(rows * test->size);
  const char* const names[1] = {"x"};
  const quire_type types[1] = {QUIRE_FLOAT64};
  double x[rows] = {0};
  void* const values[1] = {x};
  uint64_t count = 0;
  EXPECT_OK(quire_set_rows_where(file, "id >= 1 and id < 4 and mass == 7", 0, all));
  EXPECT_OK(quire_get_chosen_rows(file, 0, NULL, &count));
  EXPECT_TRUE(count == 3);
  EXPECT_OK(quire_read_columns(file, 1, names, types, values));
  EXPECT_TRUE(x[0] == 0.5 && x[2] == 1.5);
  EXPECT_STATUS(QUIRE_USAGE, quire_get_chosen_rows(file, 1, NULL, &count));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_chosen_rows(file, 0, NULL, NULL));
  EXPECT_STATUS(QUIRE_MISSING, quire_set_rows_where(file, "absent > 1", 0, all));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_rows_where(file, "id >", 0, all));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_rows_where(file, NULL, 0, all));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_rows_where(file, "id > 1", 1, all));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_columns(file, 1, names, types, values));
}

static void reads_constants(context* test, quire_file* file) {
  int32_t mass[2] = {0};
  uint64_t count = 0;
  quire_info info;
  EXPECT_OK(quire_read(file, "mass", QUIRE_INT32, 1, 2, mass));
  EXPECT_TRUE(mass[0] == 7 && mass[1] == 7);
  EXPECT_OK(quire_get_count(file, QUIRE_CONSTANTS, &count));
  if (count == 0) return;
  ++test->with_constants;
  EXPECT_OK(quire_get_info(file, QUIRE_CONSTANTS, "mass", &info, sizeof info));
  EXPECT_TRUE(info.count == 1 && info.type == QUIRE_INT32);
}

static void selects_rows(context* test) {
  particle particles[rows];
  EXPECT_TRUE(put_particles(test, particles));
  quire_file* file = open_step(test);
  reads_several_columns(test, file);
  reads_rows_where(test, file);
  reads_constants(test, file);
  close_and_free(test, file);
}

/* A block of a field for each rank, in memory with ghost cells; all blocks along the first axis. */
static double value_at(uint64_t i, uint64_t j) { return 100.0 * (double)i + (double)j; }

static int put_with_halo(context* test, const uint64_t* extents) {
  quire_file* file = create_step(test);
  double memory[around][around];
  const void* const component[1] = {memory};
  const uint64_t grid[2] = {(uint64_t)test->size, 1};
  const uint64_t block[2] = {edge, edge};
  const uint64_t ghosts[2] = {halo, halo};
  const double coordinates[edge] = {0, 1, 3, 7};
  for (uint64_t i = 0; i < around; ++i) {
    for (uint64_t j = 0; j < around; ++j) {
      const int is_ghost = i < halo || j < halo || i >= halo + edge || j >= halo + edge;
      memory[i][j] = is_ghost ? -1 : value_at((uint64_t)(edge * test->rank) + i - halo, j - halo);
    }
  }
  EXPECT_OK(quire_set_grid_part(file, 2, grid, block, ghosts, QUIRE_NATURAL));
  EXPECT_OK(quire_put_field(file, "phi", QUIRE_FLOAT64, 1, component, "V"));
  /* The same by hand, for every second column of another field. */
  const uint64_t start[2] = {(uint64_t)(edge * test->rank), 0};
  const uint64_t stride[2] = {1, 2};
  const uint64_t count[2] = {edge, edge / 2};
  const uint64_t of_memory[2] = {around, around};
  const uint64_t inside[2] = {halo, halo};
  EXPECT_OK(quire_set_hyperslab(file, 2, extents, start, stride, count, NULL));
  EXPECT_OK(quire_set_memory(file, 2, of_memory, inside, stride, count, NULL));
  EXPECT_OK(quire_set_coordinates(file, "psi", 1, edge, coordinates));
  EXPECT_OK(quire_set_group(file, "psi", "waves"));
  EXPECT_OK(quire_put_field(file, "psi", QUIRE_FLOAT64, 1, component, "V"));
  return commit_and_close(test, file, __LINE__);
}

static void reads_hyperslabs(context* test, quire_file* file) {
  const uint64_t corner[2] = {0, 0};
  const uint64_t stride[2] = {2, 3};
  const uint64_t count[2] = {2, 1};
  const uint64_t block[2] = {1, 2};
  double packed[6] = {0};
  void* const values[1] = {packed};
  EXPECT_OK(quire_set_hyperslab(file, 2, NULL, corner, stride, count, block));
  EXPECT_OK(quire_read_field(file, "phi", QUIRE_FLOAT64, 1, values));
  EXPECT_TRUE(packed[0] == value_at(0, 0) && packed[1] == value_at(0, 1) && packed[2] == value_at(2, 0));
  /* Two more elements, which come first in the C order of the row. */
  const uint64_t more[2] = {0, 2};
  const uint64_t pair[2] = {1, 2};
  EXPECT_OK(quire_add_hyperslab(file, 2, more, NULL, pair, NULL));
  EXPECT_OK(quire_read_field_all(file, "phi", QUIRE_FLOAT64, 1, values));
  EXPECT_TRUE(packed[2] == value_at(0, 2) && packed[3] == value_at(0, 3) && packed[5] == value_at(2, 1));
}

static void reads_into_places(context* test, quire_file* file) {
  double memory[3][4];
  void* const values[1] = {memory};
  const uint64_t start[2] = {1, 1};
  const uint64_t count[2] = {2, 2};
  const uint64_t extents[2] = {3, 4};
  const uint64_t first[2] = {0, 0};
  const uint64_t second[2] = {2, 3};
  const uint64_t two[2] = {1, 2};
  const uint64_t one[2] = {1, 1};
  memset(memory, 0, sizeof memory);
  EXPECT_OK(quire_set_box(file, 2, NULL, start, count));
  EXPECT_OK(quire_set_memory(file, 2, extents, first, NULL, two, NULL));
  EXPECT_OK(quire_add_memory(file, 2, second, NULL, one, NULL));
  /* One element fewer than the box. */
  EXPECT_STATUS(QUIRE_USAGE, quire_read_field(file, "phi", QUIRE_FLOAT64, 1, values));
  const uint64_t before[2] = {2, 0};
  EXPECT_OK(quire_add_memory(file, 2, before, NULL, one, NULL));
  EXPECT_OK(quire_read_field(file, "phi", QUIRE_FLOAT64, 1, values));
  EXPECT_TRUE(memory[0][0] == value_at(1, 1) && memory[0][1] == value_at(1, 2));
  EXPECT_TRUE(memory[2][0] == value_at(2, 1) && memory[2][3] == value_at(2, 2) && memory[1][1] == 0);
  EXPECT_OK(quire_set_memory(file, 0, NULL, NULL, NULL, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_add_memory(file, 2, second, NULL, one, NULL));
  /* Every second value in memory. */
  EXPECT_OK(quire_set_stride(file, 2 * sizeof(double)));
  EXPECT_OK(quire_read_field(file, "phi", QUIRE_FLOAT64, 1, values));
  EXPECT_TRUE(memory[0][2] == value_at(1, 2) && memory[1][2] == value_at(2, 2));
  EXPECT_OK(quire_set_stride(file, 0));
}

static void refuses_wrong_selections(context* test, quire_file* file) {
  const uint64_t one[2] = {1, 1};
  double value = 0;
  void* const values[1] = {&value};
  const int is_last = test->rank == test->size - 1;
  EXPECT_STATUS(QUIRE_USAGE, quire_set_hyperslab(file, 2, NULL, NULL, NULL, one, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_add_hyperslab(file, 2, one, NULL, one, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_memory(file, 2, one, one, NULL, one, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_field(file, "phi", QUIRE_FLOAT64, 1, values));
  EXPECT_OK(quire_set_box(file, 2, NULL, one, one));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_memory(file, 2, NULL, one, NULL, one, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_field_all(file, "phi", QUIRE_FLOAT64, 1, is_last ? NULL : values));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_field_all(file, is_last ? NULL : "phi", QUIRE_FLOAT64, 1, values));
  EXPECT_STATUS(QUIRE_USAGE, quire_read_field_all(file, "phi", is_last ? (quire_type)99 : QUIRE_FLOAT64, 1, values));
  EXPECT_OK(quire_read_field_all(file, "phi", QUIRE_FLOAT64, 1, values));
}

static void selects_elements(context* test) {
  const uint64_t extents[2] = {(uint64_t)(edge * test->size), edge};
  if (!put_with_halo(test, extents)) return;
  quire_info info;
  double coordinates[edge] = {0};
  uint64_t count = 0;
  const char* psi = NULL;
  quire_file* file = open_step(test);
  /* Some formats give every field three axes, some have the group in the name. */
  if (!has_two_axes(file, "phi")) {
    close_and_free(test, file);
    return;
  }
  for (uint64_t i = 0; psi == NULL || strstr(psi, "psi") == NULL; ++i) {
    EXPECT_OK(quire_get_name(file, QUIRE_FIELDS, i, &psi));
  }
  reads_hyperslabs(test, file);
  reads_into_places(test, file);
  refuses_wrong_selections(test, file);
  double row[edge] = {-1, -1, -1, -1};
  void* const values[1] = {row};
  const uint64_t start[2] = {extents[0] - 1, 0};
  const uint64_t box[2] = {1, edge};
  EXPECT_OK(quire_set_box(file, 2, NULL, start, box));
  EXPECT_OK(quire_read_field_all(file, psi, QUIRE_FLOAT64, 1, values));
  EXPECT_TRUE(row[0] == value_at(start[0], 0) && row[1] == 0 && row[2] == value_at(start[0], 2) && row[3] == 0);
  EXPECT_OK(quire_get_info(file, QUIRE_FIELDS, psi, &info, sizeof info));
  test->with_groups += strcmp(info.group, "waves") == 0;
  EXPECT_OK(quire_get_coordinates(file, psi, 1, edge, coordinates, &count));
  test->with_coordinates += count == edge && coordinates[3] == 7;
  if (count > 0) EXPECT_STATUS(QUIRE_USAGE, quire_get_coordinates(file, psi, 1, 1, coordinates, &count));
  ++test->with_hyperslabs;
  close_and_free(test, file);
}

void selects_rows_and_elements(context* test) {
  for_formats(test, "rows", quire_format_holds_tables, selects_rows);
  for_formats(test, "slabs", quire_format_holds_tables, selects_elements);
  EXPECT_TRUE(test->with_constants > 0 && test->with_hyperslabs > 0);
  EXPECT_TRUE(test->with_groups > 0 && test->with_coordinates > 0);
}
