#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/processor.hpp"

namespace quire::kernels {

template <class Number>
inline constexpr Number greatest = std::floating_point<Number> ? std::numeric_limits<Number>::infinity()
                                                               : std::numeric_limits<Number>::max();
template <class Number>
inline constexpr Number smallest = std::floating_point<Number> ? -std::numeric_limits<Number>::infinity()
                                                               : std::numeric_limits<Number>::lowest();

/// The smallest and the greatest of some numbers, apart from NaN, and the number of NaN. The smallest is greater than
/// the greatest if there are no numbers.
template <class Number>
struct ValueRange {
  Number lower = greatest<Number>;
  Number upper = smallest<Number>;
  std::uint64_t nans = 0;
};

/// Pure. The range of `count` numbers that are `stride` bytes apart in memory. `Number` is any of visit_type().
/// Without `vectors` the loop is that for all processors.
template <class Number>
[[nodiscard]] ValueRange<Number> range_of(const std::byte* place, std::ptrdiff_t stride, std::uint64_t count,
                                          bool vectors = has_avx2());

}  // namespace quire::kernels
