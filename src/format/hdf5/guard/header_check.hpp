#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "format/hdf5/guard/superblock.hpp"

namespace quire::hdf5 {

// Checks of object headers before HDF5 reads them. Headers of later versions must also have correct checksums.
// `address` is absolute; `base` is the origin of addresses inside the file. Damage is a bad_file error with its offset.

/// Checks that every attribute of an object fits its message: otherwise HDF5 1.10 relies on its sizes and reads beyond
/// its buffers.
void check_attribute_messages(const ReadBytes& read, std::uint64_t size, std::uint64_t base, std::uint64_t address);

/// A part of an object header: the first one, or a continuation.
struct HeaderPart {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// Values that are stored in one place of the file.
struct ValuesPlace {
  std::uint64_t address = 0;  ///< relative to the origin of addresses inside the file
  std::uint64_t length = 0;
};

/// Where the symbol table of a group is stored: absolute addresses.
struct SymbolTablePlace {
  std::uint64_t tree = 0;
  std::uint64_t heap = 0;
};

/// An object header that HDF5 may read.
struct SoundHeader {
  std::uint64_t address = 0;
  /// The values are virtual, in other datasets: damaged descriptions of these let HDF5 1.10 read beyond its buffers.
  bool has_values_elsewhere = false;
  std::optional<SymbolTablePlace> symbols{};  ///< of a group that has one, not checked yet
  std::optional<ValuesPlace> values{};
  std::vector<HeaderPart> parts{};  ///< empty for bytes that are no header, which HDF5 reports itself
};

/// Which messages HDF5 is going to decode: attributes only on request, except when the object is changed or deleted.
enum class Decoded : std::uint8_t { without_attributes, all };

/// Checks an object of any kind. The type of a dataset must fit its message, and its chunks must hold elements of the
/// size of its type: HDF5 1.10 divides by the sides of chunks and copies by their size without checks. Values stored in
/// one piece, or in the header, must have the bytes of all elements: HDF5 1.10 returns the bytes after them as values.
/// The links of a group must be readable: HDF5 1.10 frees a partly filled list of links, including uninitialized
/// pointers.
[[nodiscard]] SoundHeader check_header(const ReadBytes& read, std::uint64_t size, std::uint64_t base,
                                       std::uint64_t address, Decoded decoded = Decoded::without_attributes);

/// The size in bytes of one element of a dataset, as stored in its type. HDF5 computes the size of compounds again from
/// their members, and uses larger values. No value for types that are stored elsewhere.
[[nodiscard]] std::optional<std::uint32_t> stored_element_bytes(const ReadBytes& read, std::uint64_t size,
                                                                std::uint64_t base, std::uint64_t address);

/// The driver information in the object header of the superblock extension.
[[nodiscard]] std::optional<std::vector<std::byte>> driver_message(const ReadBytes& read, std::uint64_t size,
                                                                   std::uint64_t base, std::uint64_t address);

}  // namespace quire::hdf5
