#include "format/h5/left_out.hpp"

#include "format/h5/hdf5.hpp"
#include "format/h5/types.hpp"

namespace quire::h5 {

std::string why_left_out(Image& image, const Link& link) {
  try {
    if (check_before_opening(image, link)) return "its values are those of other data sets";
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::unsupported) throw;
    return error.message();
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

}  // namespace quire::h5
