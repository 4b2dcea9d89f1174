#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quire {

/// The bytes of one file at any offset: what a format that describes a file may ask. The api answers through a
/// transport, tests from memory.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  [[nodiscard]] virtual std::uint64_t size() = 0;
  /// Reads at `offset` and returns how many bytes there were: fewer than asked only at the end of the file.
  [[nodiscard]] virtual std::size_t read(std::uint64_t offset, std::span<std::byte> out) = 0;
};

}  // namespace quire
