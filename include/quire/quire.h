#ifndef QUIRE_QUIRE_H
#define QUIRE_QUIRE_H

/*
 * The C interface is small by design: it has what a simulation needs to write its steps and to restart from them.
 *
 * Errors. Every function that can fail returns a status, QUIRE_OK being 0. The library never prints and never ends the
 * program. quire_error_message() returns the full message of the last call that failed on a handle. There is no other
 * error state, neither global nor per thread.
 *
 * Ownership. quire_create(), quire_append(), quire_open() and quire_write_file() create a handle also on failure, for
 * its message; the caller owns it and releases it with quire_free() in every case. Strings and arrays that are passed
 * in remain the caller's; all are copied or used during the call, with one exception: the values passed to quire_put()
 * and quire_put_field() are only referenced, and must neither move nor change until quire_commit() or quire_abort()
 * returns. Strings that the library returns belong to the handle and are valid until the next call on it.
 *
 * Ranks. These four functions are for a program of one process; quire/quire_mpi.h has them for a communicator. With MPI
 * initialised on several ranks they fail with QUIRE_USAGE: a rank that works alone passes MPI_COMM_SELF. Calls marked
 * Collective must then be made by all its ranks in the same order, also by a rank without rows. Errors of collective
 * calls are the same on all ranks. A handle must not be used by two threads at the same time.
 */

#include <stdint.h>

#if defined(__GNUC__)
#define QUIRE_EXPORT __attribute__((visibility("default")))
#else
#define QUIRE_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(modernize-use-using): this is C

/// The kind of an error, by what the caller can do about it.
typedef enum quire_status {
  QUIRE_OK = 0,
  QUIRE_USAGE = 1,        ///< the call itself is wrong: arguments, order of calls, unknown option
  QUIRE_MISSING = 2,      ///< a file, step, table, column or attribute does not exist
  QUIRE_BAD_FILE = 3,     ///< the bytes of the file contradict its format
  QUIRE_UNSUPPORTED = 4,  ///< the format cannot hold it or this build cannot read it
  QUIRE_TYPE = 5,         ///< a conversion would lose information
  QUIRE_CONFLICT = 6,     ///< ranks or steps disagree
  QUIRE_IO = 7,           ///< the operating system refused: full disk, permission, short read
  QUIRE_MEMORY = 8,       ///< more memory than the budget or the system allows
  QUIRE_ABORTED = 9,      ///< a rank left the step
  QUIRE_DEADLINE = 10,    ///< a wait for other ranks exceeded the deadline
  QUIRE_INTERNAL = 11     ///< a defect of the library
} quire_status;

/// The types of values in the caller's memory. Strings exist as attributes only (quire_set_text).
typedef enum quire_type {
  QUIRE_INT8 = 0,
  QUIRE_UINT8 = 1,
  QUIRE_INT16 = 2,
  QUIRE_UINT16 = 3,
  QUIRE_INT32 = 4,
  QUIRE_UINT32 = 5,
  QUIRE_INT64 = 6,
  QUIRE_UINT64 = 7,
  QUIRE_FLOAT32 = 8,
  QUIRE_FLOAT64 = 9,
  QUIRE_FLOAT80 = 10,    ///< long double of x86
  QUIRE_CHARACTER = 11,  ///< one byte of text
  QUIRE_STRING = 12
} quire_type;

/// An open file.
typedef struct quire_file quire_file;

/// How a file is opened. A null pointer instead, or zero in any member, selects the default.
typedef struct quire_options {
  const char* format;           ///< by name; default: by the suffix when writing, by content when reading
  const char* transport;        ///< default: "posix"
  int durable;                  ///< a committed step survives a power cut
  int lossy;                    ///< allow conversions that change values
  int64_t deadline;             ///< of every wait for other ranks, in milliseconds; default: none
  const char* const* settings;  ///< of the format: "name=value", the last pointer being null
} quire_options;

/// Fills the step of quire_write_file() through the handle that is passed, by quire_set(), quire_put() and similar, not
/// by collective calls. If it does not return QUIRE_OK, that call fails on all ranks.
/// @param data the pointer passed to quire_write_file()
typedef quire_status (*quire_fill)(quire_file* file, void* data);

// NOLINTEND(modernize-use-using)

/// Collective. A new file at `path`; an existing one is replaced.
/// @param file receives a handle, owned by the caller, also on failure; null only if there is no memory for one
QUIRE_EXPORT quire_status quire_create(const char* path, const quire_options* options, quire_file** file);

