#include "format/chunk_grid.hpp"

#include <algorithm>

#include "quire/base/error.hpp"
#include "quire/model/selection.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire {

ChunkGrid::ChunkGrid(const Run& run) : array_shape_(run.chunks->shape) {
  const ChunkedLayout& layout = *run.chunks;
  array_counts_ = chunk_counts(layout.extents, layout.shape);
  if (volume(array_counts_) != layout.chunks.size()) {
    throw Error(ErrorKind::internal, "the table of chunks does not cover its array");
  }
  extents_ = layout.extents;
  shape_ = layout.shape;
  counts_ = array_counts_;
  record_bytes_ = layout.element_bytes;
  if (run.record_bytes != layout.element_bytes) {
    if (run.record_bytes != checked_multiply(layout.element_bytes, layout.extents.back())) {
      throw Error(ErrorKind::internal, "a record is neither an element of the array nor a row along its last axis");
    }
    cell_chunks_ = counts_.back();
    chunk_cells_ = shape_.back();
    record_bytes_ = checked_multiply(layout.element_bytes, chunk_cells_);
    extents_.back() = shape_.back() = counts_.back() = 1;
  }
  while (extents_.size() > 1 && shape_.back() == extents_.back()) {
    const std::uint64_t inner = extents_.back();
    for (auto* list : {&extents_, &shape_, &counts_}) list->pop_back();
    extents_.back() = checked_multiply(extents_.back(), inner);
    shape_.back() = checked_multiply(shape_.back(), inner);
  }
  chunk_records_ = volume(shape_);
  static_cast<void>(checked_multiply(chunk_records_, record_bytes_));
  for (std::size_t axis = 1; axis < extents_.size(); ++axis) {
    slab_records_ *= extents_[axis];
    slab_chunks_ *= counts_[axis];
  }
  slab_chunks_ *= cell_chunks_;
}

std::uint64_t ChunkGrid::first_chunk(std::uint64_t record) const noexcept {
  return record / slab_records_ / shape_.front() * slab_chunks_;
}

std::uint64_t ChunkGrid::end_chunk(std::uint64_t record) const noexcept { return first_chunk(record) + slab_chunks_; }

std::string ChunkGrid::name(std::uint64_t chunk) const {
  std::string text = "]";
  for (std::size_t axis = array_counts_.size(); axis-- > 0; chunk /= array_counts_[axis]) {
    text = (axis == 0 ? "" : ", ") + std::to_string(chunk % array_counts_[axis] * array_shape_[axis]) + text;
  }
  return "the chunk at [" + text;
}

}  // namespace quire
