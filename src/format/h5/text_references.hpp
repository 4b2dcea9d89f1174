#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>

#include "format/h5/image.hpp"

namespace quire::h5 {

/// Reads values of a data set or attribute as the given type in memory into a buffer; negative if HDF5 cannot.
using ReadAs = std::function<herr_t(hid_t type, void* out)>;

/// Looks up the `count` texts of any length that values refer to before HDF5 follows the references: 1.10 copies
/// whatever a heap has there, also if it has nothing. It is the library itself that finds the references, wherever they
/// stand (dense attributes, chunks through any filter), by a conversion of ours that leaves them as they are. What it
/// cannot give as references is left alone, and files whose addresses are not 8 bytes wide. Throws bad_file errors with
/// offsets.
void check_text_references(Image& image, const ReadAs& read, std::uint64_t count);

}  // namespace quire::h5
