#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "format/hdf5/image/image.hpp"
#include "format/hdf5/library/handle.hpp"

namespace quire::hdf5 {

struct Link {
  std::string name;
  H5L_type_t type = H5L_TYPE_ERROR;
  std::uint64_t address = 0;  ///< of a hard link: address of the object header, relative to the file's base
};

/// The members of a group in byte-wise order of their names. Opens none of them.
[[nodiscard]] std::vector<Link> list_links(hid_t group, const std::string& name);

/// Throws a bad_file error unless the names in the index of a group are in order, each once. HDF5 finds no names in
/// others, and destroys them when it adds one: required of groups that are changed.
void require_sound_index(hid_t group, const std::string& name);

/// True for links to groups, and for links to other files, damaged or missing objects, which may be groups.
[[nodiscard]] bool may_be_group(Image& image, hid_t group, const std::string& name);

/// Checks an object of the image's file before it is opened: refuses headers on which HDF5 would crash or leak memory.
/// Soft and external links are not checked. Returns true for datasets whose values are stored in others: they must not
/// be opened.
bool check_before_opening(Image& image, hid_t group, const std::string& name);
/// The same for a link that was listed.
bool check_before_opening(Image& image, const Link& link);

/// True if the group has a link of this name.
[[nodiscard]] bool has_link(hid_t group, const std::string& name);

/// The link of this name; without a type if it does not exist.
[[nodiscard]] Link find_link(hid_t group, const std::string& name);

/// Opens the object of a link of the group without another lookup of its name; no handle if that fails.
[[nodiscard]] Handle open_listed(hid_t group, const Link& link);

/// The target of an external link.
struct ExternalTarget {
  std::string file;
  std::string object;
};
[[nodiscard]] ExternalTarget external_target(hid_t group, const std::string& name);

}  // namespace quire::hdf5
