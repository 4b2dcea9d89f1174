#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quire::hdf5 {

/// The checksum that HDF5 appends to the structures of later versions: Bob Jenkins' hash of 2006 ("lookup3", public
/// domain) with initial value 0, of bytes in little-endian order.
[[nodiscard]] std::uint32_t checksum(std::span<const std::byte> bytes) noexcept;

}  // namespace quire::hdf5
