#ifndef QUIRE_CAPI_ATTRIBUTES_H
#define QUIRE_CAPI_ATTRIBUTES_H

/* Small values of a file, a step or a field. Programs include quire/quire.h. */

#include "quire/capi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(modernize-use-using): this is C

/// What has the attributes that are set and read.
typedef enum quire_owner QUIRE_ENUM {
  QUIRE_OWNER_DEFAULT =
      0,  ///< the step; the file before the first step, and if the step that is read has none so named
  QUIRE_OWNER_FILE = 1,
  QUIRE_OWNER_STEP = 2,
  QUIRE_OWNER_FIELD = 3
} quire_owner;

// NOLINTEND(modernize-use-using)

/// Independent. The owner of the attributes in the following calls, until the next step.
/// @param field the name of a field of the step for QUIRE_OWNER_FIELD; when writing, the attributes are set before the
///              field is put or declared. Ignored for others; may be null then.
QUIRE_EXPORT quire_status quire_set_owner(quire_file* file, quire_owner owner, const char* field);

/// Independent, writing only. Further texts of the next attribute, constant, column or field that is set, put, declared
/// or defined; afterwards they are empty again. Any may be null.
/// @param symbol for plots
/// @param description in words
/// @param display printf format to display a value
QUIRE_EXPORT quire_status quire_set_description(quire_file* file, const char* symbol, const char* description,
                                                const char* display);

/// Independent, writing only. An attribute of the step, or of the file if no step was begun yet; the same on every
/// rank.
/// @param count number of values; 1 creates a scalar
/// @param unit may be null
QUIRE_EXPORT quire_status quire_set(quire_file* file, const char* name, quire_type type, uint64_t count,
                                    const void* values, const char* unit);

/// Independent, writing only. The same for an array of several axes, or of a single value.
/// @param axes length of `extents`; 0 creates a scalar
/// @param extents along each axis, slowest first
/// @param values in C order
QUIRE_EXPORT quire_status quire_set_array(quire_file* file, const char* name, quire_type type, uint64_t axes,
                                          const uint64_t* extents, const void* values, const char* unit);

/// Independent, writing only. The same for text.
QUIRE_EXPORT quire_status quire_set_text(quire_file* file, const char* name, const char* text);

/// Independent, writing only. The same for an array of texts of one axis.
QUIRE_EXPORT quire_status quire_set_texts(quire_file* file, const char* name, uint64_t count, const char* const* texts);

/// Independent, reading only. An attribute of the selected step; of the file if the step has none of this name or none
/// was selected; with quire_set_owner(), of its owner only. quire_get_info() returns type, unit and extents.
/// @param type of the caller's memory; a type error if a value would change
/// @param capacity number of elements of `values`; too few is a usage error
/// @param count receives the number of values, also in that case; may be null
QUIRE_EXPORT quire_status quire_get(quire_file* file, const char* name, quire_type type, uint64_t capacity,
                                    void* values, uint64_t* count);

/// Independent, reading only. The same for text, terminated by a zero byte. A number becomes its shortest text.
/// @param capacity bytes in `text`, including the zero byte
/// @param length receives the bytes of the text without the zero byte; may be null
QUIRE_EXPORT quire_status quire_get_text(quire_file* file, const char* name, uint64_t capacity, char* text,
                                         uint64_t* length);

/// Independent, reading only. All values of an attribute as texts, one or an array in C order.
/// @param texts receives the texts, which the caller owns: quire_free_texts(); null after an error
QUIRE_EXPORT quire_status quire_get_texts(quire_file* file, const char* name, quire_texts** texts);

#ifdef __cplusplus
}
#endif

#endif
