#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "format/h5/image.hpp"
#include "format/h5/links.hpp"

namespace quire::h5 {

// Why objects that may be missing are left out, in the words of a warning.

/// Before an object of the image's file is opened: refuses what check_before_opening refuses, and tells why a sound one
/// is not to be opened, or an empty text.
[[nodiscard]] std::string why_left_out(Image& image, const Link& link);

/// Why an open object, data set or not, could not be described.
[[nodiscard]] std::string why_not_described(hid_t object);

/// Warns that an enumeration is given as its numbers, without their names. Those of truth values say no more.
void tell_left_out_names(hid_t type, const std::string& name, std::vector<std::string>& warnings);

}  // namespace quire::h5
