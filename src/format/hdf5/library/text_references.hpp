#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>

#include "format/hdf5/image/image.hpp"

namespace quire::hdf5 {

/// Reads values of a dataset or attribute as the given type in memory into a buffer; negative if HDF5 cannot.
using ReadAs = std::function<herr_t(hid_t type, void* out)>;

/// Checks the references of `count` variable-length texts before HDF5 follows them: HDF5 1.10 copies whatever is in a
/// heap, even if the object does not exist. The library itself reads the references, wherever they are stored (dense
/// attributes, filtered chunks), with a conversion of ours that leaves them unchanged. Values that it cannot return as
/// references are not checked, nor are files whose addresses are not 8 bytes wide. Throws bad_file errors with offsets.
void check_text_references(Image& image, const ReadAs& read, std::uint64_t count);

}  // namespace quire::hdf5
