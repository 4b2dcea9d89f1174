#pragma once

#include <cstdint>
#include <vector>

#include "format/hdf5/guard/superblock.hpp"

namespace quire::hdf5 {

/// Identifies a publication by the bytes of the superblock. Every publication changes them, because the end of the file
/// moves. Empty for a file without a superblock.
struct Generation {
  std::vector<std::byte> superblock;
  std::uint64_t offset = 0;  ///< of the superblock
  std::uint64_t end = 0;     ///< the published end

  bool operator==(const Generation&) const = default;
};

/// The generation of a file of `size` bytes that a writer may change at the same time. A complete journal counts as
/// carried out. Bytes of this generation that were read before `size` was determined had not been overwritten before
/// this call. Reads at most `budget` bytes of a journal.
[[nodiscard]] Generation generation_of(const ReadBytes& read, std::uint64_t size, std::uint64_t budget);

}  // namespace quire::hdf5
