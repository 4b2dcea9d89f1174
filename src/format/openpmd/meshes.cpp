#include "format/openpmd/meshes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "format/hdf5/library/components.hpp"
#include "format/hdf5/library/words.hpp"
#include "format/openpmd/names.hpp"

namespace quire::hdf5 {
namespace {

Attribute list_of(std::string name, const std::vector<double>& numbers) {
  return attribute_of(std::move(name),
                      Value::numbers(Type::float64, {numbers.size()}, std::as_bytes(std::span(numbers))));
}

std::vector<std::string> axis_labels(std::size_t axes) {
  if (axes > 3) {
    std::vector<std::string> labels;
    for (std::size_t axis = 0; axis < axes; ++axis) labels.push_back("axis" + std::to_string(axis));
    return labels;
  }
  std::vector<std::string> labels = usual_components(axes);
  std::ranges::reverse(labels);
  return labels;
}

/// The attribute with the coordinates along an axis, if its elements are not equidistant.
std::string coordinates_name(std::size_t axis, std::size_t axes) { return "coordinates_" + axis_labels(axes)[axis]; }

void set_coordinates(Field& field) {
  const std::size_t axes = field.extents.size();
  for (std::size_t axis = 0; axis < axes; ++axis) {
    std::vector<double> coordinates = numbers_of(field.attributes, coordinates_name(axis, axes));
    if (coordinates.empty() || coordinates.size() != field.extents[axis]) continue;
    field.geometry.coordinates.resize(axes);
    field.geometry.coordinates[axis] = std::move(coordinates);
  }
}

/// Sets the position of the elements in SI units, from the attributes of the mesh and its component.
void set_geometry(Field& field) {
  const auto list = [&](std::string_view name) {
    std::vector<double> numbers = numbers_of(field.attributes, name);
    // The axes of a mesh with Fortran's order are listed from the fastest one on.
    if (text_of(field.attributes, "dataOrder") == "F") std::ranges::reverse(numbers);
    return numbers;
  };
  const std::size_t axes = field.extents.size();
  const std::vector<double> spacing = list("gridSpacing");
  const std::vector<double> offset = list("gridGlobalOffset");
  const std::vector<double> position = list("position");
  const std::vector<double> unit = numbers_of(field.attributes, "gridUnitSI");
  set_coordinates(field);
  const bool is_named = text_of(field.attributes, "geometry") != "other" || !field.geometry.coordinates.empty();
  const bool is_known = is_named && spacing.size() == axes && offset.size() == axes && unit.size() <= 1;
  if (!is_known) return;
  const double factor = unit.empty() ? 1 : unit.front();
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const double inside = position.size() == axes ? position[axis] * spacing[axis] : 0;
    field.geometry.spacing.push_back(spacing[axis] * factor);
    field.geometry.origin.push_back((offset[axis] + inside) * factor);
  }
}

void drop_presets(Field& field) {
  for (const Attribute& preset : mesh_presets(field)) drop_preset(field.attributes, preset);
  drop_preset(field.attributes, position_preset(field));
}

/// One mesh while it is described.
class Mesh {
 public:
  Mesh(Record record, ChunkScope& chunks, StepLayout& step, OpaqueObjects& opaque)
      : record_(std::move(record)), chunks_(chunks), step_(step), opaque_(opaque) {
    for (RecordComponent& component : record_.components) {
      units_.push_back(take_unit(record_.attributes, component.attributes));
    }
    std::erase_if(record_.attributes, [](const Attribute& a) { return a.name == "unitDimension"; });
  }

  void describe() {
    retype_constants();
    if (is_vector()) return add_vector();
    for (std::size_t c = 0; c < record_.components.size(); ++c) add_component(record_.components[c], units_[c]);
  }

 private:
  [[nodiscard]] bool is_modal(const RecordComponent& component) const {
    const auto& attributes = component.name.empty() ? component.attributes : record_.attributes;
    return text_of(attributes, "geometry") == "thetaMode";
  }

