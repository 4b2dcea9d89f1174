/* The elements of one rank, as in ../mesh.hpp: tetrahedra whose orders differ, hexahedra, and triangles of two planes.
 */

#ifndef CHECKPOINT_MESH_H
#define CHECKPOINT_MESH_H

#include <stdint.h>

#include "quire/quire.h"

enum { kinds = 3, variables = 4, directions = 3 };

typedef struct mesh mesh;

/* The part of a rank of a mesh of so many elements; the last of several ranks has none. */
mesh* new_mesh(uint32_t elements, int rank, int size);
void free_mesh(mesh* mine);

/* Computes the coefficients at a time. */
void advance_mesh(mesh* mine, double time);

/* What is put; refers to the memory of the mesh. Returns the number of parts. */
uint64_t parts_of_mesh(const mesh* mine, const quire_element_part** parts);

/* How many elements of a block have exactly the coefficients that they should have at this time. */
uint64_t right_elements(const quire_element_block* block, double time);

#endif
