#pragma once

#include <string>

#include "format/hdf5/image/image.hpp"
#include "format/hdf5/library/handle.hpp"

namespace quire::hdf5 {

/// The name under which an image is opened.
inline constexpr const char* image_name = "image";

/// Opens the file in the image. Every object header is checked before HDF5 reads it. Throws bad_file errors, which may
/// contain HDF5's own message.
[[nodiscard]] Handle open_image(Image& image);
/// Creates an empty file (superblock version 0, no time stamps) in an image without bytes.
[[nodiscard]] Handle create_image(Image& image);

}  // namespace quire::hdf5
