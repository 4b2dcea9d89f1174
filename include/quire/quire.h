#ifndef QUIRE_QUIRE_H
#define QUIRE_QUIRE_H

/*
 * The C interface, small on purpose: what a simulation needs to write its steps and to restart from them.
 *
 * Errors. Every function that can fail returns a status, QUIRE_OK being 0; nothing is printed and no program is ended.
 * quire_error_message() tells the whole story of the last call that failed on a handle. There is no other state: no
 * variable of the library or of a thread remembers errors.
 *
 * Ownership. quire_create(), quire_append(), quire_open() and quire_write_file() make a handle also when they fail, so
 * that its message can be asked for; the caller owns it and gives it back by quire_free() in every case. Strings and
 * arrays that the caller hands in stay the caller's; all are copied or used up during the call, with one exception: the
 * values given to quire_put() and quire_put_field() are only looked at, and must neither move nor change until
 * quire_commit() or quire_abort() returns. Strings that the library hands out belong to the handle and live until the
 * next call on it.
 *
 * Ranks. The functions here are for one process; quire/quire_mpi.h has these four for a communicator. Calls
 * marked Collective must then be made by all its ranks in the same order, also by a rank that has no rows. Errors of
 * collective calls are the same on all ranks. A handle must not be used by two threads at a time.
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

/// What went wrong, by what the caller can do about it.
typedef enum quire_status {
  QUIRE_OK = 0,
  QUIRE_USAGE = 1,        ///< the call itself is wrong: arguments, order of calls, unknown option
  QUIRE_MISSING = 2,      ///< a file, step, table, column or attribute is not there
  QUIRE_BAD_FILE = 3,     ///< the bytes of the file contradict its format
  QUIRE_UNSUPPORTED = 4,  ///< the format or this build cannot hold or read it
  QUIRE_TYPE = 5,         ///< a conversion would lose information
  QUIRE_CONFLICT = 6,     ///< ranks or steps disagree
  QUIRE_IO = 7,           ///< the operating system refused: full disk, permission, short read
  QUIRE_MEMORY = 8,       ///< more memory than the budget or the system allows
  QUIRE_ABORTED = 9,      ///< a rank left the step
  QUIRE_DEADLINE = 10,    ///< a wait for the other ranks took longer than asked
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

/// How a file is opened. A null pointer instead, or zero in any member, asks for the usual.
typedef struct quire_options {
  const char* format;           ///< by name; usual: by the suffix when writing, by content when reading
  const char* transport;        ///< usual: "posix"
  int durable;                  ///< a committed step survives a power cut
  int lossy;                    ///< allow conversions that change values
  int64_t deadline;             ///< of every wait for other ranks, in milliseconds; usual: none
  const char* const* settings;  ///< of the format: "name=value", the last pointer being null
} quire_options;

/// Fills the step of quire_write_file() through the handle that it is given, by quire_set(), quire_put() and the like;
/// by no collective call. What is not QUIRE_OK fails that call on all ranks.
/// @param data what was given to quire_write_file()
typedef quire_status (*quire_fill)(quire_file* file, void* data);

// NOLINTEND(modernize-use-using)

/// Collective. A new file at `path`; an existing one is replaced.
/// @param file receives a handle, owned by the caller, also on failure; null only if there is no memory for one
QUIRE_EXPORT quire_status quire_create(const char* path, const quire_options* options, quire_file** file);

/// Collective. A new file of one step, as quire_create(), quire_step(), quire_commit() and quire_close() make it, with
/// the same bytes, in fewer meetings of the ranks: for checkpoints. Attributes are those of the step. The values that
/// `fill` gives to quire_put() and the like live until this call returns. After an error on any rank, one of `fill`
/// included, a file stays that would be replaced when the new one is complete: of one step, compressed, or with the
/// setting replacement=whole; others are written over. A rank whose own fill failed gets its error while the others get
/// QUIRE_ABORTED; all other errors are the same on all ranks.
/// @param number of the step
/// @param data is handed to `fill`
/// @param file receives a handle for quire_error_message() and quire_free(), owned by the caller, also on failure
QUIRE_EXPORT quire_status quire_write_file(const char* path, int64_t number, quire_fill fill, void* data,
                                           const quire_options* options, quire_file** file);

/// Collective. An existing file, to write further steps.
/// @param after the number of the step to continue behind; null: the last one
/// @param drop_later whether steps behind that one are dropped; otherwise they are a conflict error
QUIRE_EXPORT quire_status quire_append(const char* path, const int64_t* after, int drop_later,
                                       const quire_options* options, quire_file** file);

/// Collective. An existing file, to be read; its format is recognised by content.
QUIRE_EXPORT quire_status quire_open(const char* path, const quire_options* options, quire_file** file);

/// Independent when writing, Collective when reading. Begins the step of this number, or chooses it. Writing: the one
/// before must have been committed or aborted. Reading: missing errors name the nearest numbers.
QUIRE_EXPORT quire_status quire_step(quire_file* file, int64_t number);

/// Collective, reading only. The numbers of all steps.
/// @param capacity how many fit into `numbers`, which may be null if it is 0
/// @param count receives how many there are; more than `capacity` is no error, the first ones are given
QUIRE_EXPORT quire_status quire_steps(quire_file* file, uint64_t capacity, int64_t* numbers, uint64_t* count);

/// Independent, writing only. An attribute of the step, or of the file if no step was begun yet; the same on every
/// rank.
/// @param count number of values; 1 makes a scalar
/// @param unit may be null
QUIRE_EXPORT quire_status quire_set(quire_file* file, const char* name, quire_type type, uint64_t count,
                                    const void* values, const char* unit);

/// Independent, writing only. The same for text.
QUIRE_EXPORT quire_status quire_set_text(quire_file* file, const char* name, const char* text);

/// Independent, reading only. An attribute of the chosen step; of the file if the step has none of this name or none
/// was chosen.
/// @param type of the caller's memory; a type error if a value would change
/// @param capacity how many values fit into `values`; too few is a usage error
/// @param count receives how many there are, also in that case; may be null
QUIRE_EXPORT quire_status quire_get(quire_file* file, const char* name, quire_type type, uint64_t capacity,
                                    void* values, uint64_t* count);

/// Independent, reading only. The same for text, ended by a zero byte.
/// @param capacity bytes in `text`, the zero byte included
/// @param length receives the bytes of the text without the zero byte; may be null
QUIRE_EXPORT quire_status quire_get_text(quire_file* file, const char* name, uint64_t capacity, char* text,
                                         uint64_t* length);

/// Independent. The table that the following calls mean, until the next step; without this call, or with a null name,
/// the only or first one.
QUIRE_EXPORT quire_status quire_table(quire_file* file, const char* name);

/// Independent, writing only. How many rows of the table this rank has; before its columns, also if it has none.
QUIRE_EXPORT quire_status quire_set_rows(quire_file* file, uint64_t rows);

/// Independent, writing only. Which rows of the table this rank's values are, in the place of quire_set_rows(): `count`
/// row numbers in any order, none of them twice, none on two ranks. Every rank calls it, or quire_set_row_blocks(), or
/// none does. Rows that nobody brings are 0. Files of text, of strings and of compressed columns cannot be written so:
/// quire_commit() fails with QUIRE_UNSUPPORTED.
/// @param rows may be null if `count` is 0
/// @param total how many rows the table has on all ranks together, the same on all that say so; may be null: it ends
///              with the greatest row
QUIRE_EXPORT quire_status quire_set_row_list(quire_file* file, uint64_t count, const uint64_t* rows,
                                             const uint64_t* total);

/// Independent, writing only. The same for `count` blocks of `block` rows, the first at row `start`, each `stride` rows
/// behind the beginning of the one before.
/// @param total as above
QUIRE_EXPORT quire_status quire_set_row_blocks(quire_file* file, uint64_t start, uint64_t stride, uint64_t count,
                                               uint64_t block, const uint64_t* total);

/// Independent, reading only. How many rows the table has on all ranks together.
QUIRE_EXPORT quire_status quire_get_rows(quire_file* file, uint64_t* rows);

/// Independent, writing only. This rank's values of a column, as many as quire_set_rows() said, one behind the other.
/// They must stay as they are until quire_commit() or quire_abort() returns. After a put or set that failed the step
/// cannot be committed any more.
/// @param values may be null if this rank has no rows, which quire_set_rows() has said, too
/// @param unit may be null
QUIRE_EXPORT quire_status quire_put(quire_file* file, const char* column, quire_type type, const void* values,
                                    const char* unit);

/// Independent. The box that this rank means in the following calls for fields, until the next step. All lists begin
/// with the slowest axis.
/// @param axes length of the lists
/// @param extents of the whole field, the same on every rank; null is enough for reading and for parts
/// @param start where this rank's box begins
/// @param count how many elements it has along each axis; boxes of different ranks share none when they write
QUIRE_EXPORT quire_status quire_set_box(quire_file* file, uint64_t axes, const uint64_t* extents, const uint64_t* start,
                                        const uint64_t* count);

/// Independent, writing only. This rank's box of a field, elements in C order (the last axis is the fastest). The
/// values must stay as they are until quire_commit() or quire_abort() returns.
/// @param components how many arrays `values` has: 1 for a scalar field, 3 for a vector field
/// @param unit may be null
QUIRE_EXPORT quire_status quire_put_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                                          const void* const* values, const char* unit);

/*
 * Fields in parts, for data larger than memory: quire_declare_field() for all of them, and everything else that the
 * step is made of; quire_agree_on_rows() and quire_weigh_field() for every part where the file asks for it;
 * quire_open_step(); quire_write_field() for every part; quire_commit().
 */

