#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "format/h5/hdf5.hpp"
#include "format/h5/image.hpp"

namespace quire::h5 {

struct Link {
  std::string name;
  H5L_type_t type = H5L_TYPE_ERROR;
  std::uint64_t address = 0;  ///< of a hard link: where the header of its object stands, relative to the file's base
};

/// The members of a group in byte-wise order of their names. Opens none of them.
[[nodiscard]] std::vector<Link> list_links(hid_t group, const std::string& name);

/// True for links to groups, and for those to other files, to damage or to nothing, behind which a group may be.
[[nodiscard]] bool may_be_group(Image& image, hid_t group, const std::string& name);

/// Before an object of the image's file is opened: refuses headers on which HDF5 would crash, or forget memory. Links
/// that lead elsewhere are not looked at. True for data sets whose values stand in others: they are not to be opened.
bool check_before_opening(Image& image, hid_t group, const std::string& name);
/// The same for a link that was listed.
bool check_before_opening(Image& image, const Link& link);

/// The link of this name; one without a type if there is none.
[[nodiscard]] Link find_link(hid_t group, const std::string& name);

/// Opens what a link of the group leads to, without looking the name up again; no handle if that fails.
[[nodiscard]] Handle open_listed(hid_t group, const Link& link);

/// Where an external link points.
struct ExternalTarget {
  std::string file;
  std::string object;
};
[[nodiscard]] ExternalTarget external_target(hid_t group, const std::string& name);

}  // namespace quire::h5
