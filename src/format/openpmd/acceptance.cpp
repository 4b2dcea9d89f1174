#include "format/openpmd/acceptance.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/types.hpp"
#include "format/hdf5/library/words.hpp"
#include "format/openpmd/defaults.hpp"
#include "format/openpmd/meshes.hpp"
#include "format/openpmd/names.hpp"
#include "format/openpmd/units.hpp"
#include "quire/base/error.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::string_view meshes = "meshes";

void require_name(const std::string& part, const std::string& name) {
  const std::string defect = defect_of_name(part);
  if (!defect.empty()) throw Error(ErrorKind::usage, "an object of an openPMD file " + defect).on(name);
}

void require_names(const RecordPath& path, const std::string& name) {
  require_name(path.record, name);
  if (!path.component.empty() || name.ends_with('/')) require_name(path.component, name);
}

Column accepted_column(const Column& column) {
  require_names(path_of_column(column.name, column.unit), column.name);
  if (column.type == Type::string) {
    throw Error(ErrorKind::unsupported, "an openPMD file has no columns of texts").on(column.name);
  }
  Column result = column;
  result.type = held_as(column.type);
  return result;
}

/// Records with components, and scalar ones: a name belongs to one of them.
class RecordNames {
 public:
  void add(const RecordPath& path, const std::string& name) {
    const bool is_scalar = path.component.empty();
    const auto [kind, is_new] = scalar_.emplace(path.record, is_scalar);
    const bool is_taken = (!is_new && (is_scalar || kind->second)) || !paths_.insert(path.text()).second;
    if (is_taken) throw Error(ErrorKind::conflict, "another object has this name").on(name);
  }

 private:
  std::map<std::string, bool> scalar_;
  std::set<std::string> paths_;
};

/// The name of a species, with at most one slash before its patches.
void require_species(const std::string& name) {
  const RecordPath path = path_of_field(name);
  require_names(path, name);
  if (path.component.empty() || path.component == "particlePatches") return;
  throw Error(ErrorKind::usage, "a species has no slash in its name, except for its particlePatches").on(name);
}

Table accepted_table(const Table& table, const std::string& species, bool lossy) {
  Table result = table;
  if (result.name.empty()) result.name = species;
  require_species(result.name);
  std::vector<std::string> own;
  for (Column& column : result.columns) {
    column = accepted_column(column);
    own.push_back(column.name);
  }
  for (Attribute& constant : result.constants) {
    require_names(path_of_column(constant.name, constant.unit), constant.name);
    constant = accepted(constant, lossy);
    own.push_back(constant.name);
  }
  RecordNames names;
  const std::vector<RecordPath> paths = paths_of_written(result);
  for (std::size_t c = 0; c < paths.size(); ++c) names.add(paths[c], own[c]);
  return result;
}

void complete_geometry(Geometry& geometry, std::size_t axes) {
  if (geometry.is_empty()) return;
  geometry.origin.resize(axes, 0);
  geometry.spacing.resize(axes, 1);
}

Field accepted_field(const Field& field, bool lossy) {
  require_names(path_of_field(field.name), field.name);
  if (field.type == Type::string) {
    throw Error(ErrorKind::unsupported, "an openPMD file has no fields of texts").on(field.name);
  }
  if (field.extents.empty()) throw Error(ErrorKind::usage, "a mesh needs at least one axis").on(field.name);
  Field result = field;
  result.type = held_as(field.type);
  const RecordPath path = path_of_field(field.name);
  result.group = path.component.empty() ? "" : path.record;
  check_geometry(result);
  complete_geometry(result.geometry, result.extents.size());
  std::set<std::string> names;
  // Coordinates have the limits of attributes, too.
  for (const Attribute& preset : mesh_presets(result)) static_cast<void>(accepted(preset, lossy));
  for (Attribute& attribute : result.attributes) {
    attribute = accepted(attribute, lossy);
    if (names.insert(attribute.name).second) continue;
    throw Error(ErrorKind::conflict, "two attributes of the field have the name " + attribute.name).on(field.name);
  }
  std::set<std::string> labels;
  for (const std::string& label : components_of(result)) {
    require_name(label, field.name);
    if (!labels.insert(label).second)
      throw Error(ErrorKind::conflict, "two components are called " + label).on(field.name);
  }
  return result;
}

void add_meshes(const std::vector<Field>& fields) {
  RecordNames names;
  for (const Field& field : fields) {
    RecordPath path = path_of_field(field.name);
    const std::vector<std::string> components = components_of(field);
    if (components.empty()) names.add(path, field.name);
    for (const std::string& component : components) names.add({path.record, component}, field.name);
  }
}

Attribute accepted_step_attribute(const Attribute& attribute, bool lossy) {
  if (attribute.name == defaults_name) {
    throw Error(ErrorKind::usage, "this attribute lists what a writer adds, and is set by it").on(attribute.name);
  }
  return accepted(attribute, lossy);
}

Attribute accepted_series_attribute(const Attribute& attribute, bool lossy) {
  if (is_structural(attribute.name)) {
    throw Error(ErrorKind::usage, "this attribute states where a writer puts things, and is set by it")
        .on(attribute.name);
  }
  return accepted(attribute, lossy);
}

}  // namespace

bool is_joined(const Field& field) {
  if (field.components == 1) return false;
  return field.name.find('/') != std::string::npos || text_of(field.attributes, "geometry") == "thetaMode";
}

std::vector<std::string> components_of(const Field& field) {
  if (is_joined(field)) return {};
  std::vector<std::string> labels = texts_of(field.attributes, component_labels);
  if (labels.size() == field.components) return labels;
  return field.components == 1 ? std::vector<std::string>() : usual_components(field.components);
}

