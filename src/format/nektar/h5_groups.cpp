#include "format/nektar/h5_groups.hpp"

#include "format/h5/structure.hpp"
#include "format/nektar/basis.hpp"
#include "format/nektar/metadata.hpp"

namespace quire::nektar {
namespace {

h5::Handle create_group(hid_t parent, const std::string& name) {
  const h5::Handle creation = h5::timeless(H5P_GROUP_CREATE);
  return h5::own(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), "create the group", name);
}

void write_attribute(hid_t object, const std::string& name, hid_t type, hid_t space, const void* values) {
  const h5::Handle attribute =
      h5::own(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), "create the attribute", name);
  h5::require(H5Awrite(attribute.id(), type, values), "write the attribute", name);
}

h5::Handle line_of(std::size_t count) {
  const hsize_t extent = count;
  return h5::own(H5Screate_simple(1, &extent, nullptr), "make a shape");
}

h5::Handle text_type() {
  h5::Handle type = h5::own(H5Tcopy(H5T_C_S1), "make a type of texts");
  h5::require(H5Tset_size(type.id(), H5T_VARIABLE), "make a type of texts");
  h5::require(H5Tset_strpad(type.id(), H5T_STR_NULLTERM), "make a type of texts");
  h5::require(H5Tset_cset(type.id(), H5T_CSET_ASCII), "make a type of texts");
  return type;
}

void write_text(hid_t object, const std::string& name, const std::string& text) {
  const h5::Handle space = h5::own(H5Screate(H5S_SCALAR), "make a shape");
  const char* characters = text.c_str();
  write_attribute(object, name, text_type().id(), space.id(), static_cast<const void*>(&characters));
}

void write_texts(hid_t object, const std::string& name, const std::vector<std::string>& texts) {
  std::vector<const char*> characters;
  for (const std::string& text : texts) characters.push_back(text.c_str());
  write_attribute(object, name, text_type().id(), line_of(texts.size()).id(),
                  static_cast<const void*>(characters.data()));
}

}  // namespace

h5::Handle create_root(hid_t file, const std::vector<Attribute>& metadata) {
  h5::Handle root = create_group(file, "NEKTAR");
  const std::uint32_t version = 1;
  const h5::Handle space = h5::own(H5Screate(H5S_SCALAR), "make a shape");
  write_attribute(root.id(), "FORMAT_VERSION", H5T_NATIVE_UINT32, space.id(), &version);
  const h5::Handle keys = create_group(root.id(), "Metadata");
  const h5::Handle provenance = create_group(keys.id(), "Provenance");
  for (const Attribute& attribute : metadata) {
    const bool is_provenance = attribute.name.starts_with(provenance_prefix);
    const std::string name = is_provenance ? attribute.name.substr(provenance_prefix.size()) : attribute.name;
    write_text(is_provenance ? provenance.id() : keys.id(), name, attribute.value.as_text());
  }
  return root;
}

void create_type(hid_t root, const TypeGroup& group) {
  const h5::Handle made = create_group(root, std::to_string(group.hash));
  write_texts(made.id(), "FIELDS", group.variables);
  std::vector<std::int32_t> numbers;
  for (const std::string& basis : group.basis) numbers.push_back(static_cast<std::int32_t>(basis_number(basis)));
  write_attribute(made.id(), "BASIS", H5T_NATIVE_INT32, line_of(numbers.size()).id(), numbers.data());
  write_text(made.id(), "SHAPE", group.shape);
  if (!group.lengths.empty()) {
    write_attribute(made.id(), "HOMOGENEOUSLENGTHS", H5T_NATIVE_DOUBLE, line_of(group.lengths.size()).id(),
                    group.lengths.data());
  }
  write_text(made.id(), "NUMMODESPERDIR", group.order);
}

}  // namespace quire::nektar
