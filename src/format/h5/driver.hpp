#pragma once

#include <string>

#include "format/h5/hdf5.hpp"
#include "format/h5/image.hpp"

namespace quire::h5 {

/// The name under which an image is opened.
inline constexpr const char* image_name = "image";

/// Opens what is in the image. No call of HDF5 on the file reads an object header that was not checked. Throws bad_file
/// errors, also with HDF5's own words.
[[nodiscard]] Handle open_image(Image& image);
/// Makes an empty file (superblock version 0, no time stamps) in an image without bytes.
[[nodiscard]] Handle create_image(Image& image);

}  // namespace quire::h5
