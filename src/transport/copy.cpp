#include "transport/copy.hpp"

#include <cstring>

namespace quire {
namespace {

/// 16 bytes at any address.
using Vector = long long __attribute__((vector_size(16), aligned(1), may_alias));

}  // namespace

// Without the attribute the compiler may recognise the loop and call memcpy, which is what we want to avoid.
__attribute__((optimize("no-tree-loop-distribute-patterns"))) void copy_bytes(std::byte* to, const std::byte* from,
                                                                              std::size_t count) noexcept {
  constexpr std::size_t vectors = 8;
  std::size_t done = 0;
  for (; done + vectors * sizeof(Vector) <= count; done += vectors * sizeof(Vector)) {
    const auto* source = reinterpret_cast<const Vector*>(from + done);
    auto* target = reinterpret_cast<Vector*>(to + done);
    const Vector v0 = source[0], v1 = source[1], v2 = source[2], v3 = source[3];
    const Vector v4 = source[4], v5 = source[5], v6 = source[6], v7 = source[7];
    target[0] = v0, target[1] = v1, target[2] = v2, target[3] = v3;
    target[4] = v4, target[5] = v5, target[6] = v6, target[7] = v7;
  }
  if (done < count) std::memcpy(to + done, from + done, count - done);
}

}  // namespace quire
