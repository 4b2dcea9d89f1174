#pragma once

#include <cstddef>

namespace quire::kernels {

/// Independent. Copies bytes whose source and destination stand at different places within 32 bytes, where memcpy and
/// the kernel's own copies run at a quarter to a half of full speed. The ranges do not overlap.
void copy_misaligned(std::byte* to, const std::byte* from, std::size_t bytes);

/// True if a plain copy is slow: (to - from) modulo 4096 is 1 to 31. For a file, `to` or `from` is its offset.
[[nodiscard]] constexpr bool copies_slowly(std::size_t to, std::size_t from) noexcept {
  const std::size_t distance = (to - from) % 4096;
  return distance >= 1 && distance <= 31;
}

}  // namespace quire::kernels
