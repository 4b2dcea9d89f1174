#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/h5/hdf5.hpp"
#include "format/records_lines.hpp"
#include "quire/model/selection.hpp"

namespace quire::h5 {

/// A dataspace with these extents.
[[nodiscard]] Handle space_of(const std::vector<std::uint64_t>& extents);

/// Selects elements of an array whose axes follow others in the dataspace, on which the indices are `lead`. Throws
/// usage errors for selections that do not fit the array, and for parts that overlap.
void select_elements(hid_t space, std::span<const std::uint64_t> lead, const std::vector<std::uint64_t>& extents,
                     const Selection& selection, const std::string& object);

/// Selects rows [first, first + count) along the first axis of a space.
void select_rows(hid_t space, std::uint64_t first, std::uint64_t count);

/// Selects the next `count` rows of a cursor, and advances it.
void select_rows(hid_t space, LineCursor& rows, std::uint64_t count);

}  // namespace quire::h5
