#ifndef QUIRE_CAPI_PARTS_H
#define QUIRE_CAPI_PARTS_H

/*
 * Steps in parts, for data larger than memory: quire_declare_field() and quire_declare_column() for all of them, and
 * everything else of the step; quire_agree_on_rows(), quire_weigh_field() and quire_weigh_rows() for every part if the
 * file requires it; quire_open_step(); quire_write_field() and quire_write_rows() for every part; quire_commit().
 * Programs include quire/quire.h.
 */

#include "quire/capi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Independent, writing only. A field whose values are passed later by quire_write_field(): this rank's box of it, set
/// by quire_set_box(). Every rank declares it, also with an empty box; elements outside of all boxes are 0.
/// @param components number of arrays of each part
/// @param unit may be null
QUIRE_EXPORT quire_status quire_declare_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                                              const char* unit);

/// Independent, writing only. The shape of the chunks in which the open step's file would encode the elements of a
/// field. Boxes and parts of whole chunks keep nothing in memory.
/// @param axes length of the lists, which begin with the slowest axis
/// @param shape receives the lengths of a chunk; all 0 if the field is not chunked
QUIRE_EXPORT quire_status quire_get_chunk(quire_file* file, const char* field, quire_type type, uint64_t components,
                                          uint64_t axes, const uint64_t* extents, uint64_t* shape);

/// Independent. 1 if all parts must be passed to quire_weigh_field() or quire_weigh_rows() before the step is opened,
/// as for files of text and of compressed chunks, else 0; also 0 for a file that is not open for writing.
QUIRE_EXPORT int quire_weighs_values(const quire_file* file);

/// Collective, writing only. Before parts are weighed and after everything that describes the step; without effect if
/// nothing is weighed. Fails as quire_open_step() does.
QUIRE_EXPORT quire_status quire_agree_on_rows(quire_file* file);

/// Independent, writing only. A part that will be passed to quire_write_field(), each element once; without effect if
/// nothing is weighed. The box of quire_set_box() is the part; the values may change afterwards.
QUIRE_EXPORT quire_status quire_weigh_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                                            const void* const* values);

/// Collective, writing only. Places the step; afterwards only quire_table(), quire_set_box(), quire_set_stride(),
/// quire_write_field(), quire_write_rows(), quire_commit() and quire_abort() are allowed. If it fails the step ends, as
/// after quire_commit(): a rank whose own call failed before gets that error while the others get QUIRE_ABORTED with
/// its message.
QUIRE_EXPORT quire_status quire_open_step(quire_file* file);

/// Independent, writing only. A part of this rank's box of a declared field: the box of quire_set_box(), in the extents
/// of the field. Every element is passed once, in any order, except in files of text, where each part continues the
/// previous one; quire_commit() fails otherwise. The values may change afterwards.
/// @param components number of arrays in `values`: those of the field
QUIRE_EXPORT quire_status quire_write_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                                            const void* const* values);

/// Independent, writing only. A column of the table whose values are passed later by quire_write_rows(); the table has
/// rows by quire_set_rows().
/// @param unit may be null
QUIRE_EXPORT quire_status quire_declare_column(quire_file* file, const char* column, quire_type type, const char* unit);

/// Independent, writing only. The same for a column of strings.
/// @param longest bytes of this rank's longest text, for files that store all with one size (quire_file_info)
/// @param bytes of all texts of this rank together
QUIRE_EXPORT quire_status quire_declare_texts(quire_file* file, const char* column, uint64_t longest, uint64_t bytes,
                                              const char* unit);

/// Independent, writing only. Rows of the table that will be passed to quire_write_rows(), each once, with the same
/// values; without effect if nothing is weighed.
/// @param rows number of rows
/// @param columns length of `types` and `values`: the declared columns of the table, in their order
/// @param values of each column; of strings, with QUIRE_STRING, a const char* const* to texts that end with a zero byte
QUIRE_EXPORT quire_status quire_weigh_rows(quire_file* file, uint64_t rows, uint64_t columns, const quire_type* types,
                                           const void* const* values);

/// Independent, writing only. Rows [first, first + rows) of this rank of the table, in order. The values may change
/// afterwards.
/// @param columns, types and values as for quire_weigh_rows()
QUIRE_EXPORT quire_status quire_write_rows(quire_file* file, uint64_t first, uint64_t rows, uint64_t columns,
                                           const quire_type* types, const void* const* values);

#ifdef __cplusplus
}
#endif

#endif
