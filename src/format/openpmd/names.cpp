#include "format/openpmd/names.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "format/hdf5/library/layout_marks.hpp"
#include "format/hdf5/library/words.hpp"
#include "format/openpmd/units.hpp"
#include "quire/base/error.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::string_view momentum = "momentum";
constexpr std::size_t longest_name = 1024;

bool is_axis(std::string_view text) {
  constexpr std::array<std::string_view, 5> axes{"x", "y", "z", "t", "r"};
  return std::ranges::find(axes, text) != axes.end();
}

/// Whether a column with the name of an axis is a position. A time is one only if it is given as a length.
bool is_position(std::string_view axis, const std::string& unit) {
  const auto known = si_unit_of(unit);
  if (known && known->dimension == metre.dimension) return true;
  return axis != "t" && (!known || known->dimension == SiUnit{}.dimension);
}

std::string without_slashes(std::string path) {
  if (path.starts_with("./")) path.erase(0, 1);
  path.erase(0, path.find_first_not_of('/'));
  path.erase(path.find_last_not_of('/') + 1);
  return path == "." ? "" : path;
}

std::optional<std::string> take_text(std::vector<Attribute>& attributes, std::string_view name,
                                     std::vector<Fact>& layout) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  if (found == attributes.end() || found->type != Type::string || found->value.count() != 1) return std::nullopt;
  std::string text = found->value.strings().front();
  attributes.erase(found);
  layout.push_back({std::string(name), text});
  return text;
}

}  // namespace

RecordPath path_of_column(const std::string& name, const std::string& unit) {
  if (const std::size_t slash = name.find('/'); slash != std::string::npos) return path_of_field(name);
  if (is_axis(name) && is_position(name, unit)) return {position, name};
  if (name.size() == 2 && name.front() == 'p' && name != "pr" && is_axis(name.substr(1))) {
    return {std::string(momentum), name.substr(1)};
  }
  const std::size_t bar = name.rfind('_');
  if (bar == std::string::npos || bar == 0 || !is_axis(name.substr(bar + 1))) return {name, ""};
  const std::string record = name.substr(0, bar);
  if (record == position || record == momentum) return {name, ""};
  return {record, name.substr(bar + 1)};
}

std::vector<RecordPath> paths_of_columns(const Table& table) {
  std::vector<RecordPath> paths;
  std::set<std::string> scalars;
  for (const Column& column : table.columns) {
    const RecordPath& path = paths.emplace_back(path_of_column(column.name, column.unit));
    if (path.component.empty()) scalars.insert(path.record);
  }
  for (std::size_t c = 0; c < paths.size(); ++c) {
    const std::string& name = table.columns[c].name;
    if (scalars.contains(paths[c].record) && name.find('/') == std::string::npos) paths[c] = {name, ""};
  }
  return paths;
}

std::vector<RecordPath> paths_of_written(const Table& table) {
  Table all;
  all.columns = table.columns;
  for (const Attribute& constant : table.constants) all.columns.push_back(Column{constant});
  return paths_of_columns(all);
}

std::string column_name(const RecordPath& path, const std::string& unit) {
  if (path.component.empty()) return path.record;
  std::string name = path.record + "_" + path.component;
  if (path.record == position) name = path.component;
  if (path.record == momentum) name = "p" + path.component;
  return path_of_column(name, unit) == path ? name : path.text();
}

RecordPath path_of_field(const std::string& name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return {name, ""};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

std::vector<std::string> usual_components(std::uint64_t count) {
  std::vector<std::string> names{"x", "y", "z"};
  if (count <= names.size()) {
    names.resize(static_cast<std::size_t>(count));
    return names;
  }
  names.clear();
  for (std::uint64_t c = 0; c < count; ++c) names.push_back("c" + std::to_string(c));
  return names;
}

std::string defect_of_name(std::string_view name) {
  if (name.empty()) return "needs a name";
  if (name.size() > longest_name) return "must have a name of at most " + std::to_string(longest_name) + " bytes";
  if (name.find('\0') != std::string_view::npos) return "must not have a NUL in its name";
  if (name.find('/') != std::string_view::npos) return "must not have so many slashes in its name";
  if (name == "." || name == "..") return "must not be called . or ..";
  return {};
}

Attribute attribute_of(std::string name, Value value) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.type = value.type();
  attribute.value = std::move(value);
  return attribute;
}

bool is_structural(std::string_view attribute) {
  constexpr std::array<std::string_view, 7> names{marks::openpmd,     "basePath",        "meshesPath",
                                                  "particlesPath",    "iterationFormat", "iterationEncoding",
                                                  "externalFieldPath"};
  return std::ranges::find(names, attribute) != names.end();
}

SeriesPaths SeriesPaths::take(std::vector<Attribute>& attributes, std::vector<Fact>& layout) {
  SeriesPaths paths;
  const auto text = [&](std::string_view name) { return take_text(attributes, name, layout); };
  paths.version = text(marks::openpmd).value_or("");
  paths.encoding = text("iterationEncoding").value_or(paths.encoding);
  paths.format = text("iterationFormat").value_or("");
  const auto base = text("basePath");
  const auto external = text("externalFieldPath");
  paths.meshes = text("meshesPath");
  paths.particles = text("particlesPath");
  // A file of external fields of the extension for beam physics: each of its groups is a set of meshes.
  if (!base && external) paths.meshes = "";
  paths.base = without_slashes(base ? *base : external.value_or("/data/%T/"));
  for (auto* path : {&paths.meshes, &paths.particles}) {
    if (*path) *path = without_slashes(**path);
  }
  const std::size_t number = paths.base.find("%T");
  paths.is_numbered = number != std::string::npos;
  if (!paths.is_numbered) return paths;
  const bool is_last = number + 2 == paths.base.size() && (number == 0 || paths.base[number - 1] == '/');
  if (!is_last) {
    throw Error(ErrorKind::unsupported, "the groups of iterations must be called %T, these are called " + paths.base)
        .on("basePath");
  }
  paths.base = without_slashes(paths.base.substr(0, number));
  paths.is_numbered = paths.encoding != "variableBased";
  return paths;
}

std::vector<Attribute> SeriesPaths::attributes() const {
  return {attribute_of(marks::openpmd, version), attribute_of("openPMDextension", Value(std::uint32_t{0})),
          attribute_of("basePath", "/" + base + "/%T/"), attribute_of("iterationEncoding", encoding),
          attribute_of("iterationFormat", format)};
}

std::string SeriesPaths::iteration(const std::string& name) const {
  return base.empty() || name.empty() ? base + name : base + "/" + name;
}

}  // namespace quire::hdf5
