#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quire::h5 {

/// Checks that the objects of a global heap lie inside of it, one behind the other: HDF5 1.10 copies what their sizes
/// say, and goes round for ever if one has none. Bytes that are not the whole of a heap are left alone, for they are
/// read once more. Throws bad_file errors with offsets.
void check_global_heap(std::span<const std::byte> bytes, std::uint64_t offset);

}  // namespace quire::h5
