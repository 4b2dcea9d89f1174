#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace quire {

/// Registered numbers of chunk filters (by the HDF Group).
namespace filter_number {
inline constexpr std::uint32_t deflate = 1;
inline constexpr std::uint32_t shuffle = 2;
inline constexpr std::uint32_t fletcher32 = 3;
inline constexpr std::uint32_t lzf = 32000;
inline constexpr std::uint32_t lz4 = 32004;
inline constexpr std::uint32_t zstandard = 32015;
}  // namespace filter_number

/// One filter of the pipeline that a chunk passes when it is written.
struct Filter {
  std::uint32_t number = 0;               ///< the registered one: see filter_number
  std::vector<std::uint32_t> parameters;  ///< defined by the filter
  template <class Archive>
  void archive(Archive& a) {
    a(number, parameters);
  }
  [[nodiscard]] bool operator==(const Filter&) const = default;
};

/// The position of one chunk in the file.
struct Chunk {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;        ///< in the file; 0: never written, all elements have the fill value
  std::uint32_t filter_mask = 0;  ///< bit i is set: filter i was skipped
  template <class Archive>
  void archive(Archive& a) {
    a(offset, bytes, filter_mask);
  }
  [[nodiscard]] bool operator==(const Chunk&) const = default;
};

/// An array that is stored in chunks of one shape, each filtered separately. Chunks at the far edges are stored whole,
/// but only the part inside the array is used.
struct ChunkedLayout {
  std::vector<std::uint64_t> extents;  ///< of the array, slowest first; one for a column
  std::vector<std::uint64_t> shape;    ///< of a chunk, in the same order; never 0
  std::uint64_t element_bytes = 0;     ///< of one element, where no filter is applied
  std::vector<Filter> filters;         ///< in the order in which they are applied when a chunk is written
  std::vector<std::byte> fill;         ///< one element as stored in a file; empty: zeros
  std::vector<Chunk> chunks;           ///< in C order of their place in the array: as many as cover it
  template <class Archive>
  void archive(Archive& a) {
    a(extents, shape, element_bytes, filters, fill, chunks);
  }
};

/// Independent. The number of chunks along each axis. Throws usage errors for shapes that cannot be chunks of an array.
[[nodiscard]] std::vector<std::uint64_t> chunk_counts(const std::vector<std::uint64_t>& extents,
                                                      const std::vector<std::uint64_t>& shape);

}  // namespace quire
