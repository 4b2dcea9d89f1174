#include "format/nektar/hdf5/groups.hpp"

#include "format/hdf5/library/creation.hpp"
#include "format/hdf5/library/layout_marks.hpp"
#include "format/nektar/basis.hpp"
#include "format/nektar/metadata.hpp"

namespace quire::nektar {
namespace {

void write_attribute(hid_t object, const std::string& name, hid_t type, hid_t space, const void* values) {
  const hdf5::Handle attribute =
      hdf5::own(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), "create the attribute", name);
  hdf5::require(H5Awrite(attribute.id(), type, values), "write the attribute", name);
}

hdf5::Handle line_of(std::size_t count) {
  const hsize_t extent = count;
  return hdf5::own(H5Screate_simple(1, &extent, nullptr), "create a dataspace");
}

hdf5::Handle text_type() {
  hdf5::Handle type = hdf5::own(H5Tcopy(H5T_C_S1), "create the type of texts");
  hdf5::require(H5Tset_size(type.id(), H5T_VARIABLE), "create the type of texts");
  hdf5::require(H5Tset_strpad(type.id(), H5T_STR_NULLTERM), "create the type of texts");
  hdf5::require(H5Tset_cset(type.id(), H5T_CSET_ASCII), "create the type of texts");
  return type;
}

}  // namespace

GroupMaker::GroupMaker()
    : creation_(hdf5::group_creation()),
      text_(text_type()),
      single_(hdf5::own(H5Screate(H5S_SCALAR), "create a dataspace")) {}

hdf5::Handle GroupMaker::group(hid_t parent, const std::string& name) const {
  return hdf5::own(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, creation_.id(), H5P_DEFAULT), "create the group",
                   name);
}

void GroupMaker::write_text(hid_t object, const std::string& name, const std::string& text) const {
  const char* characters = text.c_str();
  write_attribute(object, name, text_.id(), single_.id(), static_cast<const void*>(&characters));
}

void GroupMaker::write_texts(hid_t object, const std::string& name, const std::vector<std::string>& texts) const {
  std::vector<const char*> characters;
  for (const std::string& text : texts) characters.push_back(text.c_str());
  write_attribute(object, name, text_.id(), line_of(texts.size()).id(), static_cast<const void*>(characters.data()));
}

hdf5::Handle GroupMaker::root(hid_t file, const std::vector<Attribute>& metadata) const {
  hdf5::Handle root = group(file, hdf5::marks::nektar);
  const std::uint32_t version = 1;
  write_attribute(root.id(), "FORMAT_VERSION", H5T_NATIVE_UINT32, single_.id(), &version);
  const hdf5::Handle keys = group(root.id(), "Metadata");
  const hdf5::Handle provenance = group(keys.id(), "Provenance");
  for (const Attribute& attribute : metadata) {
    const bool is_provenance = attribute.name.starts_with(provenance_prefix);
    const std::string name = is_provenance ? attribute.name.substr(provenance_prefix.size()) : attribute.name;
    write_text(is_provenance ? provenance.id() : keys.id(), name, attribute.value.as_text());
  }
  return root;
}

void GroupMaker::type(hid_t root, const TypeGroup& kind) const {
  const hdf5::Handle made = group(root, std::to_string(kind.hash));
  write_texts(made.id(), "FIELDS", kind.variables);
  std::vector<std::int32_t> numbers;
  for (const std::string& basis : kind.basis) numbers.push_back(static_cast<std::int32_t>(basis_number(basis)));
  write_attribute(made.id(), "BASIS", H5T_NATIVE_INT32, line_of(numbers.size()).id(), numbers.data());
  write_text(made.id(), "SHAPE", kind.shape);
  if (!kind.lengths.empty()) {
    write_attribute(made.id(), "HOMOGENEOUSLENGTHS", H5T_NATIVE_DOUBLE, line_of(kind.lengths.size()).id(),
                    kind.lengths.data());
  }
  write_text(made.id(), "NUMMODESPERDIR", kind.order);
}

}  // namespace quire::nektar