/// Independent, writing only. A field whose values come later by quire_write_field(): this rank's box of it, as
/// quire_set_box() said. Every rank declares it, also with an empty box; elements outside of all boxes are 0.
/// @param components how many arrays the parts will have
/// @param unit may be null
QUIRE_EXPORT quire_status quire_declare_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                                              const char* unit);

/// Independent, writing only. The shape of the chunks in which the open step's file would encode the elements of a
/// field: boxes and parts of whole chunks leave nothing in memory.
/// @param axes length of the lists, which begin with the slowest axis
/// @param shape receives the lengths of a chunk; all 0 if elements have places of their own
QUIRE_EXPORT quire_status quire_get_chunk(quire_file* file, const char* field, quire_type type, uint64_t components,
                                          uint64_t axes, const uint64_t* extents, uint64_t* shape);

/// Independent. 1 if all parts must be given to quire_weigh_field() before the step is opened, as for files of text and
/// of compressed chunks, else 0; 0 for a file that is not open for writing, too.
QUIRE_EXPORT int quire_weighs_values(const quire_file* file);

/// Independent. 1 if fields may be declared, 0 if the engine that writes the file takes all at once; 0 for a file that
/// is not open for writing, too.
QUIRE_EXPORT int quire_takes_parts(const quire_file* file);

