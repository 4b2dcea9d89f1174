#include "format/hdf5/library/links.hpp"

#include <algorithm>
#include <functional>

#include "format/hdf5/library/handle.hpp"

namespace quire::hdf5 {
namespace {

extern "C" herr_t collect_link(hid_t /*group*/, const char* name, const H5L_info_t* info, void* links) noexcept {
  try {
    const std::uint64_t address = info->type == H5L_TYPE_HARD ? info->u.address : 0;
    static_cast<std::vector<Link>*>(links)->push_back({name, info->type, address});
    return 0;
  } catch (...) {
    return -1;
  }
}

std::vector<Link> links_as_stored(hid_t group, const std::string& name) {
  std::vector<Link> links;
  hsize_t position = 0;
  // In native order: HDF5 1.10 crashes when it sorts a damaged index.
  require(H5Literate(group, H5_INDEX_NAME, H5_ITER_NATIVE, &position, collect_link, &links), "list the group", name);
  return links;
}

}  // namespace

std::vector<Link> list_links(hid_t group, const std::string& name) {
  std::vector<Link> links = links_as_stored(group, name);
  std::ranges::sort(links, {}, &Link::name);
  return links;
}

bool has_link(hid_t group, const std::string& name) {
  return require(H5Lexists(group, name.c_str(), H5P_DEFAULT), "look for the link", name) > 0;
}

void require_sound_index(hid_t group, const std::string& name) {
  H5G_info_t info{};
  require(H5Gget_info(group, &info), "inspect the group", name);
  if (info.storage_type != H5G_STORAGE_TYPE_SYMBOL_TABLE) return;
  const std::vector<Link> links = links_as_stored(group, name);
  const auto wrong = std::ranges::adjacent_find(links, std::ranges::greater_equal{}, &Link::name);
  if (wrong == links.end()) return;
  throw Error(ErrorKind::bad_file, "the index of the group is damaged: its names are not in order")
      .on(wrong->name)
      .advise("convert what can be read into another file");
}

ExternalTarget external_target(hid_t group, const std::string& name) {
  H5L_info_t info{};
  require(H5Lget_info(group, name.c_str(), &info, H5P_DEFAULT), "inspect the link", name);
  if (info.type != H5L_TYPE_EXTERNAL) throw Error(ErrorKind::internal, "not an external link").on(name);
  std::vector<char> value(info.u.val_size);
  require(H5Lget_val(group, name.c_str(), value.data(), value.size(), H5P_DEFAULT), "read the link", name);
  unsigned flags = 0;
  const char* file = nullptr;
  const char* object = nullptr;
  require(H5Lunpack_elink_val(value.data(), value.size(), &flags, &file, &object), "read the external link", name);
  return {file, object};
}

bool may_be_group(Image& image, hid_t group, const std::string& name) {
  H5L_info_t info{};
  if (H5Lget_info(group, name.c_str(), &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) return true;
  try {
    check_before_opening(image, group, name);
  } catch (const Error&) {
    return true;
  }
  H5O_info_t object{};
  const herr_t status = H5Oget_info_by_name2(group, name.c_str(), &object, H5O_INFO_BASIC, H5P_DEFAULT);
  return status < 0 || object.type == H5O_TYPE_GROUP;
}

Link find_link(hid_t group, const std::string& name) {
  H5L_info_t info{};
  if (H5Lget_info(group, name.c_str(), &info, H5P_DEFAULT) < 0) return {name};
  return {name, info.type, info.type == H5L_TYPE_HARD ? info.u.address : 0};
}

bool check_before_opening(Image& image, hid_t group, const std::string& name) {
  return check_before_opening(image, find_link(group, name));
}

bool check_before_opening(Image& image, const Link& link) {
  if (link.type != H5L_TYPE_HARD) return false;
  try {
    return image.check_header(link.address);
  } catch (Error& error) {
    throw error.on(link.name);
  }
}

Handle open_listed(hid_t group, const Link& link) {
  return Handle(link.type == H5L_TYPE_HARD ? H5Oopen_by_addr(group, link.address)
                                           : H5Oopen(group, link.name.c_str(), H5P_DEFAULT));
}

}  // namespace quire::hdf5
