#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/sdds/need.hpp"
#include "quire/spi/plan/byte_source.hpp"

namespace quire::sdds {

/// Reads the bytes that parsers need, and reads ahead when they are consecutive.
class ReadAhead {
 public:
  ReadAhead(ByteSource& bytes, std::uint64_t file_size) : bytes_(bytes), file_size_(file_size) {}

  /// A window that begins at the needed bytes. Valid until the next call.
  /// Throws io errors if the file has become shorter.
  [[nodiscard]] Window read(const Need& need);
  /// The window of the last read.
  [[nodiscard]] Window last() const noexcept { return {offset_, buffer_}; }

 private:
  ByteSource& bytes_;
  std::uint64_t file_size_;
  std::uint64_t offset_ = 0;
  std::size_t chunk_ = 0;
  std::vector<std::byte> buffer_;
};

}  // namespace quire::sdds