/// Collective. A new file of one step, with the same bytes as by quire_create(), quire_step(), quire_commit() and
/// quire_close(), in fewer collectives: for checkpoints. Attributes are those of the step. The values that `fill`
/// passes to quire_put() and similar must be valid until this call returns. After an error on any rank, including one
/// of `fill`, the previous file stays if it would be replaced by the complete new one: files of one step, compressed
/// files, or with the setting replacement=whole; others are overwritten. A rank whose own fill failed gets its error
/// while the others get QUIRE_ABORTED; all other errors are the same on all ranks.
/// @param number of the step
/// @param data is passed to `fill`
/// @param file receives a handle for quire_error_message() and quire_free(), owned by the caller, also on failure
QUIRE_EXPORT quire_status quire_write_file(const char* path, int64_t number, quire_fill fill, void* data,
                                           const quire_options* options, quire_file** file);

/// Collective. An existing file, to write further steps.
/// @param after the number of the step after which to continue; null: the last one
/// @param drop_later whether steps after that one are dropped; otherwise they are a conflict error
QUIRE_EXPORT quire_status quire_append(const char* path, const int64_t* after, int drop_later,
                                       const quire_options* options, quire_file** file);

/// Collective. An existing file, to be read; its format is recognised by content.
QUIRE_EXPORT quire_status quire_open(const char* path, const quire_options* options, quire_file** file);

/*
 * Definitions of every step of a new file, before the first one: a file without steps then keeps them, and every step
 * must agree with them. Every rank passes the same. They fail with QUIRE_UNSUPPORTED if files of the format keep none.
 */

/// Independent, writing only. An attribute that steps have: a single number, or a text with QUIRE_STRING.
/// @param unit may be null
QUIRE_EXPORT quire_status quire_define_attribute(quire_file* file, const char* name, quire_type type, const char* unit);

/// Independent, writing only. A column of a table of the steps.
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

/// Independent when writing, Collective when reading. Begins the step of this number, or selects it. When writing, the
/// previous one must have been committed or aborted. When reading, missing errors name the nearest numbers.
QUIRE_EXPORT quire_status quire_step(quire_file* file, int64_t number);

/// Collective, reading only. The numbers of all steps.
/// @param capacity number of elements of `numbers`, which may be null if it is 0
/// @param count receives the number of steps; more than `capacity` is no error, the first ones are returned
QUIRE_EXPORT quire_status quire_steps(quire_file* file, uint64_t capacity, int64_t* numbers, uint64_t* count);

/// Independent, writing only. An attribute of the step, or of the file if no step was begun yet; the same on every
/// rank.
/// @param count number of values; 1 creates a scalar
/// @param unit may be null
QUIRE_EXPORT quire_status quire_set(quire_file* file, const char* name, quire_type type, uint64_t count,
                                    const void* values, const char* unit);

/// Independent, writing only. The same for text.
QUIRE_EXPORT quire_status quire_set_text(quire_file* file, const char* name, const char* text);

/// Independent, reading only. An attribute of the selected step; of the file if the step has none of this name or none
/// was selected.
/// @param type of the caller's memory; a type error if a value would change
/// @param capacity number of elements of `values`; too few is a usage error
/// @param count receives the number of values, also in that case; may be null
QUIRE_EXPORT quire_status quire_get(quire_file* file, const char* name, quire_type type, uint64_t capacity,
                                    void* values, uint64_t* count);

/// Independent, reading only. The same for text, terminated by a zero byte.
/// @param capacity bytes in `text`, including the zero byte
/// @param length receives the bytes of the text without the zero byte; may be null
QUIRE_EXPORT quire_status quire_get_text(quire_file* file, const char* name, uint64_t capacity, char* text,
                                         uint64_t* length);

/// Independent. The table for the following calls, until the next step. Without this call, or with a null name, it is
/// the only or first one.
QUIRE_EXPORT quire_status quire_table(quire_file* file, const char* name);

/// Independent, writing only. The number of rows of this rank; before its columns, also if it is 0.
QUIRE_EXPORT quire_status quire_set_rows(quire_file* file, uint64_t rows);

