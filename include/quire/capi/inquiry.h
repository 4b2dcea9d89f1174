#ifndef QUIRE_CAPI_INQUIRY_H
#define QUIRE_CAPI_INQUIRY_H

/* What a file and its selected step contain. Programs include quire/quire.h. */

#include "quire/capi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(modernize-use-using): this is C

/// The lists of a file. Of a file that is written, those of a step describe its first committed step.
typedef enum quire_list QUIRE_ENUM {
  QUIRE_ATTRIBUTES = 0,   ///< of the owner (quire_set_owner()); by default of the step, or of the file without a step
  QUIRE_TABLES = 1,       ///< of the step
  QUIRE_COLUMNS = 2,      ///< of the table (quire_table())
  QUIRE_CONSTANTS = 3,    ///< columns of the table with the same number in every row, which is stored once
  QUIRE_FIELDS = 4,       ///< of the step
  QUIRE_ATTACHMENTS = 5,  ///< files that are stored in the file
  QUIRE_MEMBERS = 6,      ///< names of the other files of a set
  QUIRE_LAYOUT = 7,       ///< facts about the layout of the file, such as "byte order": "little"
  QUIRE_WARNINGS = 8,     ///< tolerances used while reading the file, then the step; the name is the sentence
  QUIRE_REMARKS = 9       ///< requests that could not be met by a file that is written; the name is the sentence
} quire_list;

/// An entry of a list. Members that the list does not have are 0, null or an empty text. Pointers are valid until
/// another step is selected, or the file is closed.
typedef struct quire_info {
  const char* name;
  quire_type type;          ///< of attributes, columns, constants and fields, as stored
  const char* unit;         ///< exactly as in the file, as are the next three
  const char* symbol;       ///< for plots
  const char* description;  ///< in words
  const char* display;      ///< printf format of the file's author
  const char* group;        ///< fields of one group belong together
  const char* value;        ///< of a fact
  uint64_t count;           ///< values of an attribute, elements of a field, rows of a table or column, bytes
  uint64_t axes;            ///< of an attribute (0: scalar) or field
  const uint64_t* extents;  ///< along each axis, slowest first
  uint64_t components;      ///< of each element of a field
  uint64_t text_bytes;      ///< of each string of a column if all have the same size in the file
  int is_expansion;         ///< the rows of the table are coefficients on elements
} quire_info;

/// A file as a whole. Texts are valid until it is closed.
typedef struct quire_file_info {
  const char* format;
  const char* title;
  const char* contents;
  int is_writing;         ///< it is open for writing; texts are then empty
  int has_declarations;   ///< it declares the structure of its steps apart from them: quire_step_declared()
  int finds_steps_alone;  ///< an unreadable step may be followed by readable ones
  int appears_at_close;   ///< when writing: it is complete at its path only after quire_close()
  int pads_texts;         ///< when writing: all texts of a column are stored with the size of the longest one
} quire_file_info;

/// The time that this rank has spent on a file, in seconds.
typedef struct quire_timing {
  double plan;
  double wait;
  double encode;
  double transfer;
  double metadata;
} quire_timing;

/// Calls and bytes of this rank on a file.
typedef struct quire_counters {
  uint64_t opens;
  uint64_t creates;  ///< opens that created the file
  uint64_t stats;    ///< queries of the size of a file
  uint64_t writes;
  uint64_t reads;
  uint64_t bytes_written;
  uint64_t bytes_read;
  uint64_t syncs;
  uint64_t collectives;  ///< of the file's communicator
  uint64_t messages;     ///< to other ranks
  uint64_t bytes_sent;   ///< in these messages
} quire_counters;

/// Where the values of a column, or of one component of a field, are stored. Pointers are valid until the next call on
/// the handle.
typedef struct quire_location {
  const char* path;       ///< inside a file that is a container with paths; else empty
  const char* member;     ///< the name of the file of a set that has them; empty: the first one
  quire_type type;        ///< as stored
  int is_contiguous;      ///< the values are stored consecutively from `offset` on
  int is_big_endian;      ///< the byte order
  uint64_t offset;        ///< of the first value, in bytes
  uint64_t count;         ///< of values
  uint64_t axes;          ///< of `chunk`; 0: not chunked
  const uint64_t* chunk;  ///< the shape in which values are encoded together
} quire_location;

// NOLINTEND(modernize-use-using)

/// Independent. The number of entries of a list.
QUIRE_EXPORT quire_status quire_get_count(quire_file* file, quire_list list, uint64_t* count);

/// Independent. The name of an entry. Valid until another step is selected, or the file is closed.
/// @param index from 0 on; a missing error beyond the end
QUIRE_EXPORT quire_status quire_get_name(quire_file* file, quire_list list, uint64_t index, const char** name);

/// Independent. An entry by its name. Missing errors name the nearest ones.
/// @param name for QUIRE_TABLES null is the only or first table
/// @param size sizeof(quire_info): a program may be compiled with another version than it is linked with
QUIRE_EXPORT quire_status quire_get_info(quire_file* file, quire_list list, const char* name, quire_info* info,
                                         uint64_t size);

/// Independent. The file as a whole.
/// @param size sizeof(quire_file_info)
QUIRE_EXPORT quire_status quire_get_file_info(quire_file* file, quire_file_info* info, uint64_t size);

/// Independent. The time that this rank has spent, until now.
/// @param size sizeof(quire_timing)
QUIRE_EXPORT quire_status quire_get_timing(quire_file* file, quire_timing* timing, uint64_t size);

/// Independent. The calls and bytes of this rank, until now.
/// @param size sizeof(quire_counters)
QUIRE_EXPORT quire_status quire_get_counters(quire_file* file, quire_counters* counters, uint64_t size);

/// Independent, reading only. Where the values of a column of the table are stored, for programs that read them by
/// other means.
/// @param size sizeof(quire_location)
QUIRE_EXPORT quire_status quire_locate(quire_file* file, const char* column, quire_location* location, uint64_t size);

/// Independent, reading only. The same for a component of a field, from 0 on.
/// @param size sizeof(quire_location)
QUIRE_EXPORT quire_status quire_locate_field(quire_file* file, const char* field, uint64_t component,
                                             quire_location* location, uint64_t size);

#ifdef __cplusplus
}
#endif

#endif
