#pragma once

#include <cstdint>

namespace quire {

/// Decides whether a selection with gaps is read by one request including the gaps (data sieving), or part by part. A
/// sieve needs no memory of its own: it passes through the staging buffer of the transport. Writes never include gaps.
struct SieveLimits {
  /// Gaps of up to so many bytes are always read: the system reads whole pages, and a call costs more.
  std::uint64_t free_gap = 4 << 10;
  /// Larger gaps, of up to so many bytes, are read if at least one byte in `least_density` of the sieve is wanted.
  std::uint64_t largest_gap = 64 << 10;
  std::uint64_t least_density = 4;
  /// Contiguous bytes from this size on are read separately, directly to their destination.
  std::uint64_t direct_from = 256 << 10;

  /// Whether a sieve of `span` bytes, of which `wanted` are wanted, may include this gap.
  [[nodiscard]] constexpr bool allow(std::uint64_t gap, std::uint64_t wanted, std::uint64_t span) const noexcept {
    return gap <= free_gap || (gap <= largest_gap && span / least_density <= wanted);
  }
};

}  // namespace quire
