#pragma once

#include <cstddef>
#include <span>

namespace quire::kernels {

/// Stores the first bytes of all elements, then all second bytes, and so on; remaining bytes of an incomplete element
/// are copied to the end. `out` has the length of `in` and does not overlap it.
void shuffle_bytes(std::span<const std::byte> in, std::size_t element, std::byte* out);

/// The inverse.
void unshuffle_bytes(std::span<const std::byte> in, std::size_t element, std::byte* out);

}  // namespace quire::kernels
