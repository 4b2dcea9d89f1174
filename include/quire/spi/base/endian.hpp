#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace quire {

enum class ByteOrder : std::uint8_t { little, big };

/// The byte order of the running machine.
inline constexpr ByteOrder native_order =
    std::endian::native == std::endian::little ? ByteOrder::little : ByteOrder::big;

/// Reads one arithmetic value stored in `order` at `from` (any alignment).
template <class Value>
[[nodiscard]] Value load(const std::byte* from, ByteOrder order) {
  std::array<std::byte, sizeof(Value)> bytes;
  std::memcpy(bytes.data(), from, sizeof(Value));
  if (order != native_order) std::reverse(bytes.begin(), bytes.end());
  Value value;
  std::memcpy(&value, bytes.data(), sizeof(Value));
  return value;
}

/// Writes one arithmetic value in `order` at `to` (any alignment).
template <class Value>
void store(std::byte* to, Value value, ByteOrder order) {
  std::array<std::byte, sizeof(Value)> bytes;
  std::memcpy(bytes.data(), &value, sizeof(Value));
  if (order != native_order) std::reverse(bytes.begin(), bytes.end());
  std::memcpy(to, bytes.data(), sizeof(Value));
}

}  // namespace quire
