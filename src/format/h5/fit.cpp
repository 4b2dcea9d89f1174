#include <algorithm>
#include <optional>

#include "format/h5/acceptance.hpp"
#include "format/h5/attributes.hpp"
#include "format/h5/field_plan.hpp"
#include "format/h5/names.hpp"
#include "format/h5/types.hpp"

namespace quire::h5 {
namespace {

/// Collects the sentences, and texts that are lost from many objects in one sentence.
class Losses {
 public:
  void tell(std::string sentence) { sentences_.push_back(std::move(sentence)); }
  /// Symbols, descriptions and display formats have no place in H5Part.
  void drop_texts(Quantity& quantity) {
    if (quantity.symbol.empty() && quantity.description.empty() && quantity.display.empty()) return;
    without_texts_ += (without_texts_.empty() ? "" : ", ") + quantity.name;
    quantity.symbol.clear();
    quantity.description.clear();
    quantity.display.clear();
  }
  std::vector<std::string> take() {
    if (!without_texts_.empty()) {
      tell("symbols, descriptions and display formats are left out: " + without_texts_);
    }
    return std::move(sentences_);
  }

 private:
  std::vector<std::string> sentences_;
  std::string without_texts_;
};

/// The attribute as it will be written; nothing if it cannot be.
std::optional<Attribute> fitted(const Attribute& attribute, Losses& losses) {
  try {
    Attribute result = accepted_in_h5part(attribute, true);
    if (result.type != attribute.type) {
      losses.tell("the attribute " + attribute.name + " of type " + std::string(name(attribute.type)) + " becomes " +
                  std::string(name(result.type)));
    }
    if (result.type == Type::string && result.value.count() > 1) {
      losses.tell("the attribute " + attribute.name + " has " + std::to_string(result.value.count()) +
                  " texts, of which the H5Part library reads the first only");
    }
    losses.drop_texts(result);
    return result;
  } catch (const Error& error) {
    losses.tell("the attribute " + attribute.name + " is left out: " + error.message());
    return std::nullopt;
  }
}

std::optional<Column> fitted(const Column& column, Losses& losses) {
  try {
    check_column_name(column.name);
  } catch (const Error& error) {
    losses.tell("the column " + column.name + " is left out: " + error.message());
    return std::nullopt;
  }
  if (column.type == Type::string) {
    losses.tell("the column " + column.name + " is left out: H5Part has no columns of texts");
    return std::nullopt;
  }
  Column result = column;
  result.type = held_as(column.type);
  if (result.type != column.type) {
    losses.tell("the column " + column.name + " of type " + std::string(name(column.type)) + " becomes " +
                std::string(name(result.type)));
  }
  losses.drop_texts(result);
  return result;
}

void fit_tables(StepDescription& adapted, const StepDescription& step, Losses& losses) {
  adapted.tables.clear();
  for (const Table& table : step.tables) {
    if (table.columns.empty()) continue;
    if (!adapted.tables.empty()) {
      const std::string which = table.name.empty() ? "the table" : "the table " + table.name;
      losses.tell(which + " is left out: a step of H5Part has one table only");
      continue;
    }
    if (!table.name.empty()) losses.tell("the name of the table " + table.name + " is left out");
    Table result;
    result.name = table.name;
    result.rows = table.rows;
    for (const Column& column : table.columns) {
      if (auto kept = fitted(column, losses)) result.columns.push_back(*std::move(kept));
    }
    if (!result.columns.empty()) adapted.tables.push_back(std::move(result));
  }
}

std::optional<Field> fitted(const Field& field, Losses& losses) {
  Field result = field;
  result.attributes.clear();
  for (const Attribute& attribute : field.attributes) {
    if (auto kept = fitted(attribute, losses)) result.attributes.push_back(*std::move(kept));
  }
  try {
    result = accepted_field(result, true);
  } catch (const Error& error) {
    losses.tell("the field " + field.name + " is left out: " + error.message());
    return std::nullopt;
  }
  if (result.type != field.type) {
    losses.tell("the field " + field.name + " of type " + std::string(name(field.type)) + " becomes " +
                std::string(name(result.type)));
  }
  if (field.group == loose_columns) {
    losses.tell("the column " + field.name + " becomes a field: its shape is not that of the other columns");
  } else if (!field.group.empty()) {
    losses.tell("the field " + field.name + " loses its group, " + field.group);
  }
  result.group.clear();
  const std::vector<std::uint64_t> extents = block_extents(field);
  if (extents != field.extents) {
    losses.tell("the field " + field.name + " gets axes of one element in front: it has " +
                std::to_string(field.extents.size()) + (field.extents.size() == 1 ? " axis" : " axes") +
                ", one of H5Block three");
  }
  losses.drop_texts(result);
  return result;
}

void fit_fields(StepDescription& adapted, const StepDescription& step, Losses& losses) {
  adapted.fields.clear();
  for (const Field& field : step.fields) {
    if (auto kept = fitted(field, losses)) adapted.fields.push_back(*std::move(kept));
  }
}

/// One name has one unit in the whole file: the first one stays.
void fit_units(StepDescription& adapted, Units units, Losses& losses) {
  const auto check = [&](Quantity& quantity) {
    const std::string& old = units.of(quantity.name);
    if (quantity.unit.empty() || old == quantity.unit) return;
    if (units.is_taken(quantity.name)) {
      losses.tell("the unit \"" + quantity.unit + "\" of " + quantity.name + " is left out: the attribute " +
                  Units::attribute_name(quantity.name) + " of the file is something else");
      return quantity.unit.clear();
    }
    if (old.empty()) return units.set(quantity.name, quantity.unit);
    losses.tell("the unit \"" + quantity.unit + "\" of " + quantity.name +
                " is left out: something else of this name has the unit \"" + old + "\"");
    quantity.unit.clear();
  };
  for (Table& table : adapted.tables) std::ranges::for_each(table.columns, check);
  std::ranges::for_each(adapted.attributes, check);
  std::ranges::for_each(adapted.fields, check);
}

}  // namespace

Fit fit_h5part(const FileDescription& file, const StepDescription& step) {
  Losses losses;
  Fit fit{.adapted = step, .losses = {}};
  std::vector<Attribute> file_attributes;
  for (const Attribute& attribute : file.attributes) {
    if (auto kept = fitted(attribute, losses)) file_attributes.push_back(*std::move(kept));
  }
  fit_tables(fit.adapted, step, losses);
  fit.adapted.attributes.clear();
  for (const Attribute& attribute : step.attributes) {
    if (auto kept = fitted(attribute, losses)) fit.adapted.attributes.push_back(*std::move(kept));
  }
  fit_fields(fit.adapted, step, losses);
  Units units(file_attributes);
  for (const Attribute& attribute : file_attributes) {
    if (!attribute.unit.empty()) units.set(attribute.name, attribute.unit);
  }
  fit_units(fit.adapted, std::move(units), losses);
  fit.losses = losses.take();
  return fit;
}

}  // namespace quire::h5
