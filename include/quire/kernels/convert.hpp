#pragma once

#include <cstddef>
#include <optional>

#include "quire/model/type.hpp"

namespace quire::kernels {

/// Independent. True if convert() accepts the pair: any two number types, equal types, and characters with 8-bit
/// integers. Strings convert to nothing.
[[nodiscard]] bool convertible(Type from, Type to) noexcept;

/// Independent. True if the bytes of a value are the same in both types: equal types, characters and 8-bit integers.
[[nodiscard]] bool same_bytes(Type from, Type to) noexcept;

/// What happens to values that have no equal in the other type.
enum class Loss : bool {
  refused,  ///< the conversion stops and tells which value it was
  allowed,  ///< rounded; out of range the nearest end of it; fractions cut off; NaN in integers 0
};

/// Independent. Converts `count` values in native byte order, `stride` bytes apart at either side, at any alignment.
/// Returns the position of the first value without an equal, if those are refused; values around it may or may not
/// have been written. NaN and infinities fit every floating type. Padding of float80 is written as zero.
/// Throws type errors for pairs that are not convertible.
[[nodiscard]] std::optional<std::size_t> convert(Type from, const std::byte* in, std::ptrdiff_t in_stride, Type to,
                                                 std::byte* out, std::ptrdiff_t out_stride, std::size_t count,
                                                 Loss loss);

}  // namespace quire::kernels
