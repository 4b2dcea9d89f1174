#pragma once

#include <cstdint>
#include <optional>

#include "format/h5/superblock.hpp"

namespace quire::h5 {

/// Checks that every attribute of an object fits the message that holds it: HDF5 1.10 believes their sizes and reads
/// beyond its buffers otherwise. For object headers of version 1, the later ones have checksums.
///
/// `address` is absolute, `base` what addresses inside the file are relative to. Throws bad_file errors with offsets.
void check_attribute_messages(const ReadBytes& read, std::uint64_t size, std::uint64_t base, std::uint64_t address);

/// Checks that the chunks of a data set hold elements, of the size of its type: HDF5 1.10 divides by their sides and
/// copies by their size without looking. For object headers of version 1, and whatever the object is.
void check_chunk_messages(const ReadBytes& read, std::uint64_t size, std::uint64_t base, std::uint64_t address);

/// The bytes of one element of a data set as its type says in the file: HDF5 computes those of compounds anew from
/// their members, and believes the larger ones. Nothing for later versions of object headers.
[[nodiscard]] std::optional<std::uint32_t> stored_element_bytes(const ReadBytes& read, std::uint64_t size,
                                                                std::uint64_t base, std::uint64_t address);

}  // namespace quire::h5
