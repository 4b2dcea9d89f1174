#include "format/h5part/mesh_tables.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "format/hdf5/library/attributes.hpp"
#include "quire/base/error.hpp"

namespace quire::hdf5 {
namespace {

struct Kind {
  std::string_view name;
  int corners;
};
constexpr std::array kinds{Kind{"TetMeshes", 4}, Kind{"TriangleMeshes", 3}};

/// What every mesh states. Each has one value for each level.
constexpr std::array required{"__num_leaf_levels__", "__num_elems__", "__num_leaf_elems__", "__num_vertices__"};
/// Uninitialised in plain meshes of other writers.
constexpr std::array undefined{"__num_b_vertices__", "__first_b_vertices__"};
constexpr std::string_view is_chunked = "__is_chunked__";

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    parts.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

bool is_name(const std::string& part) {
  return !part.empty() && part != "." && part != ".." && part.find('\0') == std::string::npos;
}

std::vector<std::string> numbered(const std::string& prefix, int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(prefix + std::to_string(i));
  return names;
}

std::vector<MeshMember> element_members(int corners) {
  return {{"idx", Type::int64, {"idx"}},
          {"parent_idx", Type::int64, {"parent"}},
          {"child_idx", Type::int64, {"child"}},
          {"level_idx", Type::int16, {"level"}},
          {"refinement", Type::int16, {"refinement"}},
          {"flags", Type::int32, {"flags"}},
          {"vertex_indices", Type::int64, numbered("vertex_", corners)},
          {"neighbor_indices", Type::int64, numbered("neighbour_", corners)}};
}

/// The path of the mesh or tag set that an attribute belongs to; empty if it belongs to none.
std::string owner_of(const Attribute& attribute, const std::set<std::string>& groups) {
  const std::string path = parent_of(attribute.name);
  return groups.contains(path) ? path : std::string();
}

/// The groups of meshes and tag sets, from the names of their tables.
std::set<std::string> groups_of(const StepDescription& step) {
  std::set<std::string> groups;
  for (const Table& table : step.tables) groups.insert(parent_of(table.name));
  return groups;
}

Error incomplete(const std::string& path, const std::string& what) {
  return Error(ErrorKind::usage, "a mesh needs " + what).on(path);
}

void check_complete(const StepDescription& step) {
  for (const std::string& group : groups_of(step)) {
    const bool is_tag_set = parts_of(group).size() > 2;
    const std::vector<std::string> names = is_tag_set ? std::vector<std::string>{"elems", "entities", "values"}
                                                      : std::vector<std::string>{"Vertices", "Elems"};
    for (const std::string& name : names) {
      if (std::ranges::count(step.tables, group + "/" + name, &Table::name) != 1) {
        throw incomplete(group, "one table " + name);
      }
    }
    if (is_tag_set) {
      const std::string mesh = parent_of(parent_of(group));
      if (std::ranges::count(step.tables, mesh + "/Elems", &Table::name) != 1) throw incomplete(mesh, "a table Elems");
      continue;
    }
    for (const char* name : required) {
      if (std::ranges::count(step.attributes, group + "/" + name, &Attribute::name) == 1) continue;
      throw incomplete(group, std::string("the attribute ") + name).advise("it has a value for each level");
    }
  }
}

Table accepted_mesh_table(const Table& table) {
  const std::vector<MeshMember> members = mesh_members(table.name);
  if (members.empty()) {
    throw Error(ErrorKind::unsupported, "only tables of meshes can be stored with the option meshes").on(table.name);
  }
  Table result = table;
  std::string wanted;
  std::size_t column = 0;
  bool fits = true;
  for (const MeshMember& member : members) {
    for (const std::string& name : member.columns) {
      wanted += (wanted.empty() ? "" : ", ") + name;
      fits = fits && column < table.columns.size() && table.columns[column].name == name;
      if (fits) {
        const Type given = table.columns[column].type;
        const bool is_kept = (name == "child" && given == Type::int32) || (name == "value" && given == Type::float64);
        result.columns[column].type = is_kept ? given : member.type;
      }
      ++column;
    }
  }
  if (!fits || column != table.columns.size()) {
    throw Error(ErrorKind::usage, "the columns must be " + wanted + ", in this order").on(table.name);
  }
  return result;
}

/// Values of plain meshes for attributes that only partitioned ones use.
Attribute plain(Attribute attribute, const std::string& name) {
  if (name == is_chunked && attribute.value.count() > 0 && is_integer(attribute.value.type()) &&
      attribute.value.as_integer() != 0) {
    throw Error(ErrorKind::unsupported, "partitioned meshes are not written").on(attribute.name);
  }
  if (std::ranges::find(undefined, name) == undefined.end()) return attribute;
  const std::vector<std::int64_t> nothing(static_cast<std::size_t>(attribute.value.count()), -1);
  attribute.value = Value::numbers(Type::int64, attribute.value.shape(), std::as_bytes(std::span(nothing)));
  attribute.type = Type::int64;
  return attribute;
}

}  // namespace

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::vector<MeshMember> mesh_members(const std::string& table) {
  const std::vector<std::string> parts = parts_of(table);
  const auto kind = std::ranges::find(kinds, parts.front(), &Kind::name);
  if (kind == kinds.end() || !std::ranges::all_of(parts, is_name)) return {};
  if (parts.size() == 3 && parts[2] == "Vertices") {
    return {{"idx", Type::int64, {"idx"}}, {"P", Type::float64, {"x", "y", "z"}}};
  }
  if (parts.size() == 3 && parts[2] == "Elems") return element_members(kind->corners);
  if (parts.size() != 5 || parts[2] != "Tags") return {};
  if (parts[4] == "values") return {{"", Type::int64, {"value"}}};
  if (parts[4] != "elems" && parts[4] != "entities") return {};
  return {{"eid", Type::int64, {"eid"}}, {"idx", Type::int64, {"idx"}}};
}

StepDescription accept_meshes(const StepDescription& step, bool lossy) {
  StepDescription result = step;
  if (step.number != 0) {
    throw Error(ErrorKind::usage,
                "meshes belong to no step: they are written as step 0, not " + std::to_string(step.number));
  }
  if (!step.fields.empty()) {
    throw Error(ErrorKind::unsupported, "fields are not stored with meshes").on(step.fields.front().name);
  }
  for (Table& table : result.tables) table = accepted_mesh_table(table);
  check_complete(result);
  const std::set<std::string> groups = groups_of(result);
  for (Attribute& attribute : result.attributes) {
    if (owner_of(attribute, groups).empty()) {
      throw Error(ErrorKind::unsupported, "an attribute belongs to a mesh or a tag set, by the path in its name")
          .on(attribute.name);
    }
    attribute = plain(accepted_in_h5part(attribute, lossy), name_of(attribute.name));
  }
  return result;
}

Fit fit_meshes(const StepDescription& step) {
  Fit fit{.adapted = step};
  fit.adapted.tables.clear();
  for (const Table& table : step.tables) {
    try {
      Table kept = accepted_mesh_table(table);
      for (std::size_t c = 0; c < kept.columns.size(); ++c) {
        fit.retype("column", kept.columns[c].name, table.columns[c].type, kept.columns[c].type);
      }
      fit.adapted.tables.push_back(std::move(kept));
    } catch (const Error& error) {
      fit.lose("table", table.name, "left out: " + error.message());
    }
  }
  for (const Field& field : step.fields) fit.lose("field", field.name, "left out: fields are not stored with meshes");
  fit.adapted.fields.clear();
  const std::set<std::string> groups = groups_of(fit.adapted);
  fit.adapted.attributes.clear();
  for (const Attribute& attribute : step.attributes) {
    if (owner_of(attribute, groups).empty()) {
      fit.lose("attribute", attribute.name, "left out: it belongs to no mesh or tag set");
      continue;
    }
    fit.adapted.attributes.push_back(attribute);
    if (std::ranges::find(undefined, name_of(attribute.name)) != undefined.end()) {
      fit.changes.push_back({ChangeKind::reshaped, "attribute", attribute.name, "",
                             "becomes -1: only partitioned meshes have such vertices"});
    }
  }
  return fit;
}

}  // namespace quire::hdf5
