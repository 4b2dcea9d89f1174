#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "quire/base/error.hpp"

namespace quire::h5 {

/// Reads up to out.size() bytes at an offset and returns how many there were.
using ReadBytes = std::function<std::size_t(std::uint64_t offset, std::span<std::byte> out)>;

/// The first block of an HDF5 file, as far as we must know it before the library sees the file.
struct Superblock {
  std::uint64_t offset = 0;  ///< where it stands: the size of the user block
  std::uint64_t length = 0;  ///< its bytes
  std::uint64_t end = 0;     ///< the end of the HDF5 data in the file, absolute
  std::uint64_t root = 0;    ///< where the header of the root group stands, behind `offset`
  unsigned version = 0;
  std::size_t address_width = 8;  ///< bytes of an address
  /// Where what a driver of HDF5 has noted stands, behind `offset`: a block of its own, in later versions one message
  /// of an object header.
  std::optional<std::uint64_t> driver{};
};

/// Where the signature stands (0, 512, 1024, 2048, ...), or nothing.
[[nodiscard]] std::optional<std::uint64_t> find_signature(const ReadBytes& read, std::uint64_t size);

/// Finds and checks the superblock. Throws bad_file errors for files that are no HDF5 files, damaged, or shorter than
/// they say they are (unless `may_be_cut`).
[[nodiscard]] Superblock read_superblock(const ReadBytes& read, std::uint64_t size, bool may_be_cut = false);

/// A superblock as read_superblock() has found it, whose data end `further` bytes behind.
[[nodiscard]] std::vector<std::byte> superblock_with_end_moved(const ReadBytes& read, const Superblock& block,
                                                               std::uint64_t further);

/// The error that a file of `size` bytes is shorter than its superblock says.
[[nodiscard]] Error cut_error(const Superblock& block, std::uint64_t size);

}  // namespace quire::h5