  /// Gives constant components the type of the others.
  void retype_constants() {
    auto& components = record_.components;
    const auto stored = std::ranges::find_if(
        components, [](const RecordComponent& one) { return !one.is_constant && size_of(one.data.type) > 0; });
    if (stored == components.end() || !stored->members.empty()) return;
    for (RecordComponent& component : components) {
      if (component.is_constant) retype_constant(component, stored->data.type);
    }
  }

  /// Whether all components can be those of one field.
  [[nodiscard]] bool is_vector() const {
    if (record_.components.size() < 2 || is_modal(record_.components.front())) return false;
    const RecordComponent& first = record_.components.front();
    std::size_t own = 0;
    for (std::size_t c = 0; c < record_.components.size(); ++c) {
      const RecordComponent& other = record_.components[c];
      const bool is_alike = other.data.type == first.data.type && other.data.extents == first.data.extents &&
                            other.members.empty() && units_[c] == units_[0] && !other.data.extents.empty();
      if (!is_alike) return false;
      own += std::ranges::count(other.attributes, words::components, &Attribute::name);
    }
    return own == 0;
  }

  void add_vector() {
    Field field{take_quantity(record_.name, record_.components.front().data.type, record_.attributes),
                record_.components.front().data.extents,
                record_.components.size(),
                {},
                std::move(record_.attributes),
                {}};
    field.unit = units_.front();
    std::vector<std::string> labels;
    Place place;
    for (std::size_t c = 0; c < record_.components.size(); ++c) {
      RecordComponent& component = record_.components[c];
      labels.push_back(component.name);
      Run& run = place.runs.emplace_back(std::move(component.data.run));
      run.cells.front().column = c;
      if (run.opaque) opaque_[field.name + "/" + std::to_string(c)] = {component.path, field.type};
    }
    take_common_position(field);
    set_geometry(field);
    for (RecordComponent& component : record_.components) add_attributes(field, component, component.name + "/");
    drop_presets(field);
    if (labels != usual_components(field.components)) {
      const std::uint64_t count = labels.size();
      field.attributes.push_back(attribute_of(std::string(component_labels), Value::texts({count}, std::move(labels))));
    }
    add(std::move(field), std::move(place));
  }

  /// Moves the position of all components to the field if they have the same one.
  void take_common_position(Field& field) {
    const std::vector<double> first = numbers_of(record_.components.front().attributes, "position");
    const bool is_common = !first.empty() && std::ranges::all_of(record_.components, [&](const auto& component) {
      return numbers_of(component.attributes, "position") == first;
    });
    if (!is_common) return;
    for (RecordComponent& component : record_.components) {
      const auto found = std::ranges::find(component.attributes, "position", &Attribute::name);
      if (&component == &record_.components.front()) field.attributes.push_back(std::move(*found));
      component.attributes.erase(found);
    }
  }

  static void add_attributes(Field& field, RecordComponent& component, const std::string& prefix) {
    for (Attribute& attribute : component.attributes) {
      attribute.name = prefix + attribute.name;
      field.attributes.push_back(std::move(attribute));
    }
    component.attributes.clear();
  }

  void add_component(RecordComponent& component, const std::string& unit) {
    const bool is_scalar = component.name.empty();
    const bool is_modal = this->is_modal(component);
    const RecordPath path{record_.name, component.name};
    Field field{take_quantity(path.text(), component.data.type, component.attributes),
                component.data.extents,
                1,
                {},
                record_.attributes,
                {}};
    field.unit = unit;
    if (!is_scalar) field.group = record_.name;
    const std::uint64_t stated = take_count(component.attributes, words::components);
    const auto position = std::ranges::find(component.attributes, "position", &Attribute::name);
    if (!is_scalar && position != component.attributes.end()) {
      field.attributes.push_back(std::move(*position));
      component.attributes.erase(position);
    }
    add_attributes(field, component, is_scalar ? "" : component.name + "/");
    Place place;
    if (component.members.empty()) {
      place.runs.push_back(std::move(component.data.run));
      join(field, place, is_modal ? 0 : stated, is_modal, component.path);
    } else {
      add_members(field, place, component);
    }
    set_geometry(field);
    drop_presets(field);
    add(std::move(field), std::move(place));
  }

