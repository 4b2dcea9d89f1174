#ifndef QUIRE_CAPI_BASE_H
#define QUIRE_CAPI_BASE_H

/* Types, errors, names and texts of the C interface. Programs include quire/quire.h. */

#include <stdint.h>

#if defined(__GNUC__)
#define QUIRE_EXPORT __attribute__((visibility("default")))
#else
#define QUIRE_EXPORT
#endif

// Enumerations may have any value in C++, as in C: the library checks those that it gets.
#ifdef __cplusplus
#define QUIRE_ENUM : int
#else
#define QUIRE_ENUM
#endif

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(modernize-use-using): this is C

/// The kind of an error, by what the caller can do about it.
typedef enum quire_status QUIRE_ENUM {
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

/// The types of values in the caller's memory. Strings are passed and returned by the functions for texts.
typedef enum quire_type QUIRE_ENUM {
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

/// Texts that were read. The caller owns them; they do not depend on the file.
typedef struct quire_texts quire_texts;

/// The last error of a handle, in its parts. Texts are empty if unknown, and valid until the next call on the handle.
typedef struct quire_error {
  quire_status status;
  const char* message;  ///< what happened
  const char* path;     ///< of the file
  const char* object;   ///< the table, column, attribute, ... in it
  const char* advice;   ///< what to do
  int has_offset;       ///< whether the next member is known
  uint64_t offset;      ///< in bytes, in the file
  int rank;             ///< on which it happened; -1 if unknown
} quire_error;

// NOLINTEND(modernize-use-using)

/// Independent. The version of the library that the program is linked with, such as "0.1.0". Valid for the lifetime of
/// the program.
QUIRE_EXPORT const char* quire_version(void);

/// Independent. The message of the last call that failed on this handle: error, place and advice; an empty text if none
/// has failed. Valid until the next call on the handle. For a null handle, a text that states so.
QUIRE_EXPORT const char* quire_error_message(const quire_file* file);

/// Independent. The parts of that message; QUIRE_OK and empty texts if no call has failed.
/// @param size sizeof(quire_error)
QUIRE_EXPORT quire_status quire_get_error(const quire_file* file, quire_error* error, uint64_t size);

/// Independent. The name of a status: "ok", "missing", ... Valid for the lifetime of the program.
QUIRE_EXPORT const char* quire_status_name(quire_status status);

/// Independent. The name of a type: "float64", "string", ...; "unknown" for other numbers. Valid for the lifetime of
/// the program.
QUIRE_EXPORT const char* quire_type_name(quire_type type);

/// Independent. The bytes of a value in memory; 0 for strings and unknown types.
QUIRE_EXPORT uint64_t quire_type_size(quire_type type);

/// Independent. The number of texts; 0 for null.
QUIRE_EXPORT uint64_t quire_count_texts(const quire_texts* texts);

/// Independent. Text `index`, terminated by a zero byte; null if there is none. Valid until quire_free_texts().
QUIRE_EXPORT const char* quire_text(const quire_texts* texts, uint64_t index);

/// Independent. The bytes of text `index` without the zero byte at its end; 0 if there is none. The text may contain
/// zero bytes.
QUIRE_EXPORT uint64_t quire_text_length(const quire_texts* texts, uint64_t index);

/// Independent. Releases the texts; null is allowed. Never fails.
QUIRE_EXPORT void quire_free_texts(quire_texts* texts);

#ifdef __cplusplus
}
#endif

#endif
