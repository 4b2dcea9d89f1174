#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quire::h5 {

/// The checksum that HDF5 puts behind its later structures: Bob Jenkins' hash of 2006 ("lookup3", public domain), begun
/// with 0, of bytes in little-endian order.
[[nodiscard]] std::uint32_t checksum(std::span<const std::byte> bytes) noexcept;

}  // namespace quire::h5