std::vector<Attribute> accept_series(const FileDescription& file) {
  std::vector<Attribute> attributes;
  if (!file.title.empty()) attributes.push_back(attribute_of(std::string(words::title), file.title));
  if (!file.contents.empty()) attributes.push_back(attribute_of(std::string(words::contents), file.contents));
  for (const Attribute& attribute : file.attributes) {
    attributes.push_back(accepted_series_attribute(attribute, false));
  }
  return attributes;
}

StepDescription accept_iteration(const StepDescription& step, const std::string& species, bool lossy) {
  if (step.number < 0) {
    throw Error(ErrorKind::unsupported, "iterations have numbers from 0 on, this is " + std::to_string(step.number));
  }
  StepDescription result = step;
  std::set<std::string> names;
  for (Attribute& attribute : result.attributes) {
    attribute = accepted_step_attribute(attribute, lossy);
    if (!names.insert(attribute.name).second) {
      throw Error(ErrorKind::conflict, "two attributes have this name").on(attribute.name);
    }
  }
  names.clear();
  check_units_of_times(result.attributes);
  std::vector<std::string> defaults = complete_times(result.attributes);
  for (Table& table : result.tables) {
    const bool is_default = table.name.empty() && species == default_species;
    table = accepted_table(table, species, lossy);
    if (is_default) defaults.push_back(default_of_species(table.name));
    if (!names.insert(table.name).second) throw Error(ErrorKind::conflict, "two tables have this name").on(table.name);
  }
  for (Field& field : result.fields) field = accepted_field(field, lossy);
  add_meshes(result.fields);
  if (!defaults.empty()) {
    const std::uint64_t count = defaults.size();
    result.attributes.push_back(attribute_of(std::string(defaults_name), Value::texts({count}, std::move(defaults))));
  }
  return result;
}

// ---- What changes

namespace {

class OpenpmdFit {
 public:
  explicit OpenpmdFit(const std::string& species) : species_(species) {}

  Fit of(const FileDescription& file, const StepDescription& step) {
    fit_.adapted = step;
    for (const Attribute& attribute : file.attributes) static_cast<void>(fitted("attribute of the file", attribute));
    fit_.adapted.attributes.clear();
    for (const Attribute& attribute : step.attributes) {
      if (auto kept = fitted("attribute", attribute)) fit_.adapted.attributes.push_back(*std::move(kept));
    }
    fit_times();
    fit_.adapted.tables.clear();
    for (const Table& table : step.tables) add(table);
    fit_.adapted.fields.clear();
    for (const Field& field : step.fields) add(field);
    return std::move(fit_);
  }

 private:
  std::optional<Attribute> fitted(const std::string& object, const Attribute& attribute) {
    try {
      Attribute result =
          object == "attribute" ? accepted_step_attribute(attribute, true) : accepted_series_attribute(attribute, true);
      fit_.retype(object, attribute.name, attribute.type, result.type);
      if (!result.symbol.empty() || !result.description.empty() || !result.display.empty()) {
        fit_.lose(object, attribute.name, "symbol, description and display format are left out");
        result.symbol.clear();
        result.description.clear();
        result.display.clear();
      }
      return result;
    } catch (const Error& error) {
      fit_.lose(object, attribute.name, "left out: " + error.message());
      return std::nullopt;
    }
  }

  void fit_times() {
    try {
      check_units_of_times(fit_.adapted.attributes);
    } catch (const Error& error) {
      std::erase_if(fit_.adapted.attributes, [&](const Attribute& a) { return a.name == error.object(); });
      fit_.lose("attribute", error.object(), "left out: " + error.message());
    }
  }

  void report_unit(const std::string& object, const Quantity& quantity) {
    if (si_unit_of(quantity.unit)) return;
    fit_.changes.push_back(
        {ChangeKind::reshaped, object, quantity.name, "",
         "its unit \"" + quantity.unit + "\" is stored as text; other programs take the values as dimensionless"});
  }

  void add(const Table& table) {
    Table result = table;
    result.columns.clear();
    result.constants.clear();  // they are among the columns
    for (const Column& column : table.columns) {
      try {
        result.columns.push_back(accepted_column(column));
        fit_.retype("column", column.name, column.type, result.columns.back().type);
        report_unit("column", column);
      } catch (const Error& error) {
        fit_.lose("column", column.name, "left out: " + error.message());
      }
    }
    try {
      result = accepted_table(result, species_, true);
    } catch (const Error& error) {
      return fit_.lose("table", table.name, "left out: " + error.message());
    }
    if (table.name.empty() && species_ != default_species) {
      fit_.changes.push_back({ChangeKind::added, "", "", "", "the name of the species " + result.name});
    }
    fit_.adapted.tables.push_back(std::move(result));
  }

  void add(const Field& field) {
    try {
      Field result = accepted_field(field, true);
      fit_.retype("field", field.name, field.type, result.type);
      report_unit("field", field);
      if (!field.group.empty() && field.group != result.group) {
        fit_.lose("field", field.name, "the group " + field.group + " is left out");
      }
      fit_.adapted.fields.push_back(std::move(result));
    } catch (const Error& error) {
      fit_.lose("field", field.name, "left out: " + error.message());
    }
  }

  const std::string& species_;
  Fit fit_;
};

}  // namespace

Fit fit_openpmd(const FileDescription& file, const StepDescription& step, const std::string& species) {
  return OpenpmdFit(species).of(file, step);
}

}  // namespace quire::hdf5
