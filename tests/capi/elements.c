/* Elements of a mesh with their coefficients. */

#include <string.h>

#include "calls.h"

enum {
  elements = 3,
  directions = 3,
  coefficients_per_element = 8,
  all_coefficients = elements * coefficients_per_element
};

static const char* const hexahedron_basis[directions] = {"GLL_Lagrange", "GLL_Lagrange", "GLL_Lagrange"};
static const char* const tetrahedron_basis[directions] = {"Modified_A", "Modified_B", "Modified_C"};
static const uint64_t hexahedron_modes[directions] = {2, 2, 2};
static const char* const variables[2] = {"u", "p"};

static int holds_elements(const char* format) {
  quire_format_info info;
  return quire_get_format_info(format, &info, sizeof info) == QUIRE_OK && info.holds_elements;
}

static double value_of(uint32_t id, int variable, int coefficient) {
  return 1000.0 * id + 100.0 * variable + coefficient;
}

static quire_expansion hexahedra(void) {
  quire_expansion expansion = quire_default_expansion();
  expansion.shape = "Hexahedron";
  expansion.directions = directions;
  expansion.basis = hexahedron_basis;
  expansion.modes = hexahedron_modes;
  return expansion;
}

/* Elements of orders of their own, which have 4 coefficients each. */
static quire_expansion tetrahedra(void) {
  quire_expansion expansion = quire_default_expansion();
  expansion.shape = "Tetrahedron";
  expansion.directions = directions;
  expansion.basis = tetrahedron_basis;
  return expansion;
}

typedef struct values {
  uint32_t ids[elements];
  double of[2][all_coefficients];
} values;

static void fill(values* mine, uint32_t first_id, int per_element) {
  for (uint32_t i = 0; i < elements; ++i) {
    mine->ids[i] = first_id + i;
    for (int v = 0; v < 2; ++v) {
      for (int k = 0; k < per_element; ++k) mine->of[v][per_element * (int)i + k] = value_of(first_id + i, v, k);
    }
  }
}

/* Every rank has hexahedra, the last one also tetrahedra. */
static void put_elements(context* test, quire_file* file, quire_layout* layout) {
  const int is_last = test->rank == test->size - 1;
  values cubes;
  values simplices;
  const quire_expansion cube = hexahedra();
  const quire_expansion simplex = tetrahedra();
  const uint32_t order[elements] = {2, 2, 2};
  const uint32_t* const modes[directions] = {order, order, order};
  const double* const of_cubes[2] = {cubes.of[0], cubes.of[1]};
  const double* const of_simplices[2] = {simplices.of[0], simplices.of[1]};
  quire_element_part parts[2] = {quire_default_element_part(), quire_default_element_part()};
  const quire_element_part* const pointers[2] = {&parts[0], &parts[1]};
  fill(&cubes, (uint32_t)(elements * test->rank), coefficients_per_element);
  fill(&simplices, (uint32_t)(elements * test->size), 4);
  for (int i = 0; i < 2; ++i) {
    parts[i].elements = elements;
    parts[i].variables = 2;
    parts[i].names = variables;
  }
  parts[0].expansion = &cube;
  parts[0].ids = cubes.ids;
  parts[0].coefficients = all_coefficients;
  parts[0].values = of_cubes;
  parts[1].expansion = &simplex;
  parts[1].ids = simplices.ids;
  parts[1].modes = modes;
  parts[1].coefficients = 4 * elements;
  parts[1].values = of_simplices;
  EXPECT_OK(quire_step(file, 0));
  EXPECT_OK(quire_put_elements(file, is_last ? 2 : 1, pointers, layout));
  EXPECT_OK(quire_commit(file));
}

