#pragma once

#include <cstddef>
#include <cstring>

namespace quire {

/// Reads one value as this machine holds it at `from` (any alignment).
template <class Value>
[[nodiscard]] Value load_at(const std::byte* from) noexcept {
  Value value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

}  // namespace quire
