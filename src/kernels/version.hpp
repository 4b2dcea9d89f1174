#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kernels/bins.hpp"
#include "kernels/interleave.hpp"

namespace quire::kernels {

/// Neighbouring columns of one cell size without gaps in memory, for the loops that process several columns at once:
/// `count` columns; the value of row r of column c is at `columns[c].data + r * size`.
struct PackTiles {
  const Source* columns;
  std::size_t count;
  std::size_t first_row;
  std::size_t rows;
  std::byte* out;  ///< the first cell of row `first_row`
  std::size_t record_bytes;
  bool reverse;
};
struct UnpackTiles {
  const Target* columns;
  std::size_t count;
  std::size_t first_row;
  std::size_t rows;
  const std::byte* in;
  std::size_t record_bytes;
  bool reverse;
};

/// One version of the loops, specialised for a kind of processor. A missing loop (nullptr) means that the plain one is
/// used.
struct Version {
  std::string_view name;
  /// Minimum number of neighbouring columns of 8 and 4 bytes for the tile loops.
  std::size_t fewest8 = 0;
  std::size_t fewest4 = 0;
  void (*pack8)(const PackTiles&) = nullptr;
  void (*pack4)(const PackTiles&) = nullptr;
  void (*unpack8)(const UnpackTiles&) = nullptr;
  void (*unpack4)(const UnpackTiles&) = nullptr;
  /// As unpack8, by non-temporal stores: all values are at multiples of 8, all columns at the same offset in a line.
  void (*stream8)(const UnpackTiles&) = nullptr;
  void (*copy)(std::byte* to, const std::byte* from, std::size_t bytes) = nullptr;
  /// Writes the places of the first values, and returns of how many.
  std::size_t (*place)(const BinJob&) = nullptr;
};

/// Independent. The plain version: the reference in tests and the fallback.
[[nodiscard]] const Version& scalar_version() noexcept;
/// Independent. All versions that this processor can run, the plain one first, the fastest last.
[[nodiscard]] const std::vector<const Version*>& versions();
/// Independent. The fastest of them; the processor is queried once.
[[nodiscard]] const Version& best_version();

}  // namespace quire::kernels