/// Independent, writing only. The rows of the table that hold this rank's values, instead of quire_set_rows(): `count`
/// row numbers in any order, without repetitions, none on two ranks. Either every rank calls it, or
/// quire_set_row_blocks(), or none does. Rows that no rank writes are 0. Files of text, of strings and of compressed
/// columns cannot be written so: quire_commit() fails with QUIRE_UNSUPPORTED.
/// @param rows may be null if `count` is 0
/// @param total number of rows of the table on all ranks together, the same on all ranks that pass it; may be null:
///              the table ends with the greatest row
QUIRE_EXPORT quire_status quire_set_row_list(quire_file* file, uint64_t count, const uint64_t* rows,
                                             const uint64_t* total);

/// Independent, writing only. The same for `count` blocks of `block` rows, the first at row `start`, each `stride` rows
/// after the beginning of the previous one.
/// @param total as above
QUIRE_EXPORT quire_status quire_set_row_blocks(quire_file* file, uint64_t start, uint64_t stride, uint64_t count,
                                               uint64_t block, const uint64_t* total);

/// Independent, reading only. The number of rows of the table on all ranks together.
QUIRE_EXPORT quire_status quire_get_rows(quire_file* file, uint64_t* rows);

/// Independent, writing only. This rank's values of a column, contiguous, as many as passed to quire_set_rows(). They
/// must not change until quire_commit() or quire_abort() returns. After a put or set that failed the step cannot be
/// committed any more.
/// @param values may be null if this rank has no rows, which must also have been passed to quire_set_rows()
/// @param unit may be null
QUIRE_EXPORT quire_status quire_put(quire_file* file, const char* column, quire_type type, const void* values,
                                    const char* unit);

/// Independent. This rank's box for the following calls for fields, until the next step. All lists begin with the
/// slowest axis.
/// @param axes length of the lists
/// @param extents of the whole field, the same on every rank; may be null for reading and for parts
/// @param start first element of this rank's box along each axis
/// @param count number of elements along each axis; when writing, boxes of different ranks are disjoint
QUIRE_EXPORT quire_status quire_set_box(quire_file* file, uint64_t axes, const uint64_t* extents, const uint64_t* start,
                                        const uint64_t* count);

/// Independent, writing only. This rank's box of a field, elements in C order (the last axis is the fastest). The
/// values must not change until quire_commit() or quire_abort() returns.
/// @param components number of arrays in `values`: 1 for a scalar field, 3 for a vector field
/// @param unit may be null
QUIRE_EXPORT quire_status quire_put_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                                          const void* const* values, const char* unit);

/*
 * Fields in parts, for data larger than memory: quire_declare_field() for all of them, and everything else of the step;
 * quire_agree_on_rows() and quire_weigh_field() for every part if the file requires it; quire_open_step();
 * quire_write_field() for every part; quire_commit().
 */

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

/// Independent. 1 if all parts must be passed to quire_weigh_field() before the step is opened, as for files of text
/// and of compressed chunks, else 0; also 0 for a file that is not open for writing.
QUIRE_EXPORT int quire_weighs_values(const quire_file* file);

/// Collective, writing only. Before quire_weigh_field() and after everything that describes the step; without effect if
/// nothing is weighed. Fails as quire_open_step() does.
QUIRE_EXPORT quire_status quire_agree_on_rows(quire_file* file);

/// Independent, writing only. A part that will be passed to quire_write_field(), each element once; without effect if
/// nothing is weighed. The box of quire_set_box() is the part; the values may change afterwards.
QUIRE_EXPORT quire_status quire_weigh_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                                            const void* const* values);

/// Collective, writing only. Places the step; afterwards only quire_set_box(), quire_write_field(), quire_commit() and
/// quire_abort() are allowed. If it fails the step ends, as after quire_commit(): a rank whose own call failed before
/// gets that error while the others get QUIRE_ABORTED with its message.
QUIRE_EXPORT quire_status quire_open_step(quire_file* file);

/// Independent, writing only. A part of this rank's box of a declared field: the box of quire_set_box(), in the extents
/// of the field. Every element is passed once, in any order, except in files of text, where each part continues the
/// previous one; quire_commit() fails otherwise. The values may change afterwards.
/// @param components number of arrays in `values`: those of the field
QUIRE_EXPORT quire_status quire_write_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                                            const void* const* values);

/// Independent, reading only. The extents of a field of the selected step, slowest axis first.
/// @param capacity number of elements of `extents`; too few is a usage error
/// @param axes receives the number of axes, also in that case; may be null
/// @param components receives the number of components of each element; may be null
QUIRE_EXPORT quire_status quire_get_extents(quire_file* file, const char* field, uint64_t capacity, uint64_t* extents,
                                            uint64_t* axes, uint64_t* components);

