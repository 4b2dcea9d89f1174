#ifndef QUIRE_CAPI_ELEMENTS_H
#define QUIRE_CAPI_ELEMENTS_H

/* Expansions: coefficients of functions on elements of a mesh. Programs include quire/quire.h. */

#include <string.h>

#include "quire/capi/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(modernize-use-using): this is C

/// What the ranks have agreed on for the elements of one checkpoint, kept for the next ones of a series.
typedef struct quire_layout quire_layout;

/// Elements of one shape and one set of bases: quire_default_expansion(), then members by name. Lists are null if their
/// length is 0.
typedef struct quire_expansion {
  uint64_t size;             ///< of the structure
  const char* shape;         ///< of the elements: Segment, Triangle, ..., Hexahedron
  uint64_t directions;       ///< length of `basis` and `modes`
  const char* const* basis;  ///< one for each direction: those of the element, then the homogeneous ones
  const uint64_t* modes;     ///< one for each direction; null: every element has its own
  uint64_t homogeneous;      ///< length of `lengths`
  const double* lengths;     ///< of the homogeneous directions
  uint64_t y_planes;         ///< length of `y_ids`
  const uint64_t* y_ids;     ///< of the lines to which the coefficients belong, with two homogeneous directions
  uint64_t z_planes;         ///< length of `z_ids`
  const uint64_t* z_ids;     ///< the planes to which they belong, or lines; none: all
  int has_strips;
  uint64_t strips;            ///< length of `strip_ids`
  const uint64_t* strip_ids;  ///< of the strips to which they belong
  const char* points;         ///< types of the points, as written
  const char* point_counts;   ///< their numbers, as written
  const char* elements;       ///< the name of the table of the elements
  const char* origin;         ///< the part of the file that contains them
} quire_expansion;

/// Elements of one expansion that a rank has: quire_default_element_part(), then members by name.
typedef struct quire_element_part {
  uint64_t size;  ///< of the structure
  const quire_expansion* expansion;
  uint64_t elements;             ///< their number
  const uint32_t* ids;           ///< of the elements
  const uint32_t* const* modes;  ///< if the expansion has none: for each direction those of every element
  uint64_t variables;            ///< length of `names` and `values`
  const char* const* names;      ///< of the variables
  uint64_t coefficients;         ///< of each variable, of all elements together
  const double* const* values;   ///< of each variable, element after element
} quire_element_part;

/// How elements that no rank requests by id are divided among the ranks.
typedef enum quire_partition QUIRE_ENUM {
  QUIRE_CONTIGUOUS = 0,  ///< in file order, equal numbers, or in proportion to `weights`
  QUIRE_EVERYTHING = 1   ///< all elements on every rank
} quire_partition;

/// Which elements a rank reads: quire_default_element_request(), then members by name.
typedef struct quire_element_request {
  uint64_t size;              ///< of the structure
  int is_by_ids;              ///< each rank lists its elements, possibly none; else `partition`, the same on every rank
  uint64_t elements;          ///< length of `ids`
  const uint32_t* ids;        ///< in any order
  quire_partition partition;  ///< without ids
  uint64_t ranks;             ///< length of `weights`
  const double* weights;      ///< of the ranks' shares, the same on every rank; none: equal shares
  uint64_t variables;         ///< length of `names`
  const char* const* names;   ///< of the variables, the same on every rank; none: all
} quire_element_request;

/// Elements of one expansion that were read, in file order. Pointers are valid until the next ones are read, another
/// step is selected, or the file is closed.
typedef struct quire_element_block {
  const quire_expansion* expansion;
  const char* table;  ///< of their coefficients
  uint64_t elements;
  const uint32_t* ids;
  uint64_t modes_count;         ///< length of `modes`
  const uint64_t* modes;        ///< if the expansion has none: those of each element, one after another
  uint64_t variables;           ///< the requested ones that the block has
  const char* const* names;     ///< of the variables
  const uint64_t* offsets;      ///< the coefficients of element i are [offsets[i], offsets[i + 1])
  const double* const* values;  ///< of each variable
} quire_element_block;

