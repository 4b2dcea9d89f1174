#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quire {

/// The values of one column as canonical bytes: little-endian numbers, float80 as its first 10 bytes, texts unchanged.
struct CanonicalColumn {
  const std::byte* bytes = nullptr;
  std::size_t stride = 0;  ///< bytes from one number to the next
  std::size_t width = 0;   ///< bytes of one number that are hashed
  /// For texts: row i is bytes [offsets[i], offsets[i+1]); empty for numbers.
  std::span<const std::uint64_t> offsets;
};

/// Independent. The sum modulo 2^64 over all rows of the XXH3-64 (seed 0) of the row's bytes: the concatenation of its
/// columns in the given order, each text preceded by its length as 8 little-endian bytes.
///
/// The sum does not depend on the order of the rows, and sums of parts of a table add up to the sum of the whole.
/// Throws usage errors if a column of texts does not have rows + 1 rising offsets. Without columns it is 0.
[[nodiscard]] std::uint64_t sum_of_row_hashes(std::uint64_t rows, std::span<const CanonicalColumn> columns);

}  // namespace quire
