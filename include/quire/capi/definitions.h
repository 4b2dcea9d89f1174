#ifndef QUIRE_CAPI_DEFINITIONS_H
#define QUIRE_CAPI_DEFINITIONS_H

/*
 * Definitions of every step of a new file, before the first one: a file without steps then keeps them, and every step
 * must agree with them. Every rank passes the same. They fail with QUIRE_UNSUPPORTED if files of the format keep none.
 * Programs include quire/quire.h.
 */

#include "quire/capi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Independent, writing only. An attribute that steps have: a single number, or a text with QUIRE_STRING.
/// @param unit may be null
QUIRE_EXPORT quire_status quire_define_attribute(quire_file* file, const char* name, quire_type type, const char* unit);

/// Independent, writing only. A column of a table of the steps; of strings with QUIRE_STRING.
/// @param table may be null: the only one
/// @param unit may be null
QUIRE_EXPORT quire_status quire_define_column(quire_file* file, const char* table, const char* column, quire_type type,
                                              const char* unit);

/// Independent, writing only. A field of the steps.
/// @param axes number of axes
/// @param components 1 for a scalar field, 3 for a vector field
/// @param unit may be null
QUIRE_EXPORT quire_status quire_define_field(quire_file* file, const char* field, quire_type type, uint64_t axes,
                                             uint64_t components, const char* unit);

#ifdef __cplusplus
}
#endif

#endif