/// The elements that a rank has read. Pointers are valid as those of the blocks.
typedef struct quire_elements_info {
  uint64_t blocks;
  uint64_t missing;              ///< requested ids that the file does not have
  const uint32_t* missing_ids;   ///< as many
  uint64_t repeated;             ///< ids that occur twice in the file; both elements are among the blocks
  const uint32_t* repeated_ids;  ///< as many
} quire_elements_info;

// NOLINTEND(modernize-use-using)

/// Independent. An expansion without anything.
static inline quire_expansion quire_default_expansion(void) {
  quire_expansion expansion;
  memset(&expansion, 0, sizeof expansion);
  expansion.size = sizeof expansion;
  return expansion;
}

/// Independent. A part without elements.
static inline quire_element_part quire_default_element_part(void) {
  quire_element_part part;
  memset(&part, 0, sizeof part);
  part.size = sizeof part;
  return part;
}

/// Independent. A request for equal shares of all elements.
static inline quire_element_request quire_default_element_request(void) {
  quire_element_request request;
  memset(&request, 0, sizeof request);
  request.size = sizeof request;
  return request;
}

/// Independent. An empty layout for the checkpoints of one communicator.
/// @param layout receives it; the caller owns it: quire_free_layout()
QUIRE_EXPORT quire_status quire_new_layout(quire_layout** layout);

/// Independent. The number of checkpoints whose layout was exchanged; 0 for null.
QUIRE_EXPORT uint64_t quire_count_distributions(const quire_layout* layout);

/// Independent. The number of checkpoints that found it unchanged; 0 for null.
QUIRE_EXPORT uint64_t quire_count_reused(const quire_layout* layout);

/// Independent. Releases a layout; null is allowed. Never fails.
QUIRE_EXPORT void quire_free_layout(quire_layout* layout);

/// Independent. The number of coefficients of one element in all its planes.
/// @param directions length of `modes`
/// @param modes of the element in each direction
QUIRE_EXPORT quire_status quire_get_element_coefficients(const quire_expansion* expansion, uint64_t directions,
                                                         const uint64_t* modes, uint64_t* coefficients);

/// Independent, writing only. Puts this rank's elements into the step; every rank calls it, also one without elements.
/// Their arrays must stay valid until quire_commit() or quire_abort() returns. Invalid parts are errors of the commit
/// on every rank.
/// @param parts length of `mine`; each of another kind of elements
/// @param mine pointers to the parts, which are copied but for ids, modes and values
/// @param layout saves collectives in a series of checkpoints; may be null
QUIRE_EXPORT quire_status quire_put_elements(quire_file* file, uint64_t parts, const quire_element_part* const* mine,
                                             const quire_layout* layout);

/// Independent, writing only. The rows of the table are coefficients on elements, which quire_put() passes. For copying
/// files; quire_put_elements() does it itself.
QUIRE_EXPORT quire_status quire_set_expansion(quire_file* file, const quire_expansion* expansion);

/// Independent, reading only. The expansion of the table (quire_info.is_expansion). Pointers are valid until the next
/// call of this function, another step is selected, or the file is closed.
/// @param size sizeof(quire_expansion)
QUIRE_EXPORT quire_status quire_get_expansion(quire_file* file, quire_expansion* expansion, uint64_t size);

/// Collective, reading only. Reads elements of the step with their coefficients, on any number of ranks. Succeeds on
/// all ranks, or fails on all with the same error.
QUIRE_EXPORT quire_status quire_read_elements_all(quire_file* file, const quire_element_request* request);

/// Independent, reading only. The elements that this rank has read.
/// @param size sizeof(quire_elements_info)
QUIRE_EXPORT quire_status quire_get_elements_info(quire_file* file, quire_elements_info* info, uint64_t size);

/// Independent, reading only. A block of them, from index 0 on.
/// @param size sizeof(quire_element_block)
QUIRE_EXPORT quire_status quire_get_element_block(quire_file* file, uint64_t index, quire_element_block* block,
                                                  uint64_t size);

#ifdef __cplusplus
}
#endif

#endif
