#pragma once

#include <array>
#include <cstdint>

namespace fodo {

/// Independent. Philox4x32-10, a counter-based generator: the same counter and key give the same four words
/// everywhere, so that a particle's numbers depend neither on the rank that draws them nor on the order.
///
/// Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3",
/// Proceedings of SC'11, doi 10.1145/2063384.2063405, section 3.3 and table 2.
[[nodiscard]] std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key) noexcept;

/// Independent. A number of mean 0 and variance 1 - 2^-64, nearly Gaussian: the sum of twelve uniform numbers less
/// their mean (Irwin-Hall), between -6 and 6. The sum is an integer of 36 bits, so nothing is ever rounded.
/// @param coordinate numbers of one particle and different coordinates are independent of each other
[[nodiscard]] double gaussian(std::uint64_t seed, std::uint64_t particle, std::uint32_t coordinate) noexcept;

}  // namespace fodo