static void checks_block(context* test, quire_file* file, uint64_t index) {
  quire_element_block block;
  EXPECT_OK(quire_get_element_block(file, index, &block, sizeof block));
  const int is_cube = strcmp(block.expansion->shape, "Hexahedron") == 0;
  EXPECT_TRUE(block.expansion->directions == directions && block.expansion->size == sizeof(quire_expansion));
  EXPECT_TRUE(block.expansion->modes != NULL || block.modes_count == directions * block.elements);
  for (uint64_t i = 0; i < block.elements; ++i) {
    EXPECT_TRUE(block.offsets[i + 1] - block.offsets[i] == (is_cube ? coefficients_per_element : 4));
    for (uint64_t v = 0; v < block.variables; ++v) {
      const int variable = strcmp(block.names[v], "p") == 0;
      for (uint64_t k = block.offsets[i]; k < block.offsets[i + 1]; ++k) {
        EXPECT_TRUE(block.values[v][k] == value_of(block.ids[i], variable, (int)(k - block.offsets[i])));
      }
    }
  }
}

static uint64_t reads(context* test, quire_file* file, const quire_element_request* request, uint64_t missing) {
  quire_elements_info info;
  quire_element_block block;
  uint64_t found = 0;
  EXPECT_OK(quire_read_elements_all(file, request));
  EXPECT_OK(quire_get_elements_info(file, &info, sizeof info));
  EXPECT_TRUE(info.missing == missing && info.repeated == 0);
  for (uint64_t i = 0; i < info.blocks; ++i) {
    checks_block(test, file, i);
    EXPECT_OK(quire_get_element_block(file, i, &block, sizeof block));
    found += block.elements;
  }
  EXPECT_STATUS(QUIRE_MISSING, quire_get_element_block(file, info.blocks, &block, sizeof block));
  return found;
}

static void reads_elements(context* test, quire_file* file) {
  const uint64_t all = (uint64_t)(elements * (test->size + 1));
  const uint32_t ids[3] = {(uint32_t)all - 1, 0, 99999};
  double weights[8] = {0};
  quire_elements_info info;
  quire_element_request request = quire_default_element_request();
  EXPECT_STATUS(QUIRE_USAGE, quire_get_elements_info(file, &info, sizeof info));
  request.partition = QUIRE_EVERYTHING;
  EXPECT_TRUE(reads(test, file, &request, 0) == all);
  request.partition = QUIRE_CONTIGUOUS;
  weights[0] = 1;
  request.ranks = (uint64_t)test->size;
  request.weights = weights;
  EXPECT_TRUE(reads(test, file, &request, 0) == (test->rank == 0 ? all : 0));
  request = quire_default_element_request();
  request.is_by_ids = 1;
  request.elements = 3;
  request.ids = ids;
  request.variables = 1;
  request.names = &variables[1];
  EXPECT_TRUE(reads(test, file, &request, 1) == 2);
  EXPECT_OK(quire_get_elements_info(file, &info, sizeof info));
  EXPECT_TRUE(info.missing_ids[0] == 99999);
}

static void refuses_wrong_requests(context* test, quire_file* file) {
  const int is_last = test->rank == test->size - 1;
  const char* const unknown[1] = {"q"};
  quire_element_request request = quire_default_element_request();
  request.variables = 1;
  request.names = unknown;
  EXPECT_STATUS(QUIRE_MISSING, quire_read_elements_all(file, &request));
  request = quire_default_element_request();
  request.partition = is_last ? (quire_partition)9 : QUIRE_EVERYTHING;
  EXPECT_STATUS(QUIRE_USAGE, quire_read_elements_all(file, &request));
  request = quire_default_element_request();
  request.elements = is_last ? 1 : 0;
  request.is_by_ids = 1;
  EXPECT_STATUS(QUIRE_USAGE, quire_read_elements_all(file, &request));
  request.size = is_last ? 0 : sizeof request;
  EXPECT_STATUS(QUIRE_USAGE, quire_read_elements_all(file, &request));
  request.size = 0;
  EXPECT_STATUS(QUIRE_USAGE, quire_read_elements_all(file, is_last ? &request : NULL));
}

