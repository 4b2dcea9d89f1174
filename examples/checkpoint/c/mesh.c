#include "mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* const names[variables] = {"u", "v", "w", "p"};
static const char* const bases[kinds][directions] = {{"Modified_A", "Modified_B", "Modified_C"},
                                                     {"GLL_Lagrange", "GLL_Lagrange", "GLL_Lagrange"},
                                                     {"Modified_A", "Modified_B", "Fourier"}};
static const uint64_t hexahedron_modes[directions] = {4, 4, 4};
static const uint64_t triangle_modes[directions] = {3, 4, 2};
static const uint64_t planes[2] = {0, 1};

/* The elements of one kind. */
typedef struct block {
  quire_expansion expansion;
  uint32_t* ids;
  uint64_t* counts; /* coefficients of each element */
  uint32_t* orders; /* of tetrahedra, the modes in every direction */
  double* values[variables];
  const uint32_t* modes[directions];
  const double* shown[variables];
  quire_element_part part;
} block;

struct mesh {
  double length;
  block blocks[kinds];
};

static uint64_t order_of(uint32_t id) { return 3 + id / kinds % 4; }

static double value_of(uint64_t variable, uint32_t id, uint64_t coefficient, double time) {
  return sin(time + (double)id) * (double)(variable + 1) + (double)coefficient / 64;
}

/* The kind of an element is its id modulo 3. */
static quire_expansion expansion_of(uint32_t kind, const double* length) {
  static const char* const shapes[kinds] = {"Tetrahedron", "Hexahedron", "Triangle"};
  quire_expansion expansion = quire_default_expansion();
  expansion.shape = shapes[kind];
  expansion.directions = directions;
  expansion.basis = bases[kind];
  if (kind == 1) expansion.modes = hexahedron_modes; /* those of tetrahedra: each element has its own */
  if (kind == 2) {
    expansion.modes = triangle_modes;
    expansion.homogeneous = 1;
    expansion.lengths = length;
    expansion.z_planes = 2;
    expansion.z_ids = planes;
  }
  return expansion;
}

static void add_element(block* of, uint32_t id) {
  const uint64_t order = order_of(id);
  const uint64_t own[directions] = {order, order, order};
  quire_element_part* part = &of->part;
  const uint64_t place = part->elements++;
  of->ids[place] = id;
  of->orders[place] = (uint32_t)order;
  quire_get_element_coefficients(&of->expansion, directions, of->expansion.modes != NULL ? of->expansion.modes : own,
                                 &of->counts[place]);
  part->coefficients += of->counts[place];
}

static void describe_part(block* of) {
  quire_element_part* part = &of->part;
  part->expansion = &of->expansion;
  part->ids = of->ids;
  for (int d = 0; d < directions; ++d) of->modes[d] = of->orders;
  if (of->expansion.modes == NULL) part->modes = of->modes;
  part->variables = variables;
  part->names = names;
  part->values = of->shown;
  for (int v = 0; v < variables; ++v) {
    of->values[v] = malloc((part->coefficients + 1) * sizeof(double));
    of->shown[v] = of->values[v];
  }
}

mesh* new_mesh(uint32_t elements, int rank, int size) {
  const uint32_t owners = size > 1 ? (uint32_t)size - 1 : 1;
  mesh* mine = calloc(1, sizeof *mine);
  mine->length = 2 * acos(-1.0);
  for (uint32_t kind = 0; kind < kinds; ++kind) {
    block* of = &mine->blocks[kind];
    of->expansion = expansion_of(kind, &mine->length);
    of->part = quire_default_element_part();
    of->ids = malloc((elements + 1) * sizeof *of->ids);
    of->counts = malloc((elements + 1) * sizeof *of->counts);
    of->orders = malloc((elements + 1) * sizeof *of->orders);
    for (uint32_t id = kind; id < elements; id += kinds) {
      if (id / kinds * 7 % owners == (uint32_t)rank) add_element(of, id);
    }
    describe_part(of);
  }
  return mine;
}

void free_mesh(mesh* mine) {
  for (int kind = 0; kind < kinds; ++kind) {
    block* of = &mine->blocks[kind];
    free(of->ids);
    free(of->counts);
    free(of->orders);
    for (int v = 0; v < variables; ++v) free(of->values[v]);
  }
  free(mine);
}

void advance_mesh(mesh* mine, double time) {
  for (int kind = 0; kind < kinds; ++kind) {
    block* of = &mine->blocks[kind];
    for (int v = 0; v < variables; ++v) {
      double* next = of->values[v];
      for (uint64_t i = 0; i < of->part.elements; ++i) {
        for (uint64_t k = 0; k < of->counts[i]; ++k) *next++ = value_of((uint64_t)v, of->ids[i], k, time);
      }
    }
  }
}

uint64_t parts_of_mesh(const mesh* mine, const quire_element_part** parts) {
  uint64_t count = 0;
  for (int kind = 0; kind < kinds; ++kind) {
    if (mine->blocks[kind].part.elements > 0) parts[count++] = &mine->blocks[kind].part;
  }
  return count;
}

static uint64_t variable_of(const char* name) {
  for (uint64_t v = 0; v < variables; ++v) {
    if (strcmp(names[v], name) == 0) return v;
  }
  return variables;
}

uint64_t right_elements(const quire_element_block* found, double time) {
  uint64_t right = 0;
  for (uint64_t i = 0; i < found->elements; ++i) {
    int is_right = 1;
    for (uint64_t v = 0; v < found->variables; ++v) {
      const uint64_t variable = variable_of(found->names[v]);
      for (uint64_t k = found->offsets[i]; k < found->offsets[i + 1]; ++k) {
        is_right &= found->values[v][k] == value_of(variable, found->ids[i], k - found->offsets[i], time);
      }
    }
    right += (uint64_t)is_right;
  }
  return right;
}
