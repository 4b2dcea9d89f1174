#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quire/base/error.hpp"

namespace quire::hdf5 {

/// Reads up to out.size() bytes at an offset and returns how many there were.
using ReadBytes = std::function<std::size_t(std::uint64_t offset, std::span<std::byte> out)>;

/// The superblock of an HDF5 file, as far as it is needed before the library opens the file.
struct Superblock {
  std::uint64_t offset = 0;  ///< of the superblock: the size of the user block
  std::uint64_t length = 0;  ///< in bytes
  std::uint64_t end = 0;     ///< the end of the HDF5 data in the file, absolute
  std::uint64_t root = 0;    ///< address of the header of the root group, relative to `offset`
  unsigned version = 0;
  std::size_t address_width = 8;  ///< bytes of an address
  /// Address of the driver information, relative to `offset`: a block of its own, or in later versions a message of an
  /// object header.
  std::optional<std::uint64_t> driver{};
};

/// The offset of the signature (0, 512, 1024, 2048, ...), or no value.
[[nodiscard]] std::optional<std::uint64_t> find_signature(const ReadBytes& read, std::uint64_t size);

/// What becomes of a file that ends too early.
enum class CutFiles : std::uint8_t {
  refused,  ///< the reader cannot read the rest
  offered,  ///< refused, and the advice names the option of the reader
  read
};

/// Finds and checks the superblock. Throws bad_file errors for files that are not HDF5, damaged, or truncated, unless
/// these are read.
[[nodiscard]] Superblock read_superblock(const ReadBytes& read, std::uint64_t size, CutFiles cut = CutFiles::refused);

/// The superblock that read_superblock() has found, with the end of the data moved by `further` bytes.
[[nodiscard]] std::vector<std::byte> superblock_with_end_moved(const ReadBytes& read, const Superblock& block,
                                                               std::uint64_t further);

/// What to do with a file that is refused because it ends too early.
[[nodiscard]] std::string cut_advice(CutFiles cut);

/// The error that a file of `size` bytes is shorter than its superblock states.
[[nodiscard]] Error cut_error(const Superblock& block, std::uint64_t size);

}  // namespace quire::hdf5
