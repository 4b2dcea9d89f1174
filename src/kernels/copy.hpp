#pragma once

#include <cstddef>

namespace quire::kernels {

/// Independent. Copies bytes that do not overlap, by a vector loop that loads well ahead of its stores: as fast as
/// memcpy, also at the alignments where that may stall (specs/performance.md section 4).
void copy_bytes(std::byte* to, const std::byte* from, std::size_t count);

}  // namespace quire::kernels
