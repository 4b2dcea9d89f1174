#include "plan/chunk_boxes.hpp"

#include <algorithm>
#include <utility>

#include "quire/spi/base/checked.hpp"
#include "quire/spi/plan/chunks.hpp"

namespace quire {

ChunkBoxes::ChunkBoxes(std::vector<std::uint64_t> extents, std::vector<std::uint64_t> shape)
    : extents_(std::move(extents)), shape_(std::move(shape)), counts_(chunk_counts(extents_, shape_)) {
  const std::size_t axes = extents_.size();
  chunk_strides_.resize(axes);
  inner_strides_.resize(axes);
  std::uint64_t chunks = 1;
  std::uint64_t elements = 1;
  for (std::size_t axis = axes; axis-- > 0;) {
    chunk_strides_[axis] = chunks;
    inner_strides_[axis] = elements;
    chunks = checked_multiply(chunks, counts_[axis]);
    elements = checked_multiply(elements, shape_[axis]);
  }
  chunks_ = chunks;
  chunk_elements_ = elements;
  layer_chunks_ = axes == 0 ? 1 : chunk_strides_.front();
}

ChunkBoxes::Spot ChunkBoxes::find(const Line& line) const {
  Spot spot{.chunk = 0, .position = 0, .count = 1};
  std::uint64_t rest = line.first;
  for (std::size_t axis = extents_.size(); axis-- > 0;) {
    const std::uint64_t place = rest % extents_[axis];
    rest /= extents_[axis];
    const std::uint64_t chunk = place / shape_[axis];
    const std::uint64_t inner = place - chunk * shape_[axis];
    spot.chunk += chunk * chunk_strides_[axis];
    spot.position += inner * inner_strides_[axis];
    if (axis + 1 < extents_.size()) continue;
    const std::uint64_t room = std::min(extents_[axis] - place, shape_[axis] - inner);
    spot.count = std::min(line.count, (room - 1) / line.step + 1);
  }
  return spot;
}

bool ChunkBoxes::is_inside(std::uint64_t element, const std::vector<std::uint64_t>& smaller) const {
  for (std::size_t axis = extents_.size(); axis-- > 0;) {
    if (element % extents_[axis] >= smaller[axis]) return false;
    element /= extents_[axis];
  }
  return true;
}

std::vector<std::uint64_t> ChunkBoxes::origin(std::uint64_t chunk) const {
  std::vector<std::uint64_t> place(extents_.size());
  for (std::size_t axis = 0; axis < extents_.size(); ++axis) {
    place[axis] = chunk / chunk_strides_[axis] % counts_[axis] * shape_[axis];
  }
  return place;
}

std::vector<Slice> ChunkBoxes::rows_inside(std::uint64_t chunk, const std::vector<std::uint64_t>& smaller) const {
  std::vector<std::uint64_t> count = origin(chunk);
  std::uint64_t rows = 1;
  for (std::size_t axis = 0; axis < extents_.size(); ++axis) {
    if (count[axis] >= smaller[axis]) return {};
    count[axis] = std::min(shape_[axis], smaller[axis] - count[axis]);
    if (axis + 1 < extents_.size()) rows *= count[axis];
  }
  std::vector<Slice> slices;
  for (std::uint64_t row = 0; row < rows; ++row) {
    Slice slice{0, count.back()};
    std::uint64_t rest = row;
    for (std::size_t axis = extents_.size() - 1; axis-- > 0;) {
      slice.first += rest % count[axis] * inner_strides_[axis];
      rest /= count[axis];
    }
    slices.push_back(slice);
  }
  return slices;
}

std::vector<std::uint64_t> ChunkBoxes::chunks_across(const std::vector<std::uint64_t>& smaller) const {
  std::vector<std::uint64_t> held(extents_.size());
  std::uint64_t all = 1;
  for (std::size_t axis = 0; axis < extents_.size(); ++axis) {
    held[axis] = (smaller[axis] + shape_[axis] - 1) / shape_[axis];
    all *= held[axis];
  }
  std::vector<std::uint64_t> found;
  for (std::uint64_t i = 0; i < all; ++i) {
    std::uint64_t rest = i;
    std::uint64_t chunk = 0;
    bool is_across = false;
    for (std::size_t axis = extents_.size(); axis-- > 0;) {
      const std::uint64_t place = rest % held[axis];
      rest /= held[axis];
      chunk += place * chunk_strides_[axis];
      const std::uint64_t end = (place + 1) * shape_[axis];
      is_across = is_across || std::min(end, extents_[axis]) > smaller[axis];
    }
    if (is_across) found.push_back(chunk);
  }
  return found;
}

}  // namespace quire
