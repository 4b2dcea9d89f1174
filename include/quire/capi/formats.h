#ifndef QUIRE_CAPI_FORMATS_H
#define QUIRE_CAPI_FORMATS_H

/* The formats of the library and their options. Programs include quire/quire.h. */

#include "quire/capi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(modernize-use-using): this is C

/// What files of a format can hold. Texts are valid for the lifetime of the program.
typedef struct quire_format_info {
  const char* name;
  const char* title;       ///< one line
  uint64_t suffixes;       ///< their number: quire_format_suffix()
  int holds_one_step;      ///< a second step, and appending, is an unsupported error
  int finds_steps_alone;   ///< an unreadable step hides no other
  int holds_tables;        ///< of any columns; otherwise only those of the format
  int holds_constants;     ///< a column with the same number in every row is stored once
  int holds_streams;       ///< files are written from streams only
  int holds_elements;      ///< files are written from elements with coefficients only
  int holds_attachments;   ///< other files inside
  int holds_declarations;  ///< a file without steps keeps definitions
  uint64_t read_options;   ///< their number: quire_get_option()
  uint64_t write_options;
} quire_format_info;

typedef enum quire_option_kind QUIRE_ENUM { QUIRE_TRUTH = 0, QUIRE_INTEGER = 1, QUIRE_TEXT = 2 } quire_option_kind;

/// One option of the reader or writer of a format. Texts are valid for the lifetime of the program.
typedef struct quire_option_info {
  const char* name;
  quire_option_kind kind;
  const char* preset;  ///< the value when not given
  const char* help;
  uint64_t choices;  ///< of a text, their number: quire_option_choice(); 0: any text
} quire_option_info;

// NOLINTEND(modernize-use-using)

/// Independent. The name of a format of this build, from index 0 on; null after the last one. Valid for the lifetime of
/// the program.
QUIRE_EXPORT const char* quire_format_name(uint64_t index);

/// Independent. The name of the format for the suffix of a path; null if there is none.
QUIRE_EXPORT const char* quire_format_for_path(const char* path);

/// Independent. A suffix of the files of a format, from index 0 on; null after the last one, and for unknown names.
QUIRE_EXPORT const char* quire_format_suffix(const char* name, uint64_t index);

/// Independent. 1 if files of this format hold a single step, else 0; 0 for unknown names.
QUIRE_EXPORT int quire_format_holds_one_step(const char* name);

/// Independent. 1 if files of this format hold streams and nothing else; also 0 for unknown names.
QUIRE_EXPORT int quire_format_holds_streams(const char* name);

/// Independent. 1 if a step of a file of this format may have tables of any columns; also 0 for unknown names.
QUIRE_EXPORT int quire_format_holds_tables(const char* name);

/// Independent. A format by its name; QUIRE_MISSING for unknown names.
/// @param size sizeof(quire_format_info)
QUIRE_EXPORT quire_status quire_get_format_info(const char* name, quire_format_info* info, uint64_t size);

/// Independent. An option of a format; QUIRE_MISSING for unknown formats and beyond the end. Options that all formats
/// have belong to the format "".
/// @param is_writing 0: of the reader, else of the writer
/// @param index from 0 on
/// @param size sizeof(quire_option_info)
QUIRE_EXPORT quire_status quire_get_option(const char* format, int is_writing, uint64_t index, quire_option_info* info,
                                           uint64_t size);

/// Independent. A value that an option of this place can have, from index 0 on; null after the last one.
QUIRE_EXPORT const char* quire_option_choice(const char* format, int is_writing, uint64_t option, uint64_t index);

#ifdef __cplusplus
}
#endif

#endif
