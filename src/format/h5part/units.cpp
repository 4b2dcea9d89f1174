#include "format/h5part/units.hpp"

#include <algorithm>

namespace quire::hdf5 {
namespace {

constexpr std::string_view suffix = "Unit";

/// Whether an attribute of the file has the name of a unit.
bool has_name_of_unit(const Attribute& attribute) {
  return attribute.name.ends_with(suffix) && attribute.name.size() != suffix.size();
}

/// Whether an attribute of the file may be a unit.
bool may_be_unit(const Attribute& attribute) {
  return attribute.value.type() == Type::string && attribute.value.is_scalar() && has_name_of_unit(attribute);
}

}  // namespace

std::string Units::attribute_name(std::string_view quantity) { return std::string(quantity) + std::string(suffix); }

Units::Units(const std::vector<Attribute>& file_attributes) {
  for (const Attribute& attribute : file_attributes) {
    if (!has_name_of_unit(attribute)) continue;
    const std::string quantity = attribute.name.substr(0, attribute.name.size() - suffix.size());
    if (may_be_unit(attribute)) {
      units_[quantity] = attribute.value.strings().front();
    } else {
      taken_.insert(quantity);
    }
  }
}

void Units::add(const Units& others) {
  for (const auto& [quantity, unit] : others.units_) {
    units_[quantity] = unit;
    taken_.erase(quantity);
  }
  for (const std::string& quantity : others.taken_) {
    taken_.insert(quantity);
    units_.erase(quantity);
  }
}

const std::string& Units::of(const std::string& quantity) const {
  static const std::string none;
  const auto found = units_.find(quantity);
  return found == units_.end() ? none : found->second;
}

void Units::apply(StepDescription& step) const {
  for (Attribute& attribute : step.attributes) attribute.unit = of(attribute.name);
  for (Table& table : step.tables) {
    for (Column& column : table.columns) column.unit = of(column.name);
  }
  for (Field& field : step.fields) field.unit = of(field.name);
}

bool Units::fold(std::vector<Attribute>& file_attributes, const std::vector<std::string>& step) const {
  std::set<std::string> described;
  const auto add = [&](const std::string& name) {
    if (!of(name).empty()) described.insert(attribute_name(name));
  };
  for (Attribute& attribute : file_attributes) {
    attribute.unit = of(attribute.name);
    add(attribute.name);
  }
  std::ranges::for_each(step, add);
  std::erase_if(file_attributes, [&](const Attribute& attribute) { return described.contains(attribute.name); });
  return std::ranges::any_of(file_attributes, may_be_unit);
}

}  // namespace quire::hdf5
