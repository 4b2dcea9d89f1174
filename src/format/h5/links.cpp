#include "format/h5/links.hpp"

#include <algorithm>

#include "format/h5/hdf5.hpp"
#include "format/h5/header_check.hpp"
#include "quire/base/checked.hpp"

namespace quire::h5 {
namespace {

extern "C" herr_t collect_link(hid_t /*group*/, const char* name, const H5L_info_t* info, void* links) noexcept {
  try {
    static_cast<std::vector<Link>*>(links)->push_back({name, info->type});
    return 0;
  } catch (...) {
    return -1;
  }
}

}  // namespace

std::vector<Link> list_links(hid_t group, const std::string& name) {
  std::vector<Link> links;
  hsize_t position = 0;
  require(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &position, collect_link, &links), "list the group", name);
  // The library's order depends on how the group is stored.
  std::ranges::sort(links, {}, &Link::name);
  return links;
}

ExternalTarget external_target(hid_t group, const std::string& name) {
  H5L_info_t info{};
  require(H5Lget_info(group, name.c_str(), &info, H5P_DEFAULT), "look at the link", name);
  if (info.type != H5L_TYPE_EXTERNAL) throw Error(ErrorKind::internal, "no external link").on(name);
  std::vector<char> value(info.u.val_size);
  require(H5Lget_val(group, name.c_str(), value.data(), value.size(), H5P_DEFAULT), "read the link", name);
  unsigned flags = 0;
  const char* file = nullptr;
  const char* object = nullptr;
  require(H5Lunpack_elink_val(value.data(), value.size(), &flags, &file, &object), "read the external link", name);
  return {file, object};
}

void check_before_opening(Image& image, hid_t group, const std::string& name) {
  H5L_info_t info{};
  if (!image.base() || H5Lget_info(group, name.c_str(), &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_HARD) return;
  try {
    check_chunk_messages(image.reader(), image.size(), *image.base(), checked_add(*image.base(), info.u.address));
  } catch (Error& error) {
    throw error.on(name);
  }
}

}  // namespace quire::h5
