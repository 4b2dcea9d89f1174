#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "format/h5/image.hpp"

namespace quire::h5 {

struct Link {
  std::string name;
  H5L_type_t type = H5L_TYPE_ERROR;
};

/// The members of a group in byte-wise order of their names. Opens none of them.
[[nodiscard]] std::vector<Link> list_links(hid_t group, const std::string& name);

/// True for links to groups, and for those to other files, to damage or to nothing, behind which a group may be.
[[nodiscard]] bool may_be_group(Image& image, hid_t group, const std::string& name);

/// Before an object of the image's file is opened: refuses headers on which HDF5 would crash, or forget memory. Links
/// that lead elsewhere are not looked at. True for data sets whose values stand in others: they are not to be opened.
bool check_before_opening(Image& image, hid_t group, const std::string& name);

/// Where an external link points.
struct ExternalTarget {
  std::string file;
  std::string object;
};
[[nodiscard]] ExternalTarget external_target(hid_t group, const std::string& name);

}  // namespace quire::h5
