#pragma once

#include <cstdint>

#include "format/hdf5/guard/message_piece.hpp"

namespace quire::hdf5 {

/// Checks that the parts of a type (members, names, values, dimensions) are inside the message that holds it, and
/// members inside their record: otherwise HDF5 1.10 reads beyond its buffers. Returns the size in bytes of one element.
/// Throws bad_file errors with offsets, and unsupported errors for complex numbers.
std::uint32_t check_type(const Piece& message);

}  // namespace quire::hdf5
