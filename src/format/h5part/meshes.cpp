#include "format/h5part/meshes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/compound.hpp"
#include "format/hdf5/library/datasets.hpp"
#include "format/hdf5/library/layout_marks.hpp"
#include "format/hdf5/library/links.hpp"

namespace quire::hdf5 {
namespace {

/// True if the group has a hard link with this name.
bool holds(hid_t group, const std::string& name) {
  H5L_info_t info{};
  if (!has_link(group, name)) return false;
  require(H5Lget_info(group, name.c_str(), &info, H5P_DEFAULT), "inspect a link", name);
  return info.type == H5L_TYPE_HARD;
}

/// Opens an optional group; other objects with its name count as missing.
Handle open_group(OpenFile& file, hid_t parent, const std::string& name) {
  if (!holds(parent, name)) return {};
  check_before_opening(file.image(), parent, name);
  Handle object(H5Oopen(parent, name.c_str(), H5P_DEFAULT));
  if (!object || H5Iget_type(object.id()) != H5I_GROUP) return {};
  return object;
}

/// The names of the values of a record: members of the format get the names of the model.
std::string column_name(const CompoundValue& value) {
  constexpr std::array axes{"x", "y", "z"};
  if (!value.element) {
    if (value.member == "parent_idx") return "parent";
    if (value.member == "child_idx") return "child";
    if (value.member == "level_idx") return "level";
    return value.member;
  }
  if (value.member == "P" && *value.element < axes.size()) return axes[static_cast<std::size_t>(*value.element)];
  if (value.member == "vertex_indices") return "vertex_" + std::to_string(*value.element);
  if (value.member == "neighbor_indices") return "neighbour_" + std::to_string(*value.element);
  return value.name();
}

const Value* value_of(const std::vector<Attribute>& attributes, const std::string& name) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  return found == attributes.end() ? nullptr : &found->value;
}

/// The last of the integers of an attribute.
std::optional<std::int64_t> last_integer(const Value* value) {
  if (value == nullptr || !is_integer(value->type()) || value->count() == 0) return std::nullopt;
  return value->as_integer(static_cast<std::size_t>(value->count() - 1));
}

}  // namespace

bool holds_meshes(OpenFile& file) {
  const Handle group = open_group(file, file.id(), marks::meshes);
  return group && std::ranges::any_of(marks::mesh_kinds, [&](const char* kind) { return holds(group.id(), kind); });
}

Meshes::Meshes(OpenFile& file, std::uint64_t memory_budget, Unwritten unwritten)
    : file_(file),
      budget_(memory_budget),
      chunks_(file.image(), memory_budget, layout_.description.warnings, unwritten) {
  const Handle top = open_group(file_, file_.id(), marks::meshes);
  for (const char* kind : marks::mesh_kinds) {
    const Handle group = top ? open_group(file_, top.id(), kind) : Handle();
    if (!group) continue;
    for (const Link& link : list_links(group.id(), kind)) {
      add_mesh(group.id(), std::string(kind) + "/" + link.name, link.name);
    }
  }
  if (has_integer_tags_) {
    layout_.description.warnings.emplace_back(
        "the format stores tag values of float64 as int64 of the same bits without a mark: the stored integers are "
        "read");
  }
}

void Meshes::add_mesh(hid_t kind, const std::string& path, const std::string& name) {
  std::vector<std::string>& warnings = layout_.description.warnings;
  const Handle mesh = open_group(file_, kind, name);
  if (!mesh) return warnings.push_back(path + " is not a mesh and is left out");
  const auto attributes = read_attributes(file_.image(), mesh.id(), budget_, warnings);
  const auto is_chunked = last_integer(value_of(attributes, "__is_chunked__"));
  if (is_chunked.value_or(0) != 0 || holds(mesh.id(), "Chunks")) {
    return warnings.push_back("the mesh " + path +
                              " is partitioned and is left out: only meshes in one piece can be read");
  }
  add_attributes(mesh.id(), path);
  if (add_compounds(mesh.id(), path, "Vertices", {"idx", "x", "y", "z"})) {
    compare_counts(path, "__num_vertices__", "Vertices");
  }
  if (add_compounds(mesh.id(), path, "Elems",
                    {"idx", "parent", "child", "level", "vertex_0", "vertex_1", "vertex_2"})) {
    compare_counts(path, "__num_elems__", "Elems");
  }
  add_tags(mesh.id(), path);
}

