/* Fields that are larger than memory: declared, weighed if the file requires it, and written box by box. */

#include <string.h>

#include "context.h"

enum { layers_per_rank = 3, rows = 4, columns = 5, of_layer = rows * columns, axes = 3, components = 3 };

typedef struct layer {
  double phi[of_layer];
  float e[components][of_layer];
} layer;

/* Every value is a function of its place. */
static void fill(layer* values, uint64_t number) {
  for (int i = 0; i < of_layer; ++i) {
    values->phi[i] = 100.0 * (double)number + i;
    for (int c = 0; c < components; ++c) values->e[c][i] = (float)(c + 1) + 0.5F * (float)i;
  }
}

static uint64_t first_layer(const context* test) { return (uint64_t)(layers_per_rank * test->rank); }

static void set_box(context* test, quire_file* file, uint64_t first, uint64_t count) {
  const uint64_t start[axes] = {first, 0, 0};
  const uint64_t counts[axes] = {count, rows, columns};
  expect_status(test, quire_set_box(file, axes, NULL, start, counts), QUIRE_OK, file, __LINE__);
}

/* Both fields, each rank with its layers. */
static void declare(context* test, quire_file* file) {
  const uint64_t extents[axes] = {(uint64_t)(layers_per_rank * test->size), rows, columns};
  const uint64_t start[axes] = {first_layer(test), 0, 0};
  const uint64_t count[axes] = {layers_per_rank, rows, columns};
  expect_status(test, quire_step(file, 0), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_set_box(file, axes, extents, start, count), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_declare_field(file, "phi", QUIRE_FLOAT64, 1, "V"), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_declare_field(file, "E", QUIRE_FLOAT32, components, "V/m"), QUIRE_OK, file, __LINE__);
}

typedef quire_status (*give_part)(quire_file* file, const char* field, quire_type type, uint64_t components,
                                  const void* const* values);

/* All layers of this rank but the last `without` ones, one by one: memory is released after each of them. */
static void give_parts(context* test, quire_file* file, give_part give, int without) {
  layer values;
  for (int is_vector = 0; is_vector <= 1; ++is_vector) {
    const void* const parts[components] = {is_vector ? (void*)values.e[0] : values.phi, values.e[1], values.e[2]};
    for (uint64_t i = 0; i < (uint64_t)(layers_per_rank - without); ++i) {
      fill(&values, first_layer(test) + i);
      set_box(test, file, first_layer(test) + i, 1);
      const quire_status status =
          is_vector ? give(file, "E", QUIRE_FLOAT32, components, parts) : give(file, "phi", QUIRE_FLOAT64, 1, parts);
      expect_status(test, status, QUIRE_OK, file, __LINE__);
      memset(&values, 0, sizeof values);
    }
  }
}

static void open_for_parts(context* test, quire_file* file) {
  declare(test, file);
  expect_status(test, quire_agree_on_rows(file), QUIRE_OK, file, __LINE__);
  if (quire_weighs_values(file)) give_parts(test, file, quire_weigh_field, 0);
  expect_status(test, quire_open_step(file), QUIRE_OK, file, __LINE__);
}

static int is_last(const context* test) { return test->rank == test->size - 1; }

/* A field without a box or extents is refused. */
static void refuses_declarations(context* test, quire_file* file) {
  expect_status(test, quire_agree_on_rows(file), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_open_step(file), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_declare_field(file, "phi", QUIRE_FLOAT64, 1, "V"), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_step(file, 0), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_declare_field(file, "phi", QUIRE_FLOAT64, 1, "V"), QUIRE_USAGE, file, __LINE__);
  set_box(test, file, first_layer(test), 1);
  expect_status(test, quire_declare_field(file, "phi", QUIRE_FLOAT64, 1, "V"), QUIRE_USAGE, file, __LINE__);
  expect(test, strstr(quire_error_message(file), "extents") != NULL, __LINE__,
         "the message does not mention the extents");
  expect_status(test, quire_abort(file, "no extents"), QUIRE_OK, file, __LINE__);
}

/* More components than fit into memory end the step, instead of being ignored. */
static void refuses_without_memory(context* test, quire_file* file) {
  declare(test, file);
  const quire_status status = quire_declare_field(file, "large", QUIRE_FLOAT64, UINT64_MAX / 4, "V");
  expect(test, status != QUIRE_OK, __LINE__, "too many components were accepted");
  expect_status(test, quire_open_step(file), status, file, __LINE__);
  expect_status(test, quire_commit(file), QUIRE_USAGE, file, __LINE__);
}

/* A rank that cannot continue ends the step on all ranks at the next collective; the next step succeeds. */
static void leaves_before_it_is_placed(context* test, quire_file* file) {
  declare(test, file);
  if (is_last(test)) {
    expect_status(test, quire_declare_field(file, NULL, QUIRE_FLOAT64, 1, ""), QUIRE_USAGE, file, __LINE__);
    expect_status(test, quire_agree_on_rows(file), QUIRE_USAGE, file, __LINE__);
  } else {
    /* If nothing is agreed on, there is no collective before the step is placed. */
    quire_status status = quire_agree_on_rows(file);
    if (status == QUIRE_OK && quire_weighs_values(file)) give_parts(test, file, quire_weigh_field, 0);
    if (status == QUIRE_OK) status = quire_open_step(file);
    expect_status(test, status, QUIRE_ABORTED, file, __LINE__);
  }
  expect(test, strstr(quire_error_message(file), "null pointer") != NULL, __LINE__, "the reason is not reported");
  expect_status(test, quire_commit(file), QUIRE_USAGE, file, __LINE__);

  declare(test, file);
  expect_status(test, quire_agree_on_rows(file), QUIRE_OK, file, __LINE__);
  if (quire_weighs_values(file)) give_parts(test, file, quire_weigh_field, 0);
  if (is_last(test)) expect_status(test, quire_set_box(file, 1, NULL, NULL, NULL), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_open_step(file), is_last(test) ? QUIRE_USAGE : QUIRE_ABORTED, file, __LINE__);
}

