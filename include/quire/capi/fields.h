#ifndef QUIRE_CAPI_FIELDS_H
#define QUIRE_CAPI_FIELDS_H

/* Fields of a step. All lists begin with the slowest axis. Programs include quire/quire.h. */

#include "quire/capi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Independent. This rank's box for the following calls for fields, until the next step. Memory holds just its elements
/// (quire_set_memory()).
/// @param axes length of the lists
/// @param extents of the whole field, the same on every rank; may be null for reading and for parts
/// @param start first element of this rank's box along each axis
/// @param count number of elements along each axis; when writing, boxes of different ranks are disjoint
QUIRE_EXPORT quire_status quire_set_box(quire_file* file, uint64_t axes, const uint64_t* extents, const uint64_t* start,
                                        const uint64_t* count);

/// Independent. The same for a hyperslab: along each axis `count` blocks of `block` elements, the first at `start`,
/// their beginnings `stride` elements apart. Parts of a field are boxes, never hyperslabs.
/// @param stride may be null: 1 along each axis
/// @param block may be null: 1 along each axis
QUIRE_EXPORT quire_status quire_set_hyperslab(quire_file* file, uint64_t axes, const uint64_t* extents,
                                              const uint64_t* start, const uint64_t* stride, const uint64_t* count,
                                              const uint64_t* block);

/// Independent. Adds a hyperslab to the selected elements, with which it has none in common. Elements are in the C
/// order of the field.
QUIRE_EXPORT quire_status quire_add_hyperslab(quire_file* file, uint64_t axes, const uint64_t* start,
                                              const uint64_t* stride, const uint64_t* count, const uint64_t* block);

/// Independent. The places of the elements in the caller's memory, if it is a larger array, with ghost cells for
/// instance: a hyperslab of it. Until the next box or hyperslab of the field.
/// @param axes of the array in memory, which may have others than the field; 0: memory holds just the elements
/// @param extents of the array in memory
QUIRE_EXPORT quire_status quire_set_memory(quire_file* file, uint64_t axes, const uint64_t* extents,
                                           const uint64_t* start, const uint64_t* stride, const uint64_t* count,
                                           const uint64_t* block);

/// Independent. Adds a hyperslab to the places in memory.
QUIRE_EXPORT quire_status quire_add_memory(quire_file* file, uint64_t axes, const uint64_t* start,
                                           const uint64_t* stride, const uint64_t* count, const uint64_t* block);

/// Independent, writing only. The positions of the elements of a field in space, before it is put or declared.
/// @param axes length of the lists: the axes of the field
/// @param origin the position of the first element; may be null
/// @param spacing the distance between neighbours; may be null
QUIRE_EXPORT quire_status quire_set_grid(quire_file* file, const char* field, uint64_t axes, const double* origin,
                                         const double* spacing);

/// Independent, writing only. The positions along an axis on which they are not equally spaced.
/// @param axis from 0 on, the slowest first
/// @param count of positions: the extent of the field along this axis
QUIRE_EXPORT quire_status quire_set_coordinates(quire_file* file, const char* field, uint64_t axis, uint64_t count,
                                                const double* coordinates);

/// Independent, writing only. The group of a field: fields of one group belong together.
QUIRE_EXPORT quire_status quire_set_group(quire_file* file, const char* field, const char* group);

/// Independent, writing only. This rank's box of a field, elements in C order (the last axis is the fastest). The
/// values must not change until quire_commit() or quire_abort() returns.
/// @param components number of arrays in `values`: 1 for a scalar field, 3 for a vector field
/// @param unit may be null
QUIRE_EXPORT quire_status quire_put_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                                          const void* const* values, const char* unit);

/// Independent, reading only. The extents of a field of the selected step, slowest axis first.
/// @param capacity number of elements of `extents`; too few is a usage error
/// @param axes receives the number of axes, also in that case; may be null
/// @param components receives the number of components of each element; may be null
QUIRE_EXPORT quire_status quire_get_extents(quire_file* file, const char* field, uint64_t capacity, uint64_t* extents,
                                            uint64_t* axes, uint64_t* components);

/// Independent, reading only. The positions of the elements of a field in space.
/// @param axes length of the lists: the axes of the field
/// @param origin receives the position of the first element; NaN if unknown
/// @param spacing receives the distance between neighbours; NaN if unknown
QUIRE_EXPORT quire_status quire_get_grid(quire_file* file, const char* field, uint64_t axes, double* origin,
                                         double* spacing);

/// Independent, reading only. The positions along an axis on which they are not equally spaced.
/// @param capacity number of elements of `coordinates`; too few is a usage error
/// @param count receives the number of positions, also in that case; 0 if the axis is regular
QUIRE_EXPORT quire_status quire_get_coordinates(quire_file* file, const char* field, uint64_t axis, uint64_t capacity,
                                                double* coordinates, uint64_t* count);

/// Independent, reading only. The box or hyperslab of a field of the selected step.
/// @param components number of arrays in `values`: those of the field
QUIRE_EXPORT quire_status quire_read_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                                           void* const* values);

/// Collective, reading only. The same on all ranks together, as by quire_read_all(). Boxes of different ranks may
/// overlap.
QUIRE_EXPORT quire_status quire_read_field_all(quire_file* file, const char* field, quire_type type,
                                               uint64_t components, void* const* values);

#ifdef __cplusplus
}
#endif

#endif
