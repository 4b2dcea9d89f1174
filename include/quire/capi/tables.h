#ifndef QUIRE_CAPI_TABLES_H
#define QUIRE_CAPI_TABLES_H

/* Tables, rows and columns of a step. Programs include quire/quire.h. */

#include "quire/capi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Independent. The table for the following calls, until the next step. Without this call, or with a null name, it is
/// the only or first one. It has no chosen rows.
QUIRE_EXPORT quire_status quire_table(quire_file* file, const char* name);

/// Independent. The distance of consecutive values in the caller's memory, in bytes, for the following columns and
/// fields, until the next step: for arrays of structures. Negative ones run backwards; 0: contiguous, the default.
QUIRE_EXPORT quire_status quire_set_stride(quire_file* file, int64_t bytes);

/// Independent, writing only. The number of rows of this rank; before its columns, also if it is 0.
QUIRE_EXPORT quire_status quire_set_rows(quire_file* file, uint64_t rows);

/// Independent. Chooses rows of the table. When writing: those that hold this rank's values, instead of
/// quire_set_rows(): `count` row numbers in any order, without repetitions, none on two ranks. Either every rank
/// chooses rows or none does. Rows that no rank writes are 0. Files of text, of strings and of compressed columns
/// cannot be written so: quire_commit() fails with QUIRE_UNSUPPORTED. When reading: those of quire_read_columns(), in
/// this order, with repetitions if wanted.
/// @param rows may be null if `count` is 0
/// @param total number of rows of the table on all ranks together, the same on all ranks that pass it; may be null:
///              the table ends with the greatest row. Not used when reading.
QUIRE_EXPORT quire_status quire_set_row_list(quire_file* file, uint64_t count, const uint64_t* rows,
                                             const uint64_t* total);

/// Independent. The same for `count` blocks of `block` rows, the first at row `start`, each `stride` rows after the
/// beginning of the previous one.
/// @param total as above
QUIRE_EXPORT quire_status quire_set_row_blocks(quire_file* file, uint64_t start, uint64_t stride, uint64_t count,
                                               uint64_t block, const uint64_t* total);

/// Independent. The same for rows [first, first + count).
/// @param total as above
QUIRE_EXPORT quire_status quire_set_row_range(quire_file* file, uint64_t first, uint64_t count, const uint64_t* total);

/// Independent, reading only. The same for the rows among [first, first + count) that satisfy a condition, such as
/// "x > 1e-3 and id % 2 == 0". Reads the columns of the condition. The page of expressions describes the language.
QUIRE_EXPORT quire_status quire_set_rows_where(quire_file* file, const char* condition, uint64_t first, uint64_t count);

/// Independent, reading only. The number of rows of the table on all ranks together.
QUIRE_EXPORT quire_status quire_get_rows(quire_file* file, uint64_t* rows);

/// Independent, reading only. The numbers of the chosen rows, in their order.
/// @param capacity number of elements of `rows`, which may be null if it is 0
/// @param count receives the number of chosen rows; more than `capacity` is no error, the first ones are returned
QUIRE_EXPORT quire_status quire_get_chosen_rows(quire_file* file, uint64_t capacity, uint64_t* rows, uint64_t* count);

/// Independent, writing only. This rank's values of a column, as many as passed to quire_set_rows(). They must not
/// change until quire_commit() or quire_abort() returns. After a put or set that failed the step cannot be committed
/// any more.
/// @param values may be null if this rank has no rows, which must also have been passed to quire_set_rows()
/// @param unit may be null
QUIRE_EXPORT quire_status quire_put(quire_file* file, const char* column, quire_type type, const void* values,
                                    const char* unit);

/// Independent, writing only. The same for a column of strings, which are copied.
/// @param lengths of each text in bytes; null: texts end with a zero byte
QUIRE_EXPORT quire_status quire_put_texts(quire_file* file, const char* column, const char* const* texts,
                                          const uint64_t* lengths, const char* unit);

/// Independent, writing only. A column with the same number in every row on all ranks; the table has rows by
/// quire_set_rows() or its other columns. It is stored once where the format can.
/// @param value one number, which is copied
QUIRE_EXPORT quire_status quire_put_constant(quire_file* file, const char* column, quire_type type, const void* value,
                                             const char* unit);

/// Independent, reading only. Rows [first, first + count) of a column of the selected step.
/// @param type of the caller's memory; a type error if a value would change
/// @param values memory for `count` values; may be null if `count` is 0
QUIRE_EXPORT quire_status quire_read(quire_file* file, const char* column, quire_type type, uint64_t first,
                                     uint64_t count, void* values);

/// Collective, reading only. The same on all ranks together, by collective transfers if the transport has them. Every
/// rank may request different rows, or none, of any column, and some may make other calls whose names end in _all.
/// Succeeds on all ranks, or fails on all with the same error; the memory of the others may then be filled.
QUIRE_EXPORT quire_status quire_read_all(quire_file* file, const char* column, quire_type type, uint64_t first,
                                         uint64_t count, void* values);

/// Collective, reading only. Replaces quire_read_all() or another call whose name ends in _all on a rank that cannot
/// make it, for lack of memory for example: all ranks get this error.
/// @param status the kind of the error, not QUIRE_OK
/// @param message what happened; may be null
/// @return `status`, if the call itself is right and all ranks make theirs
QUIRE_EXPORT quire_status quire_refuse_read_all(quire_file* file, quire_status status, const char* message);

/// Independent, reading only. Rows [first, first + count) of a column of strings.
/// @param texts receives the texts, which the caller owns: quire_free_texts(); null after an error
QUIRE_EXPORT quire_status quire_read_texts(quire_file* file, const char* column, uint64_t first, uint64_t count,
                                           quire_texts** texts);

/// Collective, reading only. The same on all ranks together, as by quire_read_all().
QUIRE_EXPORT quire_status quire_read_texts_all(quire_file* file, const char* column, uint64_t first, uint64_t count,
                                               quire_texts** texts);

/// Independent, reading only. The chosen rows of several columns, in one pass over the file.
/// @param columns length of the three lists
/// @param types of the caller's memory
/// @param values of each column, memory for as many values as there are chosen rows; of a column of strings, with
///               QUIRE_STRING, a pointer to a quire_texts* that receives them, null after an error
QUIRE_EXPORT quire_status quire_read_columns(quire_file* file, uint64_t columns, const char* const* names,
                                             const quire_type* types, void* const* values);

/// Collective, reading only. The same on all ranks together, as by quire_read_all().
QUIRE_EXPORT quire_status quire_read_columns_all(quire_file* file, uint64_t columns, const char* const* names,
                                                 const quire_type* types, void* const* values);

#ifdef __cplusplus
}
#endif

#endif
