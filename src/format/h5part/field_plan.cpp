#include "format/h5part/field_plan.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "format/h5part/geometry.hpp"
#include "format/h5part/names.hpp"
#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/creation.hpp"
#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/library/types.hpp"

namespace quire::hdf5 {
namespace {

Handle group_at(hid_t parent, const std::string& name) {
  const Handle creation = group_creation();
  return own(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), "create the group", name);
}

}  // namespace

Field accepted_field(const Field& field, bool lossy) {
  const std::string prefix = std::string(block_name) + "/";
  Field result = field;
  // A field with the same name as a column has this prefix.
  if (result.name.starts_with(prefix)) result.name.erase(0, prefix.size());
  check_column_name(result.name, "a field of H5Block");
  if (field.type == Type::string) throw Error(ErrorKind::unsupported, "H5Block has no fields of texts").on(field.name);
  if (field.extents.size() > block_axes) {
    throw Error(ErrorKind::unsupported,
                "a field of H5Block has three axes, this one " + std::to_string(field.extents.size()))
        .on(field.name);
  }
  result.type = held_as(field.type);
  std::vector<std::string> warnings;
  take_geometry(result, warnings);
  check_geometry(result);
  std::set<std::string> names;
  for (const Attribute& attribute : geometry_attributes(result)) {
    names.insert(attribute.name);
    static_cast<void>(accepted(attribute, lossy));  // 64 KB are the limit for coordinates too
  }
  for (Attribute& attribute : result.attributes) {
    attribute = accepted_in_h5part(attribute, lossy);
    if (names.insert(attribute.name).second) continue;
    throw Error(ErrorKind::conflict, "two attributes of the field have the name " + attribute.name).on(field.name);
  }
  return result;
}

std::vector<std::uint64_t> block_shape(std::vector<std::uint64_t> shape) {
  shape.insert(shape.begin(), block_axes - std::min(block_axes, shape.size()), 1);
  return shape;
}

std::vector<std::uint64_t> block_extents(const Field& field) { return block_shape(field.extents); }

std::string component_path(const std::string& field, std::size_t component) {
  return std::string(block_name) + "/" + field + "/" + std::to_string(component);
}

void write_fields(hid_t step_group, const StepDescription& step, const ComponentMaker& make_component) {
  if (step.fields.empty()) return;
  const Handle block = group_at(step_group, block_name);
  for (std::size_t f = 0; f < step.fields.size(); ++f) {
    const Field& field = step.fields[f];
    const Handle group = group_at(block.id(), field.name);
    for (const Attribute& attribute : geometry_attributes(field)) {
      write_attribute(group.id(), attribute.name, attribute.value);
    }
    for (const Attribute& attribute : field.attributes) write_attribute(group.id(), attribute.name, attribute.value);
    for (std::size_t component = 0; component < field.components; ++component) {
      const Handle dataset = make_component(group.id(), f, component);
      require(H5Olink(dataset.id(), group.id(), std::to_string(component).c_str(), H5P_DEFAULT, H5P_DEFAULT),
              "link a component of the field", field.name);
    }
  }
}

}  // namespace quire::hdf5
