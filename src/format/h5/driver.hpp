#pragma once

#include <string>

#include "format/h5/hdf5.hpp"
#include "format/h5/image.hpp"

namespace quire::h5 {

/// A file access list with which H5Fopen and H5Fcreate reach `image`, which must outlive every file opened by it.
///
/// Nothing of such a file is buffered outside the library's metadata cache: no sieve, no aggregation, no accumulator.
/// HDF5 cannot reach any other file through it: what an external link names is opened by us.
[[nodiscard]] Handle access_list(Image& image);

/// The name under which an image is opened.
inline constexpr const char* image_name = "image";

/// Opens what is in the image. Throws bad_file errors with HDF5's own words.
[[nodiscard]] Handle open_image(Image& image);
/// Makes an empty file (superblock version 0, no time stamps) in an image without bytes.
[[nodiscard]] Handle create_image(Image& image);

}  // namespace quire::h5