  /// Makes the elements along the first axis components of the field: all modes, or as many as stated.
  void join(Field& field, Place& place, std::uint64_t stated, bool is_modal, const std::string& path) {
    constexpr std::uint64_t most = 1 << 20;
    const std::uint64_t first = field.extents.empty() ? 0 : field.extents.front();
    const bool is_joined = field.extents.size() > 1 && first > 0 && first <= most && (is_modal || stated == first);
    if (place.runs.front().opaque) opaque_[field.name] = {path, field.type, is_joined && first > 1};
    if (!is_joined) return;
    field.extents.erase(field.extents.begin());
    field.components = first;
    if (first > 1 && place.runs.front().chunks && place.runs.front().chunks->chunks.size() == 1 &&
        place.runs.front().chunks->chunks.front().bytes == 0) {
      return repeat_constant(place, first);
    }
    if (first > 1) split_components(place, first);
    for (Run& run : place.runs) {
      if (run.opaque) opaque_[field.name] = {path, field.type, first > 1};
    }
  }

  /// The same constant for each component.
  static void repeat_constant(Place& place, std::uint64_t components) {
    Run run = place.runs.front();
    run.records /= components;
    run.bytes /= components;
    run.chunks->extents.erase(run.chunks->extents.begin());
    run.chunks->shape.erase(run.chunks->shape.begin());
    place.runs.clear();
    for (std::uint64_t c = 0; c < components; ++c) {
      run.cells.front().column = c;
      place.runs.push_back(run);
    }
  }

  /// The members of compounds are components; each run has one of them, the other ones are holes.
  static void add_members(Field& field, Place& place, const RecordComponent& component) {
    field.components = component.members.size();
    field.type = component.members.front().type;
    for (std::uint64_t c = 0; c < field.components; ++c) {
      Run& run = place.runs.emplace_back(component.data.run);
      run.is_part = true;
      for (Cell& cell : run.cells) {
        if (cell.column != c) cell.column = std::numeric_limits<std::uint64_t>::max();
      }
    }
  }

  void add(Field field, Place place) {
    const bool is_text = field.type == Type::string;
    if (is_text || field.extents.empty()) {
      chunks_.warnings.push_back("the mesh " + field.name + " is left out: it is no array of numbers");
      return;
    }
    step_.description.fields.push_back(std::move(field));
    step_.fields.push_back(std::move(place));
  }

  Record record_;
  ChunkScope& chunks_;
  StepLayout& step_;
  OpaqueObjects& opaque_;
  std::vector<std::string> units_;
};

}  // namespace

std::vector<Attribute> mesh_presets(const Field& field) {
  const std::size_t axes = field.extents.size();
  const bool is_regular = !field.geometry.is_empty() && field.geometry.coordinates.empty();
  const auto list = [&](const std::vector<double>& given, double preset) {
    return given.empty() ? std::vector<double>(axes, preset) : given;
  };
  std::vector<Attribute> presets{attribute_of("geometry", is_regular ? "cartesian" : "other"),
                                 attribute_of("dataOrder", "C"),
                                 attribute_of("axisLabels", Value::texts({axes}, axis_labels(axes))),
                                 list_of("gridSpacing", list(field.geometry.spacing, 1)),
                                 list_of("gridGlobalOffset", list(field.geometry.origin, 0)),
                                 attribute_of("gridUnitSI", 1.0),
                                 attribute_of("timeOffset", 0.0)};
  const auto& coordinates = field.geometry.coordinates;
  for (std::size_t axis = 0; axis < coordinates.size(); ++axis) {
    if (!coordinates[axis].empty()) presets.push_back(list_of(coordinates_name(axis, axes), coordinates[axis]));
  }
  return presets;
}

Attribute position_preset(const Field& field) {
  return list_of("position", std::vector<double>(field.extents.size(), 0.0));
}

void describe_mesh(Record record, ChunkScope& chunks, StepLayout& step, OpaqueObjects& opaque) {
  Mesh(std::move(record), chunks, step, opaque).describe();
}

}  // namespace quire::hdf5
