#include "format/hdf5/library/words.hpp"

#include <algorithm>
#include <unordered_set>

#include "format/hdf5/library/attributes.hpp"
#include "model/name_index.hpp"

namespace quire::hdf5 {
namespace {

/// The only text of an attribute; empty for other attributes.
std::string single_text(const Attribute& attribute) {
  const bool is_text = attribute.value.type() == Type::string && attribute.value.strings().size() == 1;
  return is_text ? attribute.value.strings().front() : std::string();
}

/// Removes a text from the attributes and returns it.
std::string take_text(std::vector<Attribute>& attributes, std::string_view name) {
  std::string text = text_of(attributes, name);
  if (!text.empty()) std::erase_if(attributes, [&](const Attribute& attribute) { return attribute.name == name; });
  return text;
}

}  // namespace

std::vector<std::string> texts_of(const std::vector<Attribute>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  if (found == attributes.end() || found->value.type() != Type::string) return {};
  return {found->value.strings().begin(), found->value.strings().end()};
}

std::string text_of(const std::vector<Attribute>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  return found == attributes.end() ? std::string() : single_text(*found);
}

std::uint64_t take_count(std::vector<Attribute>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  if (found == attributes.end() || !found->value.is_scalar() || !is_integer(found->value.type())) return 0;
  const double count = found->value.as_double();
  constexpr double most = 1e9;
  if (!(count >= 1 && count <= most)) return 0;
  attributes.erase(found);
  return static_cast<std::uint64_t>(count);
}

Quantity take_quantity(const std::string& name, Type type, std::vector<Attribute>& attributes) {
  Quantity quantity;
  quantity.name = name;
  quantity.type = type;
  quantity.unit = take_text(attributes, words::units);
  if (quantity.unit.empty()) quantity.unit = take_text(attributes, "unit");
  quantity.symbol = take_text(attributes, words::symbol);
  quantity.description = take_text(attributes, words::description);
  quantity.display = take_text(attributes, words::display);
  return quantity;
}

std::string unit_name(std::string_view attribute) { return std::string(attribute) + "_units"; }

void fold_units(std::vector<Attribute>& attributes) {
  NameIndex names;
  std::unordered_set<std::string> taken;
  for (Attribute& attribute : attributes) {
    const auto found = names.find(attributes, unit_name(attribute.name));
    attribute.unit = found ? single_text(attributes[*found]) : std::string();
    if (!attribute.unit.empty()) taken.insert(unit_name(attribute.name));
  }
  std::erase_if(attributes, [&](const Attribute& attribute) { return taken.contains(attribute.name); });
}

void write_attributes(hid_t object, const std::vector<Attribute>& attributes) {
  for (const Attribute& attribute : attributes) {
    write_attribute(object, attribute.name, attribute.value, Scalars::as_such);
    if (attribute.unit.empty()) continue;
    write_attribute(object, unit_name(attribute.name), Value(attribute.unit), Scalars::as_such);
  }
}

}  // namespace quire::hdf5
