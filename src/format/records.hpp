#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quire/model/selection.hpp"
#include "quire/model/value.hpp"
#include "quire/spi/plan/plan.hpp"
#include "quire/spi/plan/record.hpp"
#include "quire/spi/plan/sieve.hpp"

namespace quire {

/// Independent. Extents that write rows [first, first + rows) of a run from the callers' memory.
///
/// `views` has one view for each cell of the run, each holding exactly `rows` values. Ready bytes (one fixed cell, same
/// type and byte order, contiguous memory) are written directly, everything else through an encoder. For runs of
/// variable record size rows must be added in order, from 0: `position` is where the previous call ended, relative to
/// the run's offset; returns where this one ends. If types differ, values are converted while they are encoded: without
/// loss, or a type error names the row (`lossy` allows it). `objects[c]` names column c in such messages.
/// Throws usage errors for rows beyond the run and for strings beyond its bytes, type errors for views that cannot be
/// converted, unsupported errors for strings of 2 GiB and more. In runs of text, all rows must be added at once and
/// fill the run.
std::uint64_t add_rows(WritePlan& plan, const Run& run, std::uint64_t first, std::uint64_t rows,
                       std::span<const ConstView> views, std::uint64_t position, bool lossy = false,
                       std::span<const std::string> objects = {});

/// Independent. The number of bytes of values in a run of text: one view for each cell of the run, all of one length.
/// For plans without data, views without memory count as numbers of typical width, strings as empty ones. Errors as for
/// add_rows, and unsupported errors for strings with zero bytes.
[[nodiscard]] std::uint64_t text_bytes(const Run& run, std::span<const ConstView> views, bool lossy = false,
                                       std::span<const std::string> objects = {});

/// A requested column: its cell's column number and the destination of its values.
struct ColumnTarget {
  std::uint64_t column = 0;
  View view;
  std::string object = {};  ///< its name in messages; empty: its number
};

/// Independent. Extents that read rows of a table into memory: exactly the bytes needed (records are read whole if more
/// than one of their cells is requested; records of variable size from the mark before to the mark after the rows).
/// Opaque runs are skipped; the caller reads them through the describer. If types differ, values are converted: without
/// loss, or a type error names the row (`lossy` allows it). Strings are appended.
/// Throws usage errors for rows beyond a run and for columns that no run has, type errors for views that cannot be
/// converted. The decoders throw bad_file errors whose offset is relative to the extent.
void add_rows(ReadPlan& plan, const Place& place, const Slice& rows, std::span<const ColumnTarget> columns, bool lossy);

/// Independent. Extents that read a box of a field (extents slowest first) from its runs, one view per component, each
/// with the elements of the box in C order. Errors as for add_rows.
void add_box(ReadPlan& plan, const Place& place, const std::vector<std::uint64_t>& extents, const Box& box,
             std::span<const View> components, bool lossy, const std::string& object = {});

/// Independent. Extents that write elements of an array from the caller's memory. `run` holds the whole array, `view`
/// the elements in their order: as many as are selected or, unless `memory` is packed, as its extents have. Contiguous
/// elements share an extent, and nothing else is written. If the records of the run have no fixed size it holds just
/// these elements. Errors as for add_rows.
void add_selection(WritePlan& plan, const Run& run, const SelectionWalk& elements, const ConstView& view,
                   const MemorySelection& memory, bool lossy = false, const std::string& object = {});

/// Independent. Extents that read elements of an array, or rows of a table, into memory: `columns` as for add_rows, but
/// each view holds all elements of `memory`, unless that is packed. Elements that are close together are read in one
/// sieve. Errors as for add_rows; strings, and values that are not addressed one by one (is_addressed), need packed
/// memory.
void add_selection(ReadPlan& plan, const Place& place, const SelectionWalk& elements,
                   std::span<const ColumnTarget> columns, const MemorySelection& memory, bool lossy,
                   const SieveLimits& limits = {});

/// True if every value of a run has its own offset in the file.
[[nodiscard]] bool is_addressed(const Run& run) noexcept;

/// Independent. Copies the elements that `memory` selects to `packed`, contiguously, which has as many elements. Both
/// views are of numbers of one type. unpack_memory is the inverse.
void pack_memory(const MemorySelection& memory, const ConstView& source, const View& packed);
void unpack_memory(const MemorySelection& memory, const ConstView& packed, const View& target);

/// Independent. The contiguous parts of a box inside an array with these extents: first element and number of elements
/// of each, in file order. Neighbouring parts are joined. Throws usage errors for boxes outside the array.
[[nodiscard]] std::vector<Slice> contiguous_parts(const std::vector<std::uint64_t>& extents, const Box& box);

}  // namespace quire
