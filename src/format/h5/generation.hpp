#pragma once

#include <cstdint>
#include <vector>

#include "format/h5/superblock.hpp"

namespace quire::h5 {

/// Which publication a file shows: the bytes of its superblock, which every publication changes because the end of the
/// file moves. Without a value for a file without a superblock.
struct Generation {
  std::vector<std::byte> superblock;
  std::uint64_t offset = 0;  ///< of the superblock
  std::uint64_t end = 0;     ///< of what is published

  bool operator==(const Generation&) const = default;
};

/// The generation of a file of `size` bytes that a writer may change meanwhile. A complete journal counts as carried
/// out. What was read before `size` was asked for, and belongs to this generation, was not overwritten before the call.
/// At most `budget` bytes of a journal are read.
[[nodiscard]] Generation generation_of(const ReadBytes& read, std::uint64_t size, std::uint64_t budget);

}  // namespace quire::h5
