#pragma once

#include <cstddef>
#include <span>

namespace quire::kernels {

/// Puts the first bytes of all elements first, then all second bytes, and so on; bytes that are no whole element stay
/// at the end. `out` is as long as `in` and does not overlap it.
void shuffle_bytes(std::span<const std::byte> in, std::size_t element, std::byte* out);

/// The inverse.
void unshuffle_bytes(std::span<const std::byte> in, std::size_t element, std::byte* out);

}  // namespace quire::kernels
