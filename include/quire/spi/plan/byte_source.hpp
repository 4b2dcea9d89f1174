#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quire {

/// Random access to the bytes of one file, for formats that describe it. The api implements it with a transport, tests
/// with memory.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  [[nodiscard]] virtual std::uint64_t size() = 0;
  /// Reads at `offset` and returns the number of bytes read: fewer than requested only at the end of the file.
  [[nodiscard]] virtual std::size_t read(std::uint64_t offset, std::span<std::byte> out) = 0;
};

}  // namespace quire
