#include "format/openpmd/structure.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/library/creation.hpp"
#include "format/hdf5/library/links.hpp"
#include "format/hdf5/library/types.hpp"
#include "format/hdf5/library/words.hpp"
#include "format/openpmd/acceptance.hpp"
#include "format/openpmd/meshes.hpp"
#include "format/openpmd/names.hpp"
#include "format/openpmd/units.hpp"

namespace quire::hdf5 {
namespace {

/// Attributes that are lists stay lists if they have one number: a mesh may have one axis.
void write_one(hid_t object, const Attribute& attribute) {
  constexpr std::array<std::string_view, 5> lists{"axisLabels", "gridSpacing", "gridGlobalOffset", position,
                                                  component_labels};
  Value value = attribute.value;
  if (value.is_scalar() && std::ranges::find(lists, attribute.name) != lists.end()) {
    value = value.type() == Type::string ? Value::texts({1}, value.strings())
                                         : Value::numbers(value.type(), {1}, value.bytes());
  }
  write_attribute(object, attribute.name, value, Scalars::as_such);
}

void write_text(hid_t object, std::string_view name, const std::string& text) {
  if (!text.empty()) write_attribute(object, std::string(name), Value(text), Scalars::as_such);
}

void write_dimension(hid_t object, const SiUnit& unit) {
  write_attribute(object, "unitDimension", Value(std::span<const double>(unit.dimension)), Scalars::as_such);
}

/// The unit of a component, and the texts of a quantity. The text of the unit is stored if it does not follow from the
/// numbers.
void write_quantity(hid_t object, const Quantity& quantity) {
  const SiUnit unit = stored_unit(quantity.unit);
  write_attribute(object, "unitSI", Value(unit.factor), Scalars::as_such);
  write_dimension(object, unit);
  if (text_of(unit) != quantity.unit) write_text(object, "unitSymbol", quantity.unit);
  write_text(object, words::symbol, quantity.symbol);
  write_text(object, words::description, quantity.description);
  write_text(object, words::display, quantity.display);
}

/// Creates a dataset at its planned place, or with chunks.
Handle make_dataset(hid_t group, const std::string& name, Type type, const std::vector<std::uint64_t>& extents,
                    const std::vector<std::uint64_t>& chunk, const PlannedSpace& place, const NewStep& step) {
  Handle dataset;
  if (chunk.empty()) {
    const Handle creation = contiguous_creation();
    dataset = create_dataset(group, name, type, place, extents, creation.id());
  } else {
    const Handle creation = chunked_creation(chunk, step.chunking.pipeline(type), true);
    const Handle space = unlimited_space(extents, name);
    dataset = own(H5Dcreate_anon(group, native_type(type), space.id(), creation.id(), H5P_DEFAULT),
                  "create the dataset", name);
  }
  require(H5Olink(dataset.id(), group, name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "link the dataset", name);
  return dataset;
}

/// The group of a record, with the attributes that all its components share.
Handle record_group(hid_t parent, const std::string& name, const SiUnit& unit, bool has_time) {
  if (has_link(parent, name)) return own(H5Gopen2(parent, name.c_str(), H5P_DEFAULT), "open the record", name);
  Handle group = require_group(parent, name);
  write_dimension(group.id(), unit);
  if (has_time) write_attribute(group.id(), "timeOffset", Value(0.0), Scalars::as_such);
  return group;
}

// ---- Species

/// A component with the same value for all particles.
Handle write_constant(hid_t record, const std::string& component, const Attribute& constant, std::uint64_t rows) {
  Handle group = require_group(record, component);
  write_attribute(group.id(), "value", constant.value, Scalars::as_such);
  write_attribute(group.id(), "shape", Value(std::span<const std::uint64_t>(&rows, 1)), Scalars::as_such);
  write_quantity(group.id(), constant);
  return group;
}

/// openPMD requires an offset for each component of the position: a constant zero.
void write_zero_offset(hid_t species, const std::string& component, std::uint64_t rows) {
  const Handle record = record_group(species, offset_of_position, metre, true);
  if (has_link(record.id(), component)) return;
  Attribute zero = attribute_of(component, Value(0.0));
  zero.unit = text_of(metre);
  static_cast<void>(write_constant(record.id(), component, zero, rows));
}

void write_species(hid_t particles, const NewStep& step, std::size_t index) {
  const Table& table = step.step.tables[index];
  const std::uint64_t rows = step.plan.rows[index];
  const Handle species = require_group(particles, table.name);
  const std::vector<RecordPath> paths = paths_of_written(table);
  std::vector<std::uint64_t> chunk;
  if (step.chunking.rows() != 0) chunk.push_back(step.chunking.rows());
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    const auto& [record, component] = paths[c];
    const bool is_scalar = component.empty();
    const Handle group =
        is_scalar ? species.share() : record_group(species.id(), record, stored_unit(column.unit), true);
    const PlannedSpace place = chunk.empty() ? step.plan.tables[index][c] : PlannedSpace{};
    const Handle dataset =
        make_dataset(group.id(), is_scalar ? record : component, column.type, {rows}, chunk, place, step);
    write_quantity(dataset.id(), column);
    if (is_scalar) write_attribute(dataset.id(), "timeOffset", Value(0.0), Scalars::as_such);
    if (!step.plan.lengths.empty()) {
      index_chunks(dataset.id(), step.image, step.chunking.rows(), 0, step.plan.lengths[index][c]);
    }
  }
  for (std::size_t c = 0; c < table.constants.size(); ++c) {
    const Attribute& constant = table.constants[c];
    const auto& [record, component] = paths[table.columns.size() + c];
    const bool is_scalar = component.empty();
    const Handle group =
        is_scalar ? species.share() : record_group(species.id(), record, stored_unit(constant.unit), true);
    const Handle written = write_constant(group.id(), is_scalar ? record : component, constant, rows);
    if (is_scalar) write_attribute(written.id(), "timeOffset", Value(0.0), Scalars::as_such);
  }
  for (const RecordPath& path : paths) {
    if (path.record == position && !path.component.empty()) write_zero_offset(species.id(), path.component, rows);
  }
}

// ---- Meshes

/// Writes the attributes of a field to its mesh and to one of its components, which are the same object if it is
/// scalar.
void write_mesh_attributes(hid_t mesh, hid_t object, const Field& field, const std::string& component) {
  const auto write_presets = [&](hid_t to, const std::vector<Attribute>& presets) {
    for (const Attribute& preset : presets) write_one(to, preset);
  };
  if (require(H5Aexists(mesh, "geometry"), "look for an attribute", field.name) == 0) {
    write_presets(mesh, mesh_presets(field));
  }
  write_presets(object, {position_preset(field)});
  const std::string prefix = component + "/";
  for (const Attribute& attribute : field.attributes) {
    Attribute own = attribute;
    const bool has_prefix = !component.empty() && attribute.name.starts_with(prefix);
    if (has_prefix) own.name = attribute.name.substr(prefix.size());
    const std::vector<std::string> components = components_of(field);
    const bool is_of_another = !has_prefix && std::ranges::any_of(components, [&](const std::string& other) {
      return attribute.name.starts_with(other + "/");
    });
    if (is_of_another || (own.name == component_labels && components.empty())) continue;
    write_one(has_prefix || own.name == position ? object : mesh, own);
  }
}

/// Creates one dataset of a field: that of a component, or that of all of them if they are joined.
void write_mesh_dataset(hid_t meshes, const NewStep& step, std::size_t index, std::optional<std::size_t> part,
                        const RecordPath& path) {
  const Field& field = step.step.fields[index];
  const bool is_scalar = path.component.empty();
  std::vector<std::uint64_t> extents = field.extents;
  std::vector<std::uint64_t> chunk = step.plan.shapes[index];
  if (!part) {
    extents.insert(extents.begin(), field.components);
    if (!chunk.empty()) chunk.insert(chunk.begin(), 1);
  }
  const PlannedSpace place = part ? step.plan.fields[index][*part] : step.plan.whole(index);
  Handle mesh;
  if (!is_scalar) {
    mesh = require_group(meshes, path.record);
    write_dimension(mesh.id(), stored_unit(field.unit));
  }
  const Handle dataset = make_dataset(is_scalar ? meshes : mesh.id(), is_scalar ? path.record : path.component,
                                      field.type, extents, chunk, chunk.empty() ? place : PlannedSpace{}, step);
  if (is_scalar) mesh = dataset.share();
  write_quantity(dataset.id(), field);
  write_mesh_attributes(mesh.id(), dataset.id(), field, path.component);
  const bool is_modal = text_of(field.attributes, "geometry") == "thetaMode";
  if (!part && !is_modal) {
    write_attribute(dataset.id(), std::string(words::components), Value(field.components), Scalars::as_such);
  }
  const auto chunks = step.plan.chunks_of(index);
  for (std::size_t c = part.value_or(0); c < chunks.size(); ++c) {
    const auto component = part ? std::nullopt : std::optional<std::uint64_t>(c);
    index_chunks(dataset.id(), step.image, field.extents, step.plan.shapes[index], component, chunks[c]);
    if (part) break;
  }
}

void write_mesh(hid_t meshes, const NewStep& step, std::size_t index) {
  const Field& field = step.step.fields[index];
  const RecordPath path = path_of_field(field.name);
  if (is_joined(field)) return write_mesh_dataset(meshes, step, index, std::nullopt, path);
  const std::vector<std::string> components = components_of(field);
  if (components.empty()) return write_mesh_dataset(meshes, step, index, 0, path);
  for (std::size_t c = 0; c < components.size(); ++c) {
    write_mesh_dataset(meshes, step, index, c, {path.record, components[c]});
  }
}

// ---- The iteration

/// The object in an iteration whose attribute an attribute of the step is: that of a species, a record or a component,
/// by its path. No handle for an attribute of the iteration itself.
Handle owner_of(hid_t iteration, const StepDescription& step, const SeriesPaths& paths, const std::string& object) {
  std::string path;
  if (object == "meshes") path = *paths.meshes;
  const std::string species = object.substr(0, object.find('/'));
  if (std::ranges::any_of(step.tables,
                          [&](const Table& table) { return path_of_field(table.name).record == species; })) {
    path = *paths.particles + "/" + object;
  }
  for (std::size_t slash = path.find('/'); !path.empty(); slash = path.find('/', slash + 1)) {
    if (!has_link(iteration, path.substr(0, slash))) return {};
    if (slash == std::string::npos) break;
  }
  return path.empty() ? Handle() : own(H5Oopen(iteration, path.c_str(), H5P_DEFAULT), "open the object", path);
}

void write_step_attributes(hid_t iteration, const StepDescription& step, const SeriesPaths& paths) {
  std::vector<Attribute> own;
  for (const Attribute& attribute : step.attributes) {
    const std::size_t slash = attribute.name.rfind('/');
    const Handle owner =
        slash == std::string::npos ? Handle() : owner_of(iteration, step, paths, attribute.name.substr(0, slash));
    if (!owner) {
      own.push_back(attribute);
      continue;
    }
    Attribute inner = attribute;
    inner.name = attribute.name.substr(slash + 1);
    write_one(owner.id(), inner);
  }
  write_attributes(iteration, own);
}

}  // namespace

Handle require_group(hid_t parent, const std::string& path) {
  Handle group = own(H5Gopen2(parent, ".", H5P_DEFAULT), "open a group", path);
  const Handle creation = group_creation();
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string name = path.substr(begin, end - begin);
    group = has_link(group.id(), name)
                ? own(H5Gopen2(group.id(), name.c_str(), H5P_DEFAULT), "open the group", path)
                : own(H5Gcreate2(group.id(), name.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), "create the group",
                      path);
    begin = end + 1;
  }
  return group;
}