static void leaves_a_placed_step(context* test, quire_file* file) {
  const quire_status expected = is_last(test) ? QUIRE_USAGE : QUIRE_ABORTED;
  open_for_parts(test, file);
  give_parts(test, file, quire_write_field, is_last(test) ? 1 : 0);
  expect_status(test, quire_commit(file), QUIRE_USAGE, file, __LINE__);
  expect(test, strstr(quire_error_message(file), "not all elements") != NULL, __LINE__,
         "the missing elements are not reported");

  open_for_parts(test, file);
  give_parts(test, file, quire_write_field, 0);
  if (is_last(test)) {
    expect_status(test, quire_write_field(file, "phi", QUIRE_FLOAT64, 1, NULL), QUIRE_USAGE, file, __LINE__);
  }
  expect_status(test, quire_commit(file), expected, file, __LINE__);

  open_for_parts(test, file);
  give_parts(test, file, quire_write_field, 0);
  expect_status(test, is_last(test) ? quire_open_step(file) : quire_commit(file), expected, file, __LINE__);
  expect_status(test, quire_commit(file), QUIRE_USAGE, file, __LINE__);
}

static void returns_chunks(context* test, quire_file* file) {
  const uint64_t extents[axes] = {(uint64_t)(layers_per_rank * test->size), rows, columns};
  uint64_t shape[axes] = {9, 9, 9};
  expect_status(test, quire_get_chunk(file, "phi", QUIRE_FLOAT64, 1, axes, extents, shape), QUIRE_USAGE, file,
                __LINE__);
  expect_status(test, quire_step(file, 0), QUIRE_OK, file, __LINE__);
  expect_status(test, quire_get_chunk(file, "phi", QUIRE_FLOAT64, 1, axes, extents, NULL), QUIRE_USAGE, file, __LINE__);
  expect_status(test, quire_get_chunk(file, "phi", QUIRE_FLOAT64, 1, axes, extents, shape), QUIRE_OK, file, __LINE__);
  const uint64_t edge = shape[0];
  expect(test, edge == 0 || edge == 2, __LINE__, "not the requested chunk");
  expect(test, shape[1] == edge && shape[2] == edge, __LINE__, "a chunk of other edges");
  test->chunked += edge == 2 && quire_weighs_values(file);
  /* Queries do not affect the step. */
  expect_status(test, quire_abort(file, "only asked"), QUIRE_OK, file, __LINE__);
}

/* Some formats have a field of its own for each component. */
static void read_vector(context* test, quire_file* file, float e[components][of_layer]) {
  void* const vector[components] = {e[0], e[1], e[2]};
  if (quire_get_extents(file, "E", axes, (uint64_t[axes]){0}, NULL, NULL) == QUIRE_OK) {
    expect_status(test, quire_read_field(file, "E", QUIRE_FLOAT32, components, vector), QUIRE_OK, file, __LINE__);
    return;
  }
  for (int c = 0; c < components; ++c) {
    const char name[] = {'E', '[', (char)('0' + c), ']', 0};
    expect_status(test, quire_read_field(file, name, QUIRE_FLOAT32, 1, &vector[c]), QUIRE_OK, file, __LINE__);
  }
}

static void reads_parts(context* test) {
  quire_file* file = NULL;
  layer values;
  double phi[of_layer];
  float e[components][of_layer];
  void* const scalar[1] = {phi};
  expect_status(test, open_file(test->path, &file), QUIRE_OK, file, __LINE__);
  expect(test, quire_weighs_values(file) == 0, __LINE__, "a reader weighs values");
  expect_status(test, quire_step(file, 0), QUIRE_OK, file, __LINE__);
  for (uint64_t number = 0; number < (uint64_t)(layers_per_rank * test->size); ++number) {
    fill(&values, number);
    set_box(test, file, number, 1);
    expect_status(test, quire_read_field(file, "phi", QUIRE_FLOAT64, 1, scalar), QUIRE_OK, file, __LINE__);
    read_vector(test, file, e);
    expect(test, memcmp(phi, values.phi, sizeof phi) == 0, __LINE__, "wrong values of a part");
    expect(test, memcmp(e, values.e, sizeof e) == 0, __LINE__, "wrong values of a part of a vector field");
  }
  close_and_free(test, file);
}

static void writes_parts_of(context* test, const char* const* settings) {
  quire_file* file = NULL;
  const quire_status status = create_with(test, settings, &file);
  if (status != QUIRE_OK) {
    /* The format has other options. */
    expect_status(test, status, QUIRE_USAGE, file, __LINE__);
    quire_free(file);
    return;
  }
  test->weighing += quire_weighs_values(file);
  returns_chunks(test, file);
  refuses_declarations(test, file);
  refuses_without_memory(test, file);
  leaves_before_it_is_placed(test, file);
  leaves_a_placed_step(test, file);
  open_for_parts(test, file);
  give_parts(test, file, quire_write_field, 0);
  expect_status(test, quire_commit(file), QUIRE_OK, file, __LINE__);
  close_and_free(test, file);
  reads_parts(test);
}

void writes_fields_in_parts(context* test) {
  const char* const text[] = {"mode=ascii", NULL};
  const char* const chunks[] = {"field_chunk=2", "filter=deflate", NULL};
  writes_parts_of(test, NULL);
  writes_parts_of(test, text);
  writes_parts_of(test, chunks);
}
