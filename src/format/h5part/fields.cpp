#include "format/h5part/fields.hpp"

#include <optional>

#include "format/h5part/geometry.hpp"
#include "format/h5part/names.hpp"
#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/datasets.hpp"
#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/library/left_out.hpp"
#include "format/hdf5/library/links.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::size_t block_dimensions = 3;

/// The components of a field, or the reason why it is not a field.
struct Components {
  std::vector<DatasetDescription> found;
  std::string defect;
};

/// The number of links of a field whose names are numbers. Other links are reported, since other programs store
/// additional data there.
std::size_t count_components(hid_t group, const std::string& name, std::vector<std::string>& warnings) {
  std::size_t count = 0;
  for (const Link& link : list_links(group, name)) {
    if (link.name.find_first_not_of("0123456789") == std::string::npos) {
      ++count;
    } else {
      warnings.push_back(link.name + " in the field " + name + " is left out: components are named 0, 1, 2");
    }
  }
  return count;
}

Components components_of(hid_t group, const std::string& name, ChunkScope& scope,
                         std::vector<std::string>& attributes) {
  Components components;
  const std::size_t count = count_components(group, name, scope.warnings);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    if (require(H5Lexists(group, number.c_str(), H5P_DEFAULT), "look for a component", name) == 0) {
      components.defect = "component " + number + " is missing";
      return components;
    }
    const Link link = find_link(group, number);
    if (const std::string why = why_left_out(scope.image, link); !why.empty()) {
      components.defect = "component " + number + ": " + why;
      return components;
    }
    const Handle dataset = open_listed(group, link);
    if (!dataset && link.type == H5L_TYPE_HARD) throw hdf5_error("open a component of the field", name);
    if (!dataset || H5Iget_type(dataset.id()) != H5I_DATASET) {
      components.defect = "component " + number + " is not a dataset";
      return components;
    }
    auto description = describe_dataset(dataset.id(), name, scope.image.ends(), &scope);
    if (!description || description->type == Type::string) {
      components.defect = "component " + number + " holds no numbers";
    } else if (description->extents.size() != block_dimensions) {
      components.defect = "component " + number + " has " + std::to_string(description->extents.size()) + " dimensions";
    } else if (i > 0 && description->extents != components.found.front().extents) {
      components.defect = "component " + number + " has another shape than component 0";
    } else if (i > 0 && description->type != components.found.front().type) {
      components.defect = "component " + number + " has another type than component 0";
    }
    if (!components.defect.empty()) return components;
    name_attributes(scope.image, dataset.id(), name + "/" + number, attributes);
    components.found.push_back(*std::move(description));
  }
  if (components.found.empty()) components.defect = "it has no components";
  return components;
}

void add_field(StepLayout& step, Components components, Field field) {
  const DatasetDescription& first = components.found.front();
  field.type = first.type;
  field.components = components.found.size();
  Place place;
  for (std::size_t c = 0; c < components.found.size(); ++c) {
    Run run = std::move(components.found[c].run);
    run.cells.front().column = c;
    place.runs.push_back(std::move(run));
  }
  step.description.fields.push_back(std::move(field));
  step.fields.push_back(std::move(place));
}

}  // namespace

void describe_fields(hid_t block, ChunkScope& scope, StepLayout& step) {
  std::vector<std::string>& warnings = step.description.warnings;
  std::vector<std::string> left_out;
  name_attributes(scope.image, block, block_name, left_out);
  for (const Link& link : list_links(block, block_name)) {
    const std::string& name = link.name;
    const auto leave_out = [&](const std::string& why) {
      warnings.push_back("the field " + name + " is left out: " + why);
    };
    check_before_opening(scope.image, link);
    const Handle group = open_listed(block, link);
    if (!group && link.type == H5L_TYPE_HARD) throw hdf5_error("open the field", name);
    if (!group || H5Iget_type(group.id()) != H5I_GROUP) {
      leave_out("it is not a group");
      continue;
    }
    Components components = components_of(group.id(), name, scope, left_out);
    if (!components.defect.empty()) {
      leave_out(components.defect);
      continue;
    }
    Field field;
    field.name = name;
    field.attributes = read_attributes(scope.image, group.id(), scope.memory_budget, warnings, OldTexts::any);
    field.extents = components.found.front().extents;
    take_geometry(field, warnings);
    add_field(step, std::move(components), std::move(field));
  }
  report_left_out_attributes("Block and components of fields", left_out, warnings);
}

}  // namespace quire::hdf5
