#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "format/hdf5/image/image.hpp"
#include "format/hdf5/library/links.hpp"

namespace quire::hdf5 {

// Why objects are left out, as text for a warning.

/// Checks an object of the image's file before it is opened. Refuses what check_before_opening refuses. Returns why a
/// sound object must not be opened, or an empty text.
[[nodiscard]] std::string why_left_out(Image& image, const Link& link);

/// Why an open object, dataset or not, could not be described.
[[nodiscard]] std::string why_not_described(hid_t object);

/// Warns that an enumeration is read as its numbers, without their names. Names of truth values are not reported.
void report_left_out_names(hid_t type, const std::string& name, std::vector<std::string>& warnings);

}  // namespace quire::hdf5
