#pragma once

#include <cstdint>

namespace quire {

/// When a selection with gaps is read in one sieve, gaps and all, and when part by part. In one place, as the sizes of
/// the data path (TransportLimits) are. A sieve needs no memory of its own: it passes through the staging buffer of the
/// transport piece by piece. Writing never reads or writes a gap.
struct SieveLimits {
  /// Gaps of up to so many bytes are always read through: the system reads whole pages, and a call costs more.
  std::uint64_t free_gap = 4 << 10;
  /// Larger ones, of up to so many bytes, while at least one byte in `least_density` of the sieve is wanted.
  std::uint64_t largest_gap = 64 << 10;
  std::uint64_t least_density = 4;
  /// Contiguous bytes from this size on are read for themselves, straight to where they belong.
  std::uint64_t direct_from = 256 << 10;

  /// Whether a sieve of `span` bytes of which `wanted` are wanted may have this gap in it.
  [[nodiscard]] constexpr bool allow(std::uint64_t gap, std::uint64_t wanted, std::uint64_t span) const noexcept {
    return gap <= free_gap || (gap <= largest_gap && span / least_density <= wanted);
  }
};

}  // namespace quire
