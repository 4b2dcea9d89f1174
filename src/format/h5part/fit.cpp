#include <algorithm>
#include <optional>

#include "format/h5part/acceptance.hpp"
#include "format/h5part/field_plan.hpp"
#include "format/h5part/names.hpp"
#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/column_order.hpp"
#include "format/hdf5/library/types.hpp"

namespace quire::hdf5 {
namespace {

/// H5Part cannot store symbols, descriptions and display formats.
void drop_texts(const std::string& object, Quantity& quantity, Fit& fit) {
  if (quantity.symbol.empty() && quantity.description.empty() && quantity.display.empty()) return;
  fit.lose(object, quantity.name, "symbol, description and display format are left out");
  quantity.symbol.clear();
  quantity.description.clear();
  quantity.display.clear();
}

/// The attribute as it will be written; no value if it cannot be written.
std::optional<Attribute> fitted(const std::string& object, const Attribute& attribute, Fit& fit) {
  try {
    Attribute result = accepted_in_h5part(attribute, true);
    fit.retype(object, attribute.name, attribute.type, result.type);
    if (result.type == Type::string && result.value.count() > 1) {
      fit.changes.push_back(
          {ChangeKind::reshaped, object, attribute.name, "", "the H5Part library reads only the first of its texts"});
    }
    drop_texts(object, result, fit);
    return result;
  } catch (const Error& error) {
    fit.lose(object, attribute.name, "left out: " + error.message());
    return std::nullopt;
  }
}

std::optional<Column> fitted(const Column& column, Fit& fit) {
  const std::string object = "column";
  try {
    check_column_name(column.name);
  } catch (const Error& error) {
    fit.lose(object, column.name, "left out: " + error.message());
    return std::nullopt;
  }
  Column result = column;
  result.type = held_as(column.type);
  fit.retype(object, column.name, column.type, result.type);
  drop_texts(object, result, fit);
  return result;
}

void fit_tables(const StepDescription& step, Fit& fit) {
  std::vector<Table>& tables = fit.adapted.tables;
  tables.clear();
  for (const Table& table : step.tables) {
    if (table.columns.empty()) continue;
    if (!tables.empty()) {
      fit.lose("table", table.name, "left out: a step of H5Part has only one table");
      continue;
    }
    if (!table.name.empty()) fit.lose("table", table.name, "the name is left out");
    Table result;
    result.name = table.name;
    result.rows = table.rows;
    for (const Column& column : table.columns) {
      if (auto kept = fitted(column, fit)) result.columns.push_back(*std::move(kept));
    }
    if (const std::string defect = order_defect(result.columns); !defect.empty()) {
      fit.lose("table", table.name, defect);
    }
    if (!result.columns.empty()) tables.push_back(std::move(result));
  }
}

std::optional<Field> fitted(const Field& field, Fit& fit) {
  const std::string object = "field";
  const auto reshape = [&](const std::string& what, const std::string& text) {
    fit.changes.push_back({ChangeKind::reshaped, what, field.name, {}, text});
  };
  Field result = field;
  result.attributes.clear();
  for (const Attribute& attribute : field.attributes) {
    auto kept = fitted("attribute of the field " + field.name, attribute, fit);
    if (kept) result.attributes.push_back(*std::move(kept));
  }
  try {
    result = accepted_field(result, true);
  } catch (const Error& error) {
    fit.lose(object, field.name, "left out: " + error.message());
    return std::nullopt;
  }
  fit.retype(object, field.name, field.type, result.type);
  if (field.group == loose_columns) {
    reshape("column", "stored as a field: its shape differs from that of the other columns");
  } else if (!field.group.empty()) {
    fit.lose(object, field.name, "the group " + field.group + " is left out");
  }
  result.group.clear();
  const std::vector<std::uint64_t> extents = block_extents(field);
  if (extents != field.extents) {
    reshape(object, "axes of one element are added in front: " + std::to_string(field.extents.size()) +
                        (field.extents.size() == 1 ? " axis" : " axes") + " become the three of H5Block");
  }
  drop_texts(object, result, fit);
  return result;
}

void fit_fields(const StepDescription& step, Fit& fit) {
  fit.adapted.fields.clear();
  for (const Field& field : step.fields) {
    if (auto kept = fitted(field, fit)) fit.adapted.fields.push_back(*std::move(kept));
  }
}

/// A name has one unit in the whole file: the first one is kept.
void fit_units(Units units, Fit& fit) {
  const auto check = [&](const std::string& object, auto& quantities) {
    for (Quantity& quantity : quantities) {
      const std::string& old = units.of(quantity.name);
      if (quantity.unit.empty() || old == quantity.unit) continue;
      const std::string lost = "the unit \"" + quantity.unit + "\" is left out: ";
      if (units.is_taken(quantity.name)) {
        fit.lose(object, quantity.name,
                 lost + "the attribute " + Units::attribute_name(quantity.name) + " of the file is something else");
        quantity.unit.clear();
      } else if (old.empty()) {
        units.set(quantity.name, quantity.unit);
      } else {
        fit.lose(object, quantity.name, lost + "something else of this name has the unit \"" + old + "\"");
        quantity.unit.clear();
      }
    }
  };
  for (Table& table : fit.adapted.tables) check("column", table.columns);
  check("attribute", fit.adapted.attributes);
  check("field", fit.adapted.fields);
}

}  // namespace

Fit fit_h5part(const FileDescription& file, const StepDescription& step) {
  Fit fit{.adapted = step};
  std::vector<Attribute> file_attributes;
  for (const Attribute& attribute : file.attributes) {
    if (auto kept = fitted("attribute of the file", attribute, fit)) file_attributes.push_back(*std::move(kept));
  }
  fit_tables(step, fit);
  fit.adapted.attributes.clear();
  for (const Attribute& attribute : step.attributes) {
    if (attribute.name == column_order_name) {
      fit.lose("attribute", attribute.name, "left out: this name is reserved for the order of the columns");
      continue;
    }
    if (auto kept = fitted("attribute", attribute, fit)) fit.adapted.attributes.push_back(*std::move(kept));
  }
  fit_fields(step, fit);
  Units units(file_attributes);
  for (const Attribute& attribute : file_attributes) {
    if (!attribute.unit.empty()) units.set(attribute.name, attribute.unit);
  }
  fit_units(std::move(units), fit);
  return fit;
}

}  // namespace quire::hdf5
