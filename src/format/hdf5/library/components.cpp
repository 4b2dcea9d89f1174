#include "format/hdf5/library/components.hpp"

#include <optional>
#include <utility>

namespace quire::hdf5 {
namespace {

/// The chunks of one component, if each chunk belongs to one component.
ChunkedLayout chunks_of(const ChunkedLayout& all, std::uint64_t component, std::uint64_t components) {
  ChunkedLayout own = all;
  own.extents.erase(own.extents.begin());
  own.shape.erase(own.shape.begin());
  const auto count = static_cast<std::ptrdiff_t>(all.chunks.size() / components);
  const auto first = all.chunks.begin() + static_cast<std::ptrdiff_t>(component) * count;
  own.chunks.assign(first, first + count);
  return own;
}

/// Only the shape, for chunks that only the library reads.
ChunkedLayout chunk_shape_of_component(const ChunkedLayout& whole) {
  ChunkedLayout layout;
  layout.extents.assign(whole.extents.begin() + 1, whole.extents.end());
  layout.shape.assign(whole.shape.begin() + 1, whole.shape.end());
  layout.element_bytes = whole.element_bytes;
  return layout;
}

}  // namespace

void split_components(Place& place, std::uint64_t components) {
  Run run = std::move(place.runs.front());
  const std::optional<ChunkedLayout> chunks = std::exchange(run.chunks, std::nullopt);
  run.records /= components;
  run.bytes /= components;
  place.runs.clear();
  for (std::uint64_t c = 0; c < components; ++c) {
    run.cells.front().column = c;
    run.is_part = true;
    Run& own = place.runs.emplace_back(run);
    if (chunks && !own.opaque && chunks->shape.front() == 1) {
      own.chunks = chunks_of(*chunks, c, components);
    } else if (chunks) {
      own.opaque = true;
      own.chunks = chunk_shape_of_component(*chunks);
    }
    run.offset += run.bytes;
  }
}

}  // namespace quire::hdf5