static void inquires_expansions(context* test, quire_file* file) {
  quire_expansion expansion;
  quire_info info;
  const char* name = NULL;
  int found = 0;
  uint64_t tables = 0;
  EXPECT_OK(quire_get_count(file, QUIRE_TABLES, &tables));
  for (uint64_t i = 0; i < tables; ++i) {
    EXPECT_OK(quire_get_name(file, QUIRE_TABLES, i, &name));
    EXPECT_OK(quire_table(file, name));
    EXPECT_OK(quire_get_info(file, QUIRE_TABLES, name, &info, sizeof info));
    if (!info.is_expansion) {
      EXPECT_STATUS(QUIRE_MISSING, quire_get_expansion(file, &expansion, sizeof expansion));
      continue;
    }
    EXPECT_OK(quire_get_expansion(file, &expansion, sizeof expansion));
    EXPECT_TRUE(expansion.directions == directions && strlen(expansion.basis[0]) > 0 && strlen(expansion.elements) > 0);
    found += strcmp(expansion.shape, "Hexahedron") == 0 || strcmp(expansion.shape, "Tetrahedron") == 0;
  }
  EXPECT_TRUE(found >= 2);
}

/* Invalid parts on one rank are an error of the commit on all. */
static void refuses_wrong_parts(context* test) {
  const int is_last = test->rank == test->size - 1;
  quire_file* file = create_step(test);
  quire_element_part part = quire_default_element_part();
  const quire_element_part* const pointers[1] = {is_last ? &part : NULL};
  EXPECT_STATUS(is_last ? QUIRE_USAGE : QUIRE_OK, quire_put_elements(file, is_last ? 1 : 0, pointers, NULL));
  EXPECT_STATUS(is_last ? QUIRE_USAGE : QUIRE_ABORTED, quire_commit(file));
  EXPECT_OK(quire_step(file, 0));
  EXPECT_STATUS(QUIRE_USAGE, quire_put_elements(file, 1, NULL, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_set_expansion(file, NULL));
  EXPECT_OK(quire_abort(file, "only wrong calls"));
  close_and_free(test, file);
}

static void copies_expansions(context* test) {
  const quire_expansion cube = hexahedra();
  quire_file* file = create_step(test);
  EXPECT_OK(quire_table(file, "cubes"));
  EXPECT_OK(quire_set_expansion(file, &cube));
  EXPECT_OK(quire_abort(file, "only called"));
  close_and_free(test, file);
}

static void run(context* test) {
  quire_layout* layout = NULL;
  quire_file* file = NULL;
  EXPECT_OK(quire_new_layout(&layout));
  refuses_wrong_parts(test);
  copies_expansions(test);
  for (int checkpoint = 0; checkpoint < 2; ++checkpoint) {
    EXPECT_OK(create(test, &file));
    put_elements(test, file, layout);
    close_and_free(test, file);
  }
  EXPECT_TRUE(quire_count_distributions(layout) == 1 && quire_count_reused(layout) == 1);
  quire_free_layout(layout);
  file = open_step(test);
  reads_elements(test, file);
  refuses_wrong_requests(test, file);
  inquires_expansions(test, file);
  close_and_free(test, file);
  ++test->with_elements;
}

void writes_and_reads_elements(context* test) {
  quire_file* const file = NULL;
  const quire_expansion cube = hexahedra();
  uint64_t coefficients = 0;
  for_formats(test, "elements", holds_elements, run);
  EXPECT_TRUE(test->with_elements > 0);
  EXPECT_OK(quire_get_element_coefficients(&cube, directions, hexahedron_modes, &coefficients));
  EXPECT_TRUE(coefficients == coefficients_per_element);
  EXPECT_STATUS(QUIRE_USAGE, quire_get_element_coefficients(NULL, directions, hexahedron_modes, &coefficients));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_element_coefficients(&cube, directions, NULL, &coefficients));
  EXPECT_STATUS(QUIRE_USAGE, quire_get_element_coefficients(&cube, directions, hexahedron_modes, NULL));
  EXPECT_STATUS(QUIRE_USAGE, quire_new_layout(NULL));
  EXPECT_TRUE(quire_count_distributions(NULL) == 0 && quire_count_reused(NULL) == 0);
  quire_free_layout(NULL);
}
