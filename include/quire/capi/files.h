#ifndef QUIRE_CAPI_FILES_H
#define QUIRE_CAPI_FILES_H

/* Files and their steps. Programs include quire/quire.h. */

#include <string.h>

#include "quire/capi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(modernize-use-using): this is C

/// How a file is opened: quire_default_options(), then members by name. Zero in any other member, or a null pointer
/// instead of the options, selects the default.
typedef struct quire_options {
  uint64_t size;                ///< of the structure: a program may be compiled with another version than it uses
  const char* format;           ///< by name; default: by the suffix when writing, by content when reading
  const char* transport;        ///< default: "posix"
  int durable;                  ///< a committed step survives a power cut
  int lossy;                    ///< allow conversions that change values
  int tolerant;                 ///< read the intact parts of files that are refused otherwise, where the format can
  int64_t deadline;             ///< of every wait for other ranks, in milliseconds; default: none
  uint64_t memory_budget;       ///< bytes in addition to the file's size, for any size stated in the file
  uint64_t list_budget;         ///< bytes that each rank may receive for the places of the elements of a step
  const char* const* settings;  ///< of the format: "name=value", the last pointer being null
  const char* refused;          ///< why this rank cannot make the call: a usage error with this message on all ranks
} quire_options;

/// Fills the step of quire_write_file() through the handle that is passed, by quire_set(), quire_put() and similar, not
/// by collective calls. If it does not return QUIRE_OK, that call fails on all ranks.
/// @param data the pointer passed to quire_write_file()
typedef quire_status (*quire_fill)(quire_file* file, void* data);

// NOLINTEND(modernize-use-using)

/// Independent. Options that select the defaults.
static inline quire_options quire_default_options(void) {
  quire_options options;
  memset(&options, 0, sizeof options);
  options.size = sizeof options;
  return options;
}

/// Collective. A new file at `path`; an existing one is replaced. A name with a pattern such as run_%06T.h5 is a series
/// with a file for each step, where the format has one.
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

/// Collective. Completes the file. A step that was begun and neither committed nor aborted is dropped, and the commit
/// of the other ranks fails. Only inquiry of errors, times and counters, and quire_free(), may follow.
QUIRE_EXPORT quire_status quire_close(quire_file* file);

/// Collective with the others' quire_commit() and quire_close(), writing only. Closes the file on a rank that cannot
/// continue: the commit of other ranks at that time fails with QUIRE_ABORTED and this reason. Committed steps stay;
/// with the setting replacement=whole the previous file stays.
/// @param reason may be null
QUIRE_EXPORT quire_status quire_abort_file(quire_file* file, const char* reason);

/// Independent. Releases the handle, without closing the file properly; null is allowed. Has no effect in a quire_fill.
/// Never fails.
QUIRE_EXPORT void quire_free(quire_file* file);

/// Independent, writing only. Title and contents of a new file, before its first commit. Either may be null.
QUIRE_EXPORT quire_status quire_set_title(quire_file* file, const char* title, const char* contents);

/// Independent when writing, but Collective for a series of files; Collective when reading. Begins the step of this
/// number, the same on every rank, or selects it. When writing, the previous one must have been committed or aborted.
/// When reading, missing errors name the nearest numbers.
QUIRE_EXPORT quire_status quire_step(quire_file* file, int64_t number);

/// Collective, reading only. Selects a step by its place in the file, from 0 on: for reading steps while they are
/// written, without counting all. Missing errors beyond the last one.
QUIRE_EXPORT quire_status quire_step_at(quire_file* file, uint64_t index);

/// Independent, reading only. Selects the structure that the file declares for all its steps, as a step without rows
/// and values. Missing errors if it declares nothing (quire_file_info).
QUIRE_EXPORT quire_status quire_step_declared(quire_file* file);

/// Collective, reading only. Selects the complete rows of the damaged step at this place of the file. Missing errors if
/// nothing can be recovered.
QUIRE_EXPORT quire_status quire_step_salvaged(quire_file* file, uint64_t index);

/// Collective, reading only. The numbers of all steps.
/// @param capacity number of elements of `numbers`, which may be null if it is 0
/// @param count receives the number of steps; more than `capacity` is no error, the first ones are returned
QUIRE_EXPORT quire_status quire_steps(quire_file* file, uint64_t capacity, int64_t* numbers, uint64_t* count);

/// Collective, reading only. The numbers of at most `capacity` steps from place `first` on.
/// @param count receives how many were returned, fewer than `capacity` at the end of the file
QUIRE_EXPORT quire_status quire_steps_from(quire_file* file, uint64_t first, uint64_t capacity, int64_t* numbers,
                                           uint64_t* count);

/// Independent, reading only. The number of the selected step.
QUIRE_EXPORT quire_status quire_get_step(quire_file* file, int64_t* number);

/// Collective, writing only. Writes all bytes of the step and only then publishes it: afterwards it is in the file on
/// every rank, or on none, and every rank has the same error; only a rank whose own put or set failed gets that error
/// while the others get QUIRE_ABORTED with its message. The step ends in all cases.
QUIRE_EXPORT quire_status quire_commit(quire_file* file);

/// Independent. 1 if quire_commit_async() writes the open step, or the next one, in the background: with the transport
/// posix, except for steps in parts, streams and files of several members; else 0, also for a file that is not open for
/// writing.
QUIRE_EXPORT int quire_overlaps(const quire_file* file);

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

/// Collective with the others' quire_commit(), writing only. Drops the step; the others' commit fails with
/// QUIRE_ABORTED and this reason.
/// @param reason may be null
QUIRE_EXPORT quire_status quire_abort(quire_file* file, const char* reason);

/// Collective, writing only. Stores a file inside this one, with the next commit or at close. The bytes of rank 0 are
/// copied. Fails with QUIRE_UNSUPPORTED if the format has no attachments.
/// @param bytes number of bytes in `values`; on other ranks than 0 neither is used
/// @param replace whether one of this name is replaced; otherwise it is a conflict error
QUIRE_EXPORT quire_status quire_attach(quire_file* file, const char* name, uint64_t bytes, const void* values,
                                       int replace);

/// Collective, writing only. Drops an attachment, with the next commit or at close.
QUIRE_EXPORT quire_status quire_detach(quire_file* file, const char* name);

/// Independent, reading only. A part of an attachment; usage errors beyond its end. The list QUIRE_ATTACHMENTS has
/// names and sizes.
/// @param offset of its first byte
/// @param bytes number of bytes to read into `values`
QUIRE_EXPORT quire_status quire_read_attachment(quire_file* file, const char* name, uint64_t offset, uint64_t bytes,
                                                void* values);

#ifdef __cplusplus
}
#endif

#endif