/// Collective, writing only. Before quire_weigh_field() and behind all that says what the step is made of; without
/// effect where nothing is weighed. Fails as quire_open_step() does.
QUIRE_EXPORT quire_status quire_agree_on_rows(quire_file* file);

/// Independent, writing only. A part that quire_write_field() will get, each element once; without effect where nothing
/// is weighed. The box of quire_set_box() is the part; the values are free again afterwards.
QUIRE_EXPORT quire_status quire_weigh_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                                            const void* const* values);

/// Collective, writing only. Places the step; from here on only quire_set_box(), quire_write_field(), quire_commit()
/// and quire_abort() are allowed. If it fails the step is over, as after quire_commit(): a rank whose own call failed
/// before gets that error while the others get QUIRE_ABORTED with its message.
QUIRE_EXPORT quire_status quire_open_step(quire_file* file);

/// Independent, writing only. A part of this rank's box of a declared field, which is the box of quire_set_box(), in
/// the extents of the field. Every element comes once, in any order but in files of text, where each part goes on
/// behind the one before; quire_commit() fails otherwise. The values are free again afterwards.
/// @param components how many arrays `values` has: those of the field
QUIRE_EXPORT quire_status quire_write_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                                            const void* const* values);

/// Independent, reading only. The extents of a field of the chosen step, slowest axis first.
/// @param capacity how many fit into `extents`; too few is a usage error
/// @param axes receives how many there are, also in that case; may be null
/// @param components receives how many numbers each element has; may be null
QUIRE_EXPORT quire_status quire_get_extents(quire_file* file, const char* field, uint64_t capacity, uint64_t* extents,
                                            uint64_t* axes, uint64_t* components);

