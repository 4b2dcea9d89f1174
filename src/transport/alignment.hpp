#pragma once

#include <cstddef>
#include <cstdint>

namespace quire {

/// The unit of the page cache. A piece is placed so that its address equals its file offset modulo this.
inline constexpr std::size_t page_bytes = 4096;

/// True if copying between these two offsets modulo a page would stall: the processor treats a load as dependent on a
/// store that is 1 to 31 bytes before it in another page (specs/performance.md section 4).
[[nodiscard]] constexpr bool stalls(std::uint64_t destination, std::uint64_t source) noexcept {
  const std::uint64_t distance = (destination - source) % page_bytes;
  return distance >= 1 && distance <= 31;
}

}  // namespace quire