void write_iteration(const NewStep& step, const SeriesPaths& paths) {
  const std::string name = std::to_string(step.step.number);
  // The group is linked when it is complete: until then nothing of the other groups is changed.
  step.image.set_cold(true);
  const Handle creation = group_creation(step.image);
  const Handle iteration = own(H5Gcreate_anon(step.file, creation.id(), H5P_DEFAULT), "create the iteration", name);
  const auto has_path = [&](std::string_view attribute) {
    return require(H5Aexists(step.file, std::string(attribute).c_str()), "look for an attribute") > 0;
  };
  // The groups that the root names exist in every iteration.
  if (has_path(particles_path)) {
    const Handle particles = require_group(iteration.id(), *paths.particles);
    for (std::size_t t = 0; t < step.step.tables.size(); ++t) write_species(particles.id(), step, t);
  }
  if (has_path(meshes_path)) {
    const Handle meshes = require_group(iteration.id(), *paths.meshes);
    for (std::size_t f = 0; f < step.step.fields.size(); ++f) write_mesh(meshes.id(), step, f);
  }
  write_step_attributes(iteration.id(), step.step, paths);
  end_cold(step.file, step.image);
  const Handle base = require_group(step.file, paths.base);
  require(H5Olink(iteration.id(), base.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "link the iteration", name);
}

}  // namespace quire::hdf5