/// Independent, Collective with a collective transport; reading only. The box of a field of the chosen step; boxes of
/// different ranks may overlap.
/// @param components how many arrays `values` has: those of the field
QUIRE_EXPORT quire_status quire_read_field(quire_file* file, const char* field, quire_type type, uint64_t components,
                                           void* const* values);

/// Collective, writing only. Moves all bytes of the step and only then makes it visible: afterwards it is in the file
/// on every rank, or on none, and every rank has the same error; only a rank whose own put or set failed gets that
/// error while the others get QUIRE_ABORTED with its message. The step is over in all cases.
QUIRE_EXPORT quire_status quire_commit(quire_file* file);

/// Collective with the others' quire_commit(), writing only. Leaves the step out of the file; the others' commit fails
/// with QUIRE_ABORTED and this reason.
/// @param reason may be null
QUIRE_EXPORT quire_status quire_abort(quire_file* file, const char* reason);

/// Independent, Collective with a collective transport; reading only. Rows [first, first + count) of a column of the
/// chosen step. Every rank may ask for other rows.
/// @param type of the caller's memory; a type error if a value would change
/// @param values room for `count` values; may be null if `count` is 0
QUIRE_EXPORT quire_status quire_read(quire_file* file, const char* column, quire_type type, uint64_t first,
                                     uint64_t count, void* values);

/// Collective. Completes the file. A step that was begun and neither committed nor aborted is not in it, and makes the
/// commit of the other ranks fail. Only quire_error_message() and quire_free() may follow.
QUIRE_EXPORT quire_status quire_close(quire_file* file);

/// Independent. Gives the handle back, without closing the file properly; null is allowed. Has no effect in a
/// quire_fill. Never fails.
QUIRE_EXPORT void quire_free(quire_file* file);

/// Independent. What the last call that failed on this handle had to say: what, where and what to do; an empty text if
/// none has failed. Lives until the next call on the handle. For a null handle a text that says so.
QUIRE_EXPORT const char* quire_error_message(const quire_file* file);

/// Independent. A status in words: "ok", "missing", ... Lives for ever.
QUIRE_EXPORT const char* quire_status_name(quire_status status);

/// Independent. The name of a format of this build, from index 0 on; null beyond the last one. Lives for ever.
QUIRE_EXPORT const char* quire_format_name(uint64_t index);

/// Independent. 1 if files of this format hold a single step, else 0; 0 for unknown names.
QUIRE_EXPORT int quire_format_holds_one_step(const char* name);

/// Independent. 1 if what is written to files of this format are streams and nothing else; 0 for unknown names, too.
QUIRE_EXPORT int quire_format_holds_streams(const char* name);

/// Independent. 1 if a step of a file of this format may have tables of any columns; 0 for unknown names, too.
QUIRE_EXPORT int quire_format_holds_tables(const char* name);

#ifdef __cplusplus
}
#endif

#endif