void Meshes::add_tags(hid_t mesh, const std::string& path) {
  const Handle tags = open_group(file_, mesh, "Tags");
  if (!tags) return;
  for (const Link& link : list_links(tags.id(), path)) {
    const std::string own = path + "/Tags/" + link.name;
    const Handle set = open_group(file_, tags.id(), link.name);
    if (!set) {
      layout_.description.warnings.push_back(own + " is not a tag set and is left out");
      continue;
    }
    add_attributes(set.id(), own);
    add_compounds(set.id(), own, "elems", {"eid", "idx"});
    add_compounds(set.id(), own, "entities", {"eid", "idx"});
    add_values(set.id(), own);
  }
}

void Meshes::add_attributes(hid_t group, const std::string& path) {
  StepDescription& step = layout_.description;
  for (Attribute& attribute : read_attributes(file_.image(), group, budget_, step.warnings)) {
    attribute.name = path + "/" + attribute.name;
    step.attributes.push_back(std::move(attribute));
  }
}

Handle Meshes::open_dataset(hid_t group, const std::string& path, const std::string& name) {
  if (!holds(group, name)) {
    layout_.description.warnings.push_back(path + " has no " + name);
    return {};
  }
  check_before_opening(file_.image(), group, name);
  Handle dataset = own(H5Dopen2(group, name.c_str(), H5P_DEFAULT), "open the dataset", path + "/" + name);
  if (extents_of(dataset.id(), name).size() != 1) {
    throw Error(ErrorKind::bad_file, "a dataset of a mesh must have one dimension").on(path + "/" + name);
  }
  return dataset;
}

bool Meshes::add_compounds(hid_t group, const std::string& path, const std::string& name,
                           const std::vector<std::string>& members) {
  const Handle dataset = open_dataset(group, path, name);
  if (!dataset) return false;
  Table table;
  table.name = path + "/" + name;
  auto compound = describe_compound(dataset.id(), table.name, chunks_);
  if (!compound) throw Error(ErrorKind::bad_file, "a dataset of a mesh holds no compounds").on(table.name);
  Run& run = compound->data.run;
  table.rows = run.records;
  for (const CompoundValue& value : compound->values) {
    Column column;
    column.name = column_name(value);
    column.type = value.type;
    if (run.opaque) {
      opaque_[table.name + "/" + column.name] = {
          table.name, [value, path = table.name, budget = budget_](hid_t from, const Slice& rows, const View& out) {
            read_member(from, path, value, rows, out, budget);
          }};
    }
    table.columns.push_back(std::move(column));
  }
  for (const std::string& member : members) {
    const auto count = std::ranges::count(table.columns, member, &Column::name);
    if (count != 1) throw Error(ErrorKind::bad_file, "the records have no " + member).on(table.name);
  }
  layout_.description.tables.push_back(std::move(table));
  layout_.tables.push_back({{std::move(run)}});
  return true;
}

void Meshes::add_values(hid_t group, const std::string& path) {
  const Handle dataset = open_dataset(group, path, "values");
  if (!dataset) return;
  Table table;
  table.name = path + "/values";
  auto data = describe_dataset(dataset.id(), table.name, file_.image().ends(), &chunks_);
  if (!data) throw Error(ErrorKind::bad_file, "the values of a tag set are not numbers").on(table.name);
  table.rows = data->run.records;
  Column column;
  column.name = "value";
  column.type = data->type;
  has_integer_tags_ = has_integer_tags_ || data->type == Type::int64;
  if (data->run.opaque) {
    opaque_[table.name + "/" + column.name] = {table.name, [type = data->type, path = table.name, budget = budget_](
                                                               hid_t from, const Slice& rows, const View& out) {
                                                 read_dataset(from, path, type, rows, out, budget);
                                               }};
  }
  table.columns.push_back(std::move(column));
  layout_.description.tables.push_back(std::move(table));
  layout_.tables.push_back({{std::move(data->run)}});
}

void Meshes::compare_counts(const std::string& path, const std::string& attribute, const std::string& table) {
  StepDescription& step = layout_.description;
  const auto stored = last_integer(value_of(step.attributes, path + "/" + attribute));
  const std::uint64_t rows = step.tables[step.find_table(path + "/" + table)].rows;
  if (!stored || *stored == static_cast<std::int64_t>(rows)) return;
  step.warnings.push_back(path + "/" + table + " has " + std::to_string(rows) + " records, " + attribute + " states " +
                          std::to_string(*stored));
}

void Meshes::read_opaque(const std::string& object, const Slice& rows, const View& out) const {
  const auto found = opaque_.find(object);
  if (found == opaque_.end()) {
    throw Error(ErrorKind::internal, "the object is not opaque").on(object);
  }
  const std::string path = std::string(marks::meshes) + "/" + found->second.table;
  const Handle dataset = own(H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT), "open the dataset", path);
  found->second.read(dataset.id(), rows, out);
}

}  // namespace quire::hdf5
