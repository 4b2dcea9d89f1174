#pragma once

#include <cstdint>

namespace quire {

/// How a run of file bytes is cut into pieces of at most `limit` bytes (a multiple of a page) that end on a page.
/// Deterministic, so that all ranks can agree on the number of rounds before any bytes are moved.
struct Cut {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t limit = 0;
  bool absorb = false;  ///< a small rest joins the last piece, which then exceeds the limit by up to an eighth

  [[nodiscard]] std::uint64_t count() const noexcept;
  /// The length of the piece that begins `done` bytes after the offset.
  [[nodiscard]] std::uint64_t piece(std::uint64_t done) const noexcept;
};

}  // namespace quire
