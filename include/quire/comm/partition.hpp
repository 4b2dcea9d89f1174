#pragma once

#include <cstdint>
#include <span>

#include "quire/model/slice.hpp"

namespace quire {

/// Independent. Rows [first, first + count) of rank `rank` of `size` when `rows` are split evenly: rows div size each,
/// one more for the first rows mod size ranks (specs/sdds.md section 6.1).
[[nodiscard]] Slice even_slice(std::uint64_t rows, int rank, int size);

/// Independent. The same over ranks 1..size-1; rank 0 gets nothing. With one rank it gets everything.
[[nodiscard]] Slice slice_without_root(std::uint64_t rows, int rank, int size);

/// Independent. Rows in proportion to the weights (one per rank, finite, not all zero, none negative). The running sum
/// is rounded down; the last rank with a positive weight gets the remaining rows.
[[nodiscard]] Slice weighted_slice(std::uint64_t rows, int rank, std::span<const double> weights);

}  // namespace quire
