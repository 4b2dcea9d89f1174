#include "format/hdf5/library/left_out.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/library/types.hpp"
#include "quire/spi/base/endian.hpp"

namespace quire::hdf5 {

std::string why_left_out(Image& image, const Link& link) {
  try {
    if (check_before_opening(image, link)) return "its values are stored in other datasets";
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
    return error.advice().empty() ? error.message() : error.message() + "; " + error.advice();
  }
  return {};
}

std::string why_not_described(hid_t object) {
  const std::string no_values = "it holds neither numbers nor texts";
  if (H5Iget_type(object) != H5I_DATASET) return no_values;
  const Handle type = own(H5Dget_type(object), "read the type");
  const ElementType element = element_of(type.id());
  if (element.extents.empty() || !stored_type(element.type.id())) return no_values;
  const Handle creation = own(H5Dget_create_plist(object), "read the layout");
  if (H5Pget_layout(creation.id()) == H5D_CHUNKED) return "arrays in chunks are not read";
  return "arrays are not read where HDF5 must find or convert them";
}

void report_left_out_names(hid_t type, const std::string& name, std::vector<std::string>& warnings) {
  if (H5Tget_class(type) != H5T_ENUM) return;
  constexpr int shown = 8;
  const int count = require(H5Tget_nmembers(type), "read the type", name);
  const Handle base = own(H5Tget_super(type), "read the type", name);
  std::string members;
  for (int m = 0; m < std::min(shown, count); ++m) {
    std::array<std::byte, 16> value{};
    if (H5Tget_size(base.id()) > value.size()) return;
    const LibraryText member(H5Tget_member_name(type, static_cast<unsigned>(m)));
    require(H5Tget_member_value(type, static_cast<unsigned>(m), value.data()), "read the type", name);
    require(H5Tconvert(base.id(), H5T_NATIVE_INT64, 1, value.data(), nullptr, H5P_DEFAULT), "read the type", name);
    const std::string called = member == nullptr ? "" : member.get();
    members += (m == 0 ? "" : ", ") + called + " = " + std::to_string(load<std::int64_t>(value.data(), native_order));
  }
  if (members == "FALSE = 0, TRUE = 1") return;
  std::string text = "the values of " + name + " are given as numbers, their names are left out: " + members;
  if (count > shown) text += ", ...";
  // All components of a field have the same name: warn once.
  if (std::ranges::find(warnings, text) == warnings.end()) warnings.push_back(std::move(text));
}

}  // namespace quire::hdf5