/// Independent, reading only. The box of a field of the selected step.
/// @param components number of arrays in `values`: those of the field
QUIRE_EXPORT quire_status quire_read_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                                           void* const* values);

/// Collective, reading only. The same on all ranks together, as by quire_read_all(). Boxes of different ranks may
/// overlap.
QUIRE_EXPORT quire_status quire_read_field_all(quire_file* file, const char* field, quire_type type,
                                               uint64_t components, void* const* values);

/// Collective, writing only. Writes all bytes of the step and only then publishes it: afterwards it is in the file on
/// every rank, or on none, and every rank has the same error; only a rank whose own put or set failed gets that error
/// while the others get QUIRE_ABORTED with its message. The step ends in all cases.
QUIRE_EXPORT quire_status quire_commit(quire_file* file);

/// Collective with the others' quire_commit(), writing only. Drops the step; the others' commit fails with
/// QUIRE_ABORTED and this reason.
/// @param reason may be null
QUIRE_EXPORT quire_status quire_abort(quire_file* file, const char* reason);

/// Collective, writing only. As quire_commit(), but a thread writes the bytes while the program continues. The arrays
/// are copied and may change afterwards; with `borrow` other than 0 they must not change until quire_wait() returns.
/// The step is published, as a whole, by quire_wait(), quire_test(), the commit of the next step or quire_close(),
/// which fail on all ranks if it failed on any. Files that cannot be written so are committed as by quire_commit().
QUIRE_EXPORT quire_status quire_commit_async(quire_file* file, int borrow);

/// Collective if a step is in flight after quire_commit_async(), writing only. Waits until all ranks have written it,
/// and publishes it. Otherwise without effect.
QUIRE_EXPORT quire_status quire_wait(quire_file* file);

/// Collective if a step is in flight, writing only. Publishes it if all ranks have written it, without waiting.
/// @param done 1 if no step is in flight afterwards, else 0; the same on all ranks
QUIRE_EXPORT quire_status quire_test(quire_file* file, int* done);

/// Independent, reading only. Rows [first, first + count) of a column of the selected step.
/// @param type of the caller's memory; a type error if a value would change
/// @param values memory for `count` values; may be null if `count` is 0
QUIRE_EXPORT quire_status quire_read(quire_file* file, const char* column, quire_type type, uint64_t first,
                                     uint64_t count, void* values);

/// Collective, reading only. The same on all ranks together, by collective transfers if the transport has them. Every
/// rank may request different rows, or none, of any column, and some may call quire_read_field_all(). Succeeds on all
/// ranks, or fails on all with the same error; the memory of the others may then be filled.
QUIRE_EXPORT quire_status quire_read_all(quire_file* file, const char* column, quire_type type, uint64_t first,
                                         uint64_t count, void* values);

/// Collective. Completes the file. A step that was begun and neither committed nor aborted is dropped, and the commit
/// of the other ranks fails. Only quire_error_message() and quire_free() may follow.
QUIRE_EXPORT quire_status quire_close(quire_file* file);

/// Independent. Releases the handle, without closing the file properly; null is allowed. Has no effect in a quire_fill.
/// Never fails.
QUIRE_EXPORT void quire_free(quire_file* file);

/// Independent. The message of the last call that failed on this handle: error, place and advice; an empty text if none
/// has failed. Valid until the next call on the handle. For a null handle, a text that states so.
QUIRE_EXPORT const char* quire_error_message(const quire_file* file);

/// Independent. The name of a status: "ok", "missing", ... Valid for the lifetime of the program.
QUIRE_EXPORT const char* quire_status_name(quire_status status);

/// Independent. The name of a format of this build, from index 0 on; null after the last one. Valid for the lifetime of
/// the program.
QUIRE_EXPORT const char* quire_format_name(uint64_t index);

/// Independent. 1 if files of this format hold a single step, else 0; 0 for unknown names.
QUIRE_EXPORT int quire_format_holds_one_step(const char* name);

/// Independent. 1 if files of this format hold streams and nothing else; also 0 for unknown names.
QUIRE_EXPORT int quire_format_holds_streams(const char* name);

/// Independent. 1 if a step of a file of this format may have tables of any columns; also 0 for unknown names.
QUIRE_EXPORT int quire_format_holds_tables(const char* name);

#ifdef __cplusplus
}
#endif

#endif
