#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "quire/spi/plan/byte_source.hpp"

namespace quire {

/// Sequential access to the bytes of a compressed file, through one buffer.
class CompressedInput {
 public:
  explicit CompressedInput(ByteSource& source) : source_(source), size_(source.size()), buffer_(buffer_bytes) {}

  /// The next bytes: at least `count` (at most 64 KiB), fewer only at the end of the file.
  [[nodiscard]] std::span<const std::byte> peek(std::size_t count = 1);
  /// Skips bytes that peek() returned.
  void consume(std::size_t count) noexcept { begin_ += count; }
  void seek(std::uint64_t position) noexcept;

  [[nodiscard]] std::uint64_t position() const noexcept { return offset_ + begin_; }
  [[nodiscard]] std::uint64_t left() const noexcept { return size_ - position(); }

 private:
  static constexpr std::size_t buffer_bytes = 128 << 10;

  ByteSource& source_;
  std::uint64_t size_;
  std::vector<std::byte> buffer_;
  std::uint64_t offset_ = 0;  ///< of the buffer's first byte in the file
  std::size_t begin_ = 0;     ///< the bytes [begin, end) of the buffer are not yet consumed
  std::size_t end_ = 0;
};

}  // namespace quire
