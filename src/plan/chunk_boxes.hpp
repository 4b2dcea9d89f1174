#pragma once

#include <cstdint>
#include <vector>

#include "quire/model/selection.hpp"

namespace quire {

/// The chunks of one shape that cover an array, and the elements of each.
class ChunkBoxes {
 public:
  ChunkBoxes(std::vector<std::uint64_t> extents, std::vector<std::uint64_t> shape);

  [[nodiscard]] const std::vector<std::uint64_t>& extents() const noexcept { return extents_; }
  [[nodiscard]] std::uint64_t chunks() const noexcept { return chunks_; }
  [[nodiscard]] std::uint64_t chunk_elements() const noexcept { return chunk_elements_; }
  /// The number of chunks with the same position along the slowest axis.
  [[nodiscard]] std::uint64_t layer_chunks() const noexcept { return layer_chunks_; }

  /// Elements of a line in one row of one chunk.
  struct Spot {
    std::uint64_t chunk = 0;
    std::uint64_t position = 0;  ///< of the first one in the chunk
    std::uint64_t count = 0;     ///< number of elements of the line, from the first one on
  };
  /// The position of the first element of a line, and the number of elements that follow it in the same row.
  [[nodiscard]] Spot find(const Line& line) const;
  /// Whether an element is inside a smaller array with the same axes.
  [[nodiscard]] bool is_inside(std::uint64_t element, const std::vector<std::uint64_t>& smaller) const;
  /// The first element of a chunk, by its index along each axis.
  [[nodiscard]] std::vector<std::uint64_t> origin(std::uint64_t chunk) const;
  /// The part of a chunk inside a smaller array, as rows: positions in the chunk.
  [[nodiscard]] std::vector<Slice> rows_inside(std::uint64_t chunk, const std::vector<std::uint64_t>& smaller) const;
  /// Chunks with elements both inside and outside a smaller array, in rising order.
  [[nodiscard]] std::vector<std::uint64_t> chunks_across(const std::vector<std::uint64_t>& smaller) const;

 private:
  std::vector<std::uint64_t> extents_;
  std::vector<std::uint64_t> shape_;
  std::vector<std::uint64_t> counts_;         ///< of chunks along each axis
  std::vector<std::uint64_t> chunk_strides_;  ///< change of the chunk index for a step along an axis
  std::vector<std::uint64_t> inner_strides_;  ///< change of the position in a chunk
  std::uint64_t chunks_ = 0;
  std::uint64_t chunk_elements_ = 0;
  std::uint64_t layer_chunks_ = 0;
};

}  // namespace quire
