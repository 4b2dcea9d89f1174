#ifndef QUIRE_CAPI_TOOLS_H
#define QUIRE_CAPI_TOOLS_H

/* Shares of ranks, units, and the state of files. Programs include quire/quire.h. */

#include "quire/capi/files.h"

#ifdef __cplusplus
extern "C" {
#endif

// NOLINTBEGIN(modernize-use-using): this is C

/// How the blocks of a grid of ranks are arranged.
typedef enum quire_placement QUIRE_ENUM {
  QUIRE_NATURAL = 0,    ///< along each axis as many blocks as ranks
  QUIRE_COMPATIBLE = 1  ///< the coordinates of the first and the last of three axes are exchanged
} quire_placement;

/// The result of quire_check(). Pointers are valid until the next call of it, or until quire_free().
typedef struct quire_check_report {
  uint64_t whole_steps;
  uint64_t steps;                ///< length of `numbers`
  const int64_t* numbers;        ///< of the whole steps
  int is_damaged;                ///< there is a defect
  const char* damage;            ///< the first one; else empty
  uint64_t damaged_steps;        ///< length of the next two lists; whole steps may follow them
  const int64_t* damaged;        ///< the numbers of steps that cannot be read
  const char* const* damages;    ///< of each of them
  int is_salvageable;            ///< quire_step_salvaged() can recover rows
  int is_changed;                ///< the bytes differ from the stored checksums
  int is_undecoded;              ///< values are encoded in pieces that were not decoded
  int is_being_written;          ///< a writer has the file open
  uint64_t warnings;             ///< length of the next list
  const char* const* sentences;  ///< the warnings
} quire_check_report;

// NOLINTEND(modernize-use-using)

/// Independent. Rows [first, first + count) of a rank if `rows` are split evenly: rows div size each, one more for the
/// first rows mod size ranks.
QUIRE_EXPORT quire_status quire_even_slice(uint64_t rows, int rank, int size, uint64_t* first, uint64_t* count);

/// Independent. The same over ranks 1 to size - 1; rank 0 gets nothing, but with one rank it gets everything.
QUIRE_EXPORT quire_status quire_slice_without_root(uint64_t rows, int rank, int size, uint64_t* first, uint64_t* count);

/// Independent. Rows in proportion to the weights, one for each of `size` ranks: finite, not all 0, none negative.
QUIRE_EXPORT quire_status quire_weighted_slice(uint64_t rows, int rank, int size, const double* weights,
                                               uint64_t* first, uint64_t* count);

/// Collective. Cuts boxes with ghost zones, one on each rank of the file, until no two share an element.
/// @param axes length of the lists, the same on every rank
/// @param start first element of this rank's box, and then of the cut one
/// @param count its number of elements along each axis, and then of the cut one
QUIRE_EXPORT quire_status quire_make_disjoint(quire_file* file, uint64_t axes, uint64_t* start, uint64_t* count);

/// Collective. A conflict error that names the ranks, on all of them, if the boxes of two ranks share an element.
QUIRE_EXPORT quire_status quire_require_disjoint(quire_file* file, uint64_t axes, const uint64_t* start,
                                                 const uint64_t* count);

/// Independent. The box and the memory of this rank in a field of equal blocks: quire_set_box() and quire_set_memory().
/// @param axes length of the lists
/// @param grid ranks along each axis; rank numbers increase along the fastest axis first
/// @param block elements of a block
/// @param halo more elements in memory on both sides of each axis; may be null: none
QUIRE_EXPORT quire_status quire_set_grid_part(quire_file* file, uint64_t axes, const uint64_t* grid,
                                              const uint64_t* block, const uint64_t* halo, quire_placement placement);

/// Independent. The conversion of values from one unit to another: one multiplication by `factor`, or one division. A
/// usage error for unknown units, a conflict for different dimensions.
/// @param divides receives whether values are divided by `factor`
QUIRE_EXPORT quire_status quire_get_unit_scale(const char* unit, const char* wanted, double* factor, int* divides);

/// Collective, reading only. Checks the whole file.
/// @param size sizeof(quire_check_report)
QUIRE_EXPORT quire_status quire_check(quire_file* file, quire_check_report* report, uint64_t size);

/// Collective. Repairs a file in place: finishes an interrupted replacement or publication, and drops the remains of an
/// unfinished step and the steps of these numbers.
/// @param steps length of `dropped`
/// @param dropped numbers of damaged steps; may be null if `steps` is 0
/// @param changed receives whether anything was done
/// @param file receives a handle for quire_error_message() and quire_free(), owned by the caller, also on failure
QUIRE_EXPORT quire_status quire_repair(const char* path, uint64_t steps, const int64_t* dropped,
                                       const quire_options* options, int* changed, quire_file** file);

/// Collective. For programs that change or replace a file by other means: locks what exists at the path against writers
/// until quire_close(). A conflict error while a writer has it open.
/// @param file receives a handle, owned by the caller, also on failure
QUIRE_EXPORT quire_status quire_lock(const char* path, const quire_options* options, quire_file** file);

#ifdef __cplusplus
}
#endif

#endif
