#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace quire {

/// The remaining memory budget of one plan for scattered elements. An extent needs some 250 bytes, one with its own
/// encoder or decoder 1000.
struct PlanRoom {
  std::uint64_t extents = 4096;
  std::uint64_t bytes = 1 << 20;          ///< that are gathered before they are written
  std::uint64_t encoder_extents = 16;     ///< the cost of one with its own encoder or decoder
  std::uint64_t encoded_from = 64 << 10;  ///< from so many contiguous bytes on an extent has an encoder
  bool is_used = false;

  void take(std::uint64_t some) noexcept {
    extents -= std::min(extents, some);
    is_used = true;
  }

  /// For plans that are not run, whose values may have no memory: nothing is gathered.
  [[nodiscard]] static PlanRoom unlimited() noexcept {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return {.extents = most, .bytes = most, .encoder_extents = 0, .encoded_from = 0};
  }
};

}  // namespace quire
