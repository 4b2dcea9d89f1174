#pragma once

#include <cstddef>
#include <optional>

#include "quire/model/type.hpp"

namespace quire::kernels {

/// Independent. True if convert() accepts the pair: any two number types, equal types, and characters with 8-bit
/// integers. Strings are not converted.
[[nodiscard]] bool convertible(Type from, Type to) noexcept;

/// Independent. True if the bytes of a value are the same in both types: equal types, characters and 8-bit integers.
[[nodiscard]] bool same_bytes(Type from, Type to) noexcept;

/// What to do with values that have no equal value in the other type.
enum class Loss : bool {
  refused,  ///< stop the conversion and return the position of the value
  allowed,  ///< round; clamp to the range; truncate fractions; NaN becomes 0 in integers
};

/// Independent. Converts `count` values in native byte order, `stride` bytes apart on either side, at any alignment.
/// Returns the position of the first value without an equal, if `loss` is refused; values around it may or may not
/// have been written. NaN and infinities have an equal in every floating type. Padding of float80 is written as zero.
/// Throws type errors for pairs that are not convertible.
[[nodiscard]] std::optional<std::size_t> convert(Type from, const std::byte* in, std::ptrdiff_t in_stride, Type to,
                                                 std::byte* out, std::ptrdiff_t out_stride, std::size_t count,
                                                 Loss loss);

}  // namespace quire::kernels
