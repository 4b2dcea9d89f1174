#pragma once

#include <cstdint>

#include "format/h5/message_piece.hpp"

namespace quire::h5 {

/// Checks that the parts of a type (members, names, values, dimensions) lie inside the message that holds it, and
/// members inside their record: HDF5 1.10 follows their lengths beyond its buffers. Returns the bytes of one element.
/// Throws bad_file errors with offsets, and unsupported ones for complex numbers.
std::uint32_t check_type(const Piece& message);

}  // namespace quire::h5
