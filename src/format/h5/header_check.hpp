#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "format/h5/superblock.hpp"

namespace quire::h5 {

// Object headers before HDF5 sees them. Those of later versions must also have right checksums. `address` is absolute,
// `base` what addresses inside the file are relative to. Damage is a bad_file error with its offset.

/// Checks that every attribute of an object fits the message that holds it: HDF5 1.10 believes their sizes and reads
/// beyond its buffers otherwise.
void check_attribute_messages(const ReadBytes& read, std::uint64_t size, std::uint64_t base, std::uint64_t address);

/// A part of an object header: the first one, or one that it continues in.
struct HeaderPart {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

/// What an object header is that HDF5 may read.
struct SoundHeader {
  /// HDF5 1.10 follows damaged descriptions of values that other data sets hold beyond its buffers.
  bool has_values_elsewhere = false;
  std::vector<HeaderPart> parts;  ///< none of what is no header, which HDF5 reports itself
};

/// Which messages HDF5 is going to decode: attributes only on request, unless the object is changed or deleted.
enum class Decoded : std::uint8_t { without_attributes, all };

/// Checks that the type of a data set fits its message, and that its chunks hold elements of the size of its type:
/// HDF5 1.10 divides by their sides and copies by their size without looking. Of a group, that its links can be read:
/// HDF5 1.10 frees a list of links that it has filled in part, with what stood in that memory before. Whatever the
/// object is.
[[nodiscard]] SoundHeader check_header(const ReadBytes& read, std::uint64_t size, std::uint64_t base,
                                       std::uint64_t address, Decoded decoded = Decoded::without_attributes);

/// The bytes of one element of a data set as its type says in the file: HDF5 computes those of compounds anew from
/// their members, and believes the larger ones. Nothing for types that stand elsewhere.
[[nodiscard]] std::optional<std::uint32_t> stored_element_bytes(const ReadBytes& read, std::uint64_t size,
                                                                std::uint64_t base, std::uint64_t address);

/// What a driver of HDF5 has noted in the object header that extends later superblocks.
[[nodiscard]] std::optional<std::vector<std::byte>> driver_message(const ReadBytes& read, std::uint64_t size,
                                                                   std::uint64_t base, std::uint64_t address);

}  // namespace quire::h5
