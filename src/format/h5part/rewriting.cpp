#include "format/h5part/rewriting.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "format/h5part/field_plan.hpp"
#include "format/h5part/geometry.hpp"
#include "format/h5part/names.hpp"
#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/column_order.hpp"
#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/library/links.hpp"

namespace quire::hdf5 {
namespace {

/// The link of the step of the same prefix and number in the file.
Link old_step(hid_t file, const std::string& name) {
  const auto wanted = parse_step_name(name);
  for (Link& link : list_links(file, "/")) {
    const auto found = parse_step_name(link.name);
    if (found && wanted && found->prefix == wanted->prefix && found->number == wanted->number) return std::move(link);
  }
  throw Error(ErrorKind::internal, "the step to be overwritten is missing").on(name);
}

void move(hid_t from, const std::string& name, hid_t to, const std::string& new_name) {
  require(H5Lmove(from, name.c_str(), to, new_name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "move the link", name);
}

/// A free name for an object until it is dropped.
std::string name_aside(hid_t group, const std::string& name) {
  std::string aside = name + " (aside)";
  for (unsigned i = 2; has_link(group, aside); ++i) aside = name + " (aside " + std::to_string(i) + ")";
  return aside;
}

[[noreturn]] void refuse(const std::string& what, const std::string& name) {
  throw Error(ErrorKind::conflict, "the step has " + what + " of this name already")
      .on(name)
      .advise("choose another name, or write with the option existing=overwrite");
}

/// The length of a column; no value for other objects.
std::optional<std::uint64_t> rows_of(hid_t group, const std::string& name) {
  const Handle dataset(H5Dopen2(group, name.c_str(), H5P_DEFAULT));
  const Handle space(dataset ? H5Dget_space(dataset.id()) : H5I_INVALID_HID);
  hsize_t extent = 0;
  if (!space || H5Sget_simple_extent_ndims(space.id()) != 1) return std::nullopt;
  require(H5Sget_simple_extent_dims(space.id(), &extent, nullptr), "read the shape", name);
  return extent;
}

/// Checks that the columns that are kept and the new columns have the same length.
void check_rows(hid_t old_group, const StepDescription& step, std::uint64_t rows) {
  if (step.tables.empty()) return;
  const std::vector<Column>& columns = step.tables.front().columns;
  for (const Link& link : list_links(old_group, "step")) {
    if (std::ranges::find(columns, link.name, &Column::name) != columns.end()) continue;
    const auto length = rows_of(old_group, link.name);
    if (!length || *length == rows) continue;
    throw Error(ErrorKind::conflict, "the column has " + std::to_string(*length) +
                                         " rows, the new columns of its step " + std::to_string(rows))
        .on(link.name);
  }
}

/// Renames a link until it is dropped; returns the new name.
std::string put_aside(hid_t group, const std::string& name) {
  std::string kept = name_aside(group, name);
  move(group, name, group, kept);
  return kept;
}

bool is_group(hid_t group, const std::string& name) {
  const Handle object(H5Oopen(group, name.c_str(), H5P_DEFAULT));
  return object && H5Iget_type(object.id()) == H5I_GROUP;
}

/// Whether a group has only this name, so that changes affect no other link.
bool is_own_group(hid_t group, const std::string& name) {
  if (find_link(group, name).type != H5L_TYPE_HARD || !is_group(group, name)) return false;
  H5O_info_t info{};
  require(H5Oget_info_by_name(group, name.c_str(), &info, H5P_DEFAULT), "inspect the field", name);
  return info.rc == 1;
}

/// Drops the coordinates of a field that a new one overwrites if their number does not fit the new extents, or if the
/// new field has an origin or spacing.
void drop_contradicted(hid_t group, const Field& field) {
  const bool is_regular = !field.geometry.origin.empty() || !field.geometry.spacing.empty();
  const std::vector<std::uint64_t> extents = block_extents(field);
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const char* name = coordinate_attribute(axis);
    if (require(H5Aexists(group, name), "look for the coordinates", field.name) == 0) continue;
    const Handle attribute = own(H5Aopen(group, name, H5P_DEFAULT), "open the coordinates", field.name);
    const Handle space = own(H5Aget_space(attribute.id()), "read the shape of the coordinates", field.name);
    const auto count = require(H5Sget_simple_extent_npoints(space.id()), "count the coordinates", field.name);
    if (is_regular || static_cast<std::uint64_t>(count) != extents[axis]) {
      require(H5Adelete(group, name), "drop the coordinates", field.name);
    }
  }
}

/// Moves the components of one group of a field over those of another, with the attributes of the new field. Other
/// attributes are kept, except for a geometry that would contradict the new one.
void overwrite_field(hid_t from, hid_t to, const Field& field, const std::string& path,
                     std::vector<std::string>& replaced) {
  for (const Link& link : list_links(to, field.name)) {
    const bool is_component = link.name.find_first_not_of("0123456789") == std::string::npos;
    if (is_component) replaced.push_back(path + put_aside(to, link.name));
  }
  for (const Link& link : list_links(from, field.name)) move(from, link.name, to, link.name);
  drop_contradicted(to, field);
  for (const Attribute& attribute : geometry_attributes(field)) write_attribute(to, attribute.name, attribute.value);
  for (const Attribute& attribute : field.attributes) write_attribute(to, attribute.name, attribute.value);
}

/// Moves new fields to the fields of the existing step.
void merge_fields(hid_t from, hid_t to, bool overwrite, const StepDescription& step, const std::string& path,
                  std::vector<std::string>& replaced) {
  for (const Field& field : step.fields) {
    const std::string& name = field.name;
    if (!has_link(to, name)) {
      move(from, name, to, name);
      continue;
    }
    if (!overwrite) refuse("a field", name);
    if (!is_own_group(to, name)) {
      replaced.push_back(path + put_aside(to, name));
      move(from, name, to, name);
      continue;
    }
    const Handle made = own(H5Gopen2(from, name.c_str(), H5P_DEFAULT), "open the new field", name);
    const Handle old = own(H5Gopen2(to, name.c_str(), H5P_DEFAULT), "open the field", name);
    overwrite_field(made.id(), old.id(), field, path + name + "/", replaced);
  }
}

/// Moves the contents of the group of a new step to that of the old one. Objects that both have are replaced, or
/// refused. Appends the paths of replaced objects to `replaced`.
void merge(hid_t from, hid_t to, bool overwrite, const StepDescription& step, const std::string& path,
           std::vector<std::string>& replaced) {
  for (const Link& link : list_links(from, "step")) {
    if (!has_link(to, link.name)) {
      move(from, link.name, to, link.name);
      continue;
    }
    if (link.name == block_name && is_group(to, link.name)) {
      const Handle new_block = own(H5Gopen2(from, link.name.c_str(), H5P_DEFAULT), "open the fields");
      const Handle old_block = own(H5Gopen2(to, link.name.c_str(), H5P_DEFAULT), "open the fields");
      merge_fields(new_block.id(), old_block.id(), overwrite, step, path + link.name + "/", replaced);
      continue;
    }
    if (!overwrite) refuse("a column", link.name);
    replaced.push_back(path + put_aside(to, link.name));
    move(from, link.name, to, link.name);
  }
}

/// The columns of an existing step in their order, followed by those that a new one adds.
std::vector<std::string> all_columns(Image& image, hid_t group, const StepDescription& step) {
  constexpr std::uint64_t budget = std::uint64_t{1} << 20;
  std::vector<std::string> warnings;
  std::vector<Attribute> attributes = read_attributes(image, group, budget, warnings);
  std::vector<std::string> names;
  for (const Link& link : list_links(group, "step")) {
    if (link.name != block_name) names.push_back(link.name);
  }
  put_in_order(names, take_column_order(attributes), std::identity());
  for (const Table& table : step.tables) {
    for (const Column& column : table.columns) {
      if (std::ranges::find(names, column.name) == names.end()) names.push_back(column.name);
    }
  }
  return names;
}

void add_attributes(hid_t group, const StepDescription& step, bool overwrite) {
  for (const Attribute& attribute : step.attributes) {
    const bool exists = require(H5Aexists(group, attribute.name.c_str()), "look for an attribute", attribute.name) > 0;
    if (exists && !overwrite) refuse("an attribute", attribute.name);
    write_attribute(group, attribute.name, attribute.value);
  }
}

}  // namespace

Existing existing_option(const CheckedOptions& options) {
  constexpr std::array<std::pair<std::string_view, Existing>, 4> words{{{"refuse", Existing::refuse},
                                                                        {"replace", Existing::replace},
                                                                        {"add", Existing::add},
                                                                        {"overwrite", Existing::overwrite}}};
  const std::string given = options.text("existing");
  for (const auto& [word, mode] : words) {
    if (given == word) return mode;
  }
  throw Error(ErrorKind::usage, "steps that exist are refused, replaced, added to or overwritten")
      .on("existing")
      .advise("give refuse, replace, add or overwrite");
}

std::vector<std::string> write_over(hid_t file, Image& image, const std::string& name, const StepDescription& step,
                                    std::uint64_t rows, Existing mode,
                                    const std::function<void(const std::string& name)>& write) {
  if (mode == Existing::refuse) {
    write(name);
    return {};
  }
  const Link old = old_step(file, name);
  const std::string spare = name_aside(file, old.name);
  if (mode == Existing::replace) {
    move(file, old.name, file, spare);
    write(old.name);
    return {spare};
  }
  if (old.type != H5L_TYPE_HARD) {
    throw Error(ErrorKind::unsupported, "the step is stored in another file, which is not changed").on(old.name);
  }
  const Handle group = own(H5Gopen2(file, old.name.c_str(), H5P_DEFAULT), "open the step", old.name);
  check_rows(group.id(), step, rows);
  write(spare);
  const Handle made = own(H5Gopen2(file, spare.c_str(), H5P_DEFAULT), "open the new step", spare);
  const std::vector<std::string> columns = all_columns(image, group.id(), step);
  add_attributes(group.id(), step, mode == Existing::overwrite);
  std::vector<std::string> replaced;
  merge(made.id(), group.id(), mode == Existing::overwrite, step, old.name + "/", replaced);
  write_column_order(group.id(), columns);
  replaced.push_back(spare);
  return replaced;
}

}  // namespace quire::hdf5
