#include "format/h5part/acceptance.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "format/h5part/field_plan.hpp"
#include "format/h5part/names.hpp"
#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/column_order.hpp"
#include "format/hdf5/library/types.hpp"
#include "model/name_index.hpp"

namespace quire::hdf5 {
namespace {

/// Calls `visit` for the attributes, columns and fields of a step.
template <class Step, class Visit>
void for_each_quantity(Step& step, const Visit& visit) {
  for (auto& attribute : step.attributes) visit(attribute);
  for (auto& table : step.tables) {
    for (auto& column : table.columns) visit(column);
  }
  for (auto& field : step.fields) visit(field);
}

Attribute text_attribute(std::string name, const std::string& text) {
  Attribute attribute;
  attribute.name = std::move(name);
  attribute.type = Type::string;
  attribute.value = Value(text);
  return attribute;
}

/// Why a unit conflicts with those already known, or an empty text.
std::string unit_conflict(const Quantity& quantity, const Units& known) {
  const std::string& old = known.of(quantity.name);
  if (!quantity.unit.empty() && known.is_taken(quantity.name)) {
    return "the unit \"" + quantity.unit + "\" cannot be stored: the attribute " +
           Units::attribute_name(quantity.name) + " of the file is something else";
  }
  if (quantity.unit.empty() || old.empty() || old == quantity.unit) return {};
  return "the unit \"" + quantity.unit + "\" contradicts the unit \"" + old +
         "\" that the file already has for this name";
}

void add_attribute(std::vector<Attribute>& attributes, NameIndex& names, Attribute attribute) {
  const auto old = names.find(attributes, attribute.name);
  if (!old) {
    attributes.push_back(std::move(attribute));
  } else if (attributes[*old].value != attribute.value) {
    throw Error(ErrorKind::conflict, "a file attribute of this name is given twice with different values")
        .on(attribute.name);
  }
}

Column accepted_column(const Column& column) {
  check_column_name(column.name);
  Column result = column;
  result.type = held_as(column.type);
  return result;
}

Table accepted_table(const Table& table) {
  Table result;
  result.rows = table.rows;
  result.columns.reserve(table.columns.size());
  std::set<std::string_view> names;
  for (const Column& column : table.columns) {
    result.columns.push_back(accepted_column(column));
    if (!names.insert(column.name).second) {
      throw Error(ErrorKind::conflict, "two columns have this name").on(column.name);
    }
  }
  return result;
}

std::vector<Field> accepted_fields(const std::vector<Field>& fields, bool lossy) {
  std::vector<Field> result;
  std::set<std::string> names;
  for (const Field& field : fields) {
    result.push_back(accepted_field(field, lossy));
    if (names.insert(result.back().name).second) continue;
    throw Error(ErrorKind::conflict, "two fields have this name").on(field.name);
  }
  return result;
}

}  // namespace

FileAcceptance accept_file(const FileDescription& file, const Units& known) {
  FileAcceptance result{.attributes = {}, .units = known};
  NameIndex names;
  if (!file.title.empty()) add_attribute(result.attributes, names, text_attribute("title", file.title));
  if (!file.contents.empty()) add_attribute(result.attributes, names, text_attribute("contents", file.contents));
  for (const Attribute& attribute : file.attributes) {
    add_attribute(result.attributes, names, accepted_in_h5part(attribute, false));
    if (attribute.unit.empty()) continue;
    add_attribute(result.attributes, names, text_attribute(Units::attribute_name(attribute.name), attribute.unit));
  }
  result.units.add(Units(result.attributes));
  return result;
}

StepDescription accept_step(const StepDescription& step, const Units& known, bool lossy) {
  StepDescription result;
  result.number = step.number;
  result.streams = step.streams;
  result.warnings = step.warnings;
  for (const Table& table : step.tables) {
    if (table.columns.empty()) continue;
    if (!result.tables.empty()) {
      throw Error(ErrorKind::unsupported, "a step of H5Part has one table only").on(table.name);
    }
    result.tables.push_back(accepted_table(table));
  }
  result.fields = accepted_fields(step.fields, lossy);
  std::set<std::string> names;
  for (const Attribute& attribute : step.attributes) {
    if (attribute.name == column_order_name) {
      throw Error(ErrorKind::usage, "this name is reserved for the order of the columns").on(attribute.name);
    }
    result.attributes.push_back(accepted_in_h5part(attribute, lossy));
    if (!names.insert(result.attributes.back().name).second) {
      throw Error(ErrorKind::conflict, "two attributes have this name").on(attribute.name);
    }
  }
  Units units = known;
  for_each_quantity(result, [&](const Quantity& quantity) {
    const std::string conflict = unit_conflict(quantity, units);
    if (!conflict.empty()) throw Error(ErrorKind::conflict, conflict).on(quantity.name);
    if (!quantity.unit.empty()) units.set(quantity.name, quantity.unit);
  });
  return result;
}

std::vector<std::pair<std::string, std::string>> new_units(const StepDescription& step, const Units& known) {
  std::vector<std::pair<std::string, std::string>> units;
  std::set<std::string_view> seen;
  for_each_quantity(step, [&](const Quantity& quantity) {
    if (quantity.unit.empty() || known.of(quantity.name) == quantity.unit) return;
    if (seen.insert(quantity.name).second) units.emplace_back(quantity.name, quantity.unit);
  });
  return units;
}

}  // namespace quire::hdf5
