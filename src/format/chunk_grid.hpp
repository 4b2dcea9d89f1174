#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "quire/spi/plan/record.hpp"

namespace quire {

/// Records that are consecutive both in their run and in their chunk.
struct ChunkLine {
  std::uint64_t record = 0;    ///< number of the first record in the run
  std::uint64_t position = 0;  ///< number of the first record in the chunk
  std::uint64_t count = 0;
};

/// The layout of the records of a chunked run in its chunks.
class ChunkGrid {
 public:
  /// Throws an internal error if the cells are neither those of one element nor all cells along the last axis, or if
  /// the table of chunks does not cover the array.
  explicit ChunkGrid(const Run& run);

  /// Number of chunks that hold the same records: neighbours along the axis of the cells. 1 if an element is a record.
  [[nodiscard]] std::uint64_t cell_chunks() const noexcept { return cell_chunks_; }
  /// Cells of a record in one chunk.
  [[nodiscard]] std::uint64_t chunk_cells() const noexcept { return chunk_cells_; }
  [[nodiscard]] std::uint64_t chunk_records() const noexcept { return chunk_records_; }
  [[nodiscard]] std::uint64_t record_bytes() const noexcept { return record_bytes_; }
  [[nodiscard]] std::uint64_t chunk_bytes() const noexcept { return chunk_records_ * record_bytes_; }
  /// True if every chunk is a single line.
  [[nodiscard]] bool is_line() const noexcept { return extents_.size() == 1; }

  /// The first chunk that may hold `record` or a later record.
  [[nodiscard]] std::uint64_t first_chunk(std::uint64_t record) const noexcept;
  /// One past the last chunk that may hold `record`.
  [[nodiscard]] std::uint64_t end_chunk(std::uint64_t record) const noexcept;

  /// Calls `use(ChunkLine)` for each line of a chunk inside the array, in order, until it returns false.
  template <class Use>
  void for_each_line(std::uint64_t chunk, Use&& use) const;

  /// The chunk by its first element, for messages: "the chunk at [64, 0]".
  [[nodiscard]] std::string name(std::uint64_t chunk) const;

 private:
  std::vector<std::uint64_t> array_counts_;  ///< of chunks along each axis of the array, and their shape
  std::vector<std::uint64_t> array_shape_;
  // The axes of the records. Inner axes that a chunk spans completely are merged with the next outer axis.
  std::vector<std::uint64_t> extents_;
  std::vector<std::uint64_t> shape_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t slab_records_ = 1;  ///< of one index of the outermost axis
  std::uint64_t slab_chunks_ = 1;   ///< of one index of the outermost axis of chunks
  std::uint64_t cell_chunks_ = 1;
  std::uint64_t chunk_cells_ = 1;
  std::uint64_t chunk_records_ = 1;
  std::uint64_t record_bytes_ = 0;  ///< in one chunk
};

template <class Use>
void ChunkGrid::for_each_line(std::uint64_t chunk, Use&& use) const {
  const std::size_t axes = extents_.size();
  std::vector<std::uint64_t> origin(axes);
  std::vector<std::uint64_t> count(axes);
  std::uint64_t rest = chunk / cell_chunks_;
  for (std::size_t axis = axes; axis-- > 0; rest /= counts_[axis]) {
    origin[axis] = rest % counts_[axis] * shape_[axis];
    count[axis] = std::min(shape_[axis], extents_[axis] - origin[axis]);
  }
  std::vector<std::uint64_t> at(axes, 0);
  for (;;) {
    ChunkLine line{0, 0, count.back()};
    for (std::size_t axis = 0; axis < axes; ++axis) {
      line.record = line.record * extents_[axis] + origin[axis] + at[axis];
      line.position = line.position * shape_[axis] + at[axis];
    }
    if (!use(line)) return;
    std::size_t axis = axes - 1;
    while (axis > 0 && ++at[axis - 1] == count[axis - 1]) at[--axis] = 0;
    if (axis == 0) return;
  }
}

}  // namespace quire
