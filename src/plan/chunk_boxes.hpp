#pragma once

#include <cstdint>
#include <vector>

#include "quire/model/selection.hpp"

namespace quire {

/// The chunks of one shape that cover an array, and which elements lie in which.
class ChunkBoxes {
 public:
  ChunkBoxes(std::vector<std::uint64_t> extents, std::vector<std::uint64_t> shape);

  [[nodiscard]] const std::vector<std::uint64_t>& extents() const noexcept { return extents_; }
  [[nodiscard]] std::uint64_t chunks() const noexcept { return chunks_; }
  [[nodiscard]] std::uint64_t chunk_elements() const noexcept { return chunk_elements_; }
  /// Chunks of one layer: those that have one place along the slowest axis.
  [[nodiscard]] std::uint64_t layer_chunks() const noexcept { return layer_chunks_; }

  /// Elements of a line that lie in one row of one chunk.
  struct Spot {
    std::uint64_t chunk = 0;
    std::uint64_t position = 0;  ///< of the first one in the chunk
    std::uint64_t count = 0;     ///< how many of the line, from the first one on
  };
  /// Where the first element of a line lies, and how many of the next ones with it.
  [[nodiscard]] Spot find(const Line& line) const;
  /// Whether an element lies inside a smaller array with the same axes.
  [[nodiscard]] bool is_inside(std::uint64_t element, const std::vector<std::uint64_t>& smaller) const;
  /// The first element of a chunk, by its place along each axis.
  [[nodiscard]] std::vector<std::uint64_t> origin(std::uint64_t chunk) const;
  /// The part of a chunk that lies inside a smaller array, as rows: the positions in the chunk where elements stand.
  [[nodiscard]] std::vector<Slice> rows_inside(std::uint64_t chunk, const std::vector<std::uint64_t>& smaller) const;
  /// Chunks with elements inside of a smaller array and outside of it, in rising order.
  [[nodiscard]] std::vector<std::uint64_t> chunks_across(const std::vector<std::uint64_t>& smaller) const;

 private:
  std::vector<std::uint64_t> extents_;
  std::vector<std::uint64_t> shape_;
  std::vector<std::uint64_t> counts_;         ///< of chunks along each axis
  std::vector<std::uint64_t> chunk_strides_;  ///< what a step along an axis means for the index of a chunk
  std::vector<std::uint64_t> inner_strides_;  ///< and for a position inside of a chunk
  std::uint64_t chunks_ = 0;
  std::uint64_t chunk_elements_ = 0;
  std::uint64_t layer_chunks_ = 0;
};

}  // namespace quire
