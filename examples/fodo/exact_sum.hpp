#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "quire/comm/comm.hpp"

namespace fodo {

/// A sum of doubles without any rounding until it is asked for: an integer of 2176 bits in units of the smallest
/// double. The result does not depend on the order of the numbers, hence neither on how particles are spread over
/// ranks nor on how many ranks there are, and it equals Python's math.fsum bit for bit.
///
/// Source: the small superaccumulator of R. M. Neal, "Fast exact summation using small and large superaccumulators",
/// arXiv:1505.05571, section 3, with three chunks of 32 bits for each number instead of two.
class ExactSum {
 public:
  /// A NaN or an infinity makes the sum NaN.
  void add(double number) noexcept;
  /// The sum, rounded to the nearest double, ties to even.
  [[nodiscard]] double rounded() const noexcept;

  /// 32 bits of the sum each, in two's complement, the last one with the sign; then the count of numbers that were
  /// not finite. Sums of several objects' words (modulo 2^64) are the words of the sum.
  static constexpr std::size_t word_count = 69;
  [[nodiscard]] std::array<std::uint64_t, word_count> words() const noexcept;
  /// The inverse. At most 2^31 objects may have been summed.
  [[nodiscard]] static ExactSum from_words(std::span<const std::uint64_t, word_count> words) noexcept;

 private:
  static constexpr std::size_t chunk_count = word_count - 1;
  using Chunks = std::array<std::int64_t, chunk_count>;
  /// Brings all chunks but the last one into [0, 2^32).
  static void carry(Chunks& chunks) noexcept;

  Chunks chunks_{};
  std::uint64_t not_finite_ = 0;
  std::uint32_t added_ = 0;  ///< since the last carry
};

/// Collective. Each sum becomes the sum over all ranks; one collective.
void sum_over_ranks(std::span<ExactSum> sums, quire::Comm& comm);

}  // namespace fodo
