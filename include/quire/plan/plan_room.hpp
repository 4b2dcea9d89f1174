#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace quire {

/// What is left of the memory of one plan for elements that stand by themselves. In one place, as the sizes of the data
/// path (TransportLimits) are: an extent takes some 250 bytes on its way, one with an encoder
/// or decoder of its own 1000.
struct PlanRoom {
  std::uint64_t extents = 4096;
  std::uint64_t bytes = 1 << 20;          ///< that are brought together before they are written
  std::uint64_t encoder_extents = 16;     ///< that one with an encoder or decoder of its own counts for
  std::uint64_t encoded_from = 64 << 10;  ///< from so many bytes on that follow each other they have an encoder
  bool is_used = false;

  void take(std::uint64_t some) noexcept {
    extents -= std::min(extents, some);
    is_used = true;
  }

  /// For plans that are not run, whose values may have no memory: nothing is brought together.
  [[nodiscard]] static PlanRoom unlimited() noexcept {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return {.extents = most, .bytes = most, .encoder_extents = 0, .encoded_from = 0};
  }
};

}  // namespace quire
