#include "quire/model/description.hpp"

#include <algorithm>

#include "quire/base/error.hpp"

namespace quire {
namespace {

template <class Items>
std::vector<std::string> names_of(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

/// The position of the item called `name`; an empty name is the first item if `first_if_empty`.
template <class Items>
std::size_t position(const Items& items, const std::string& name, const char* what, bool first_if_empty) {
  if (name.empty() && first_if_empty && !items.empty()) return 0;
  const auto found = std::find_if(items.begin(), items.end(), [&](const auto& item) { return item.name == name; });
  if (found != items.end()) return static_cast<std::size_t>(found - items.begin());
  if (items.empty()) throw Error(ErrorKind::missing, "there is no " + std::string(what));
  throw Error(ErrorKind::missing,
              "there is no " + std::string(what) + " \"" + name + "\"" + nearest_names(name, names_of(items)));
}

}  // namespace

void check_geometry(const Field& field) {
  const std::size_t axes = field.extents.size();
  const auto check = [&](std::size_t entries, const char* what) {
    if (entries == 0 || entries == axes) return;
    throw Error(ErrorKind::usage, "the " + std::string(what) + " has " + std::to_string(entries) +
                                      " entries for a field of " + std::to_string(axes) + " axes")
        .on(field.name);
  };
  check(field.geometry.origin.size(), "origin");
  check(field.geometry.spacing.size(), "spacing");
  const auto& coordinates = field.geometry.coordinates;
  check(coordinates.size(), "list of coordinates");
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    if (coordinates[i].empty() || coordinates[i].size() == field.extents[i]) continue;
    throw Error(ErrorKind::usage, "axis " + std::to_string(i) + " has " + std::to_string(coordinates[i].size()) +
                                      " coordinates for " + std::to_string(field.extents[i]) + " elements")
        .on(field.name);
  }
}

StepDescription without_values(const StepDescription& step) {
  const auto emptied = [](const Attribute& attribute) {
    Attribute empty = attribute;
    std::vector<std::uint64_t> shape(attribute.value.shape().size(), 0);
    const std::size_t count = shape.empty() ? 1 : 0;
    if (attribute.type == Type::string) {
      empty.value = Value::texts(std::move(shape), std::vector<std::string>(count));
    } else {
      const std::vector<std::byte> zeros(count * size_of(attribute.type));
      empty.value = Value::numbers(attribute.type, std::move(shape), zeros);
    }
    return empty;
  };
  StepDescription declared;
  for (const Attribute& attribute : step.attributes) declared.attributes.push_back(emptied(attribute));
  for (const Table& table : step.tables) declared.tables.push_back({.name = table.name, .columns = table.columns});
  for (Field field : step.fields) {
    std::ranges::fill(field.extents, 0);
    for (Attribute& attribute : field.attributes) attribute = emptied(attribute);
    field.geometry = {};
    declared.fields.push_back(std::move(field));
  }
  return declared;
}

std::size_t Table::find(const std::string& column) const { return position(columns, column, "column", false); }

std::size_t StepDescription::find_table(const std::string& table) const {
  return position(tables, table, "table", true);
}

std::size_t StepDescription::find_field(const std::string& field) const {
  return position(fields, field, "field", false);
}

}  // namespace quire
