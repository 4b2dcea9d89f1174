#include "format/hdf5/library/column_order.hpp"

#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/handle.hpp"

namespace quire::hdf5 {
namespace {

/// HDF5 limits an attribute to 64 KiB, together with its type and shape.
constexpr std::size_t most_bytes_of_names = 65000;

std::vector<std::string> names_of(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(column.name);
  return names;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "/") + name;
  return text;
}

}  // namespace

void write_column_order(hid_t group, const std::vector<std::string>& names) {
  const std::string name(column_order_name);
  const bool exists = require(H5Aexists(group, name.c_str()), "look for the order of columns") > 0;
  const std::string text = joined(names);
  if (!std::ranges::is_sorted(names) && text.size() <= most_bytes_of_names) {
    write_attribute(group, name, Value(text));
  } else if (exists) {
    require(H5Adelete(group, name.c_str()), "delete the order of columns");
  }
}

void write_column_order(hid_t group, const std::vector<Column>& columns) {
  write_column_order(group, names_of(columns));
}

std::string order_defect(const std::vector<Column>& columns) {
  const std::vector<std::string> names = names_of(columns);
  if (std::ranges::is_sorted(names) || joined(names).size() <= most_bytes_of_names) return {};
  return "the order of the columns is left out: their names have more than " + std::to_string(most_bytes_of_names) +
         " bytes";
}

std::vector<std::string> take_column_order(std::vector<Attribute>& attributes) {
  std::vector<std::string> names;
  const auto found = std::ranges::find_if(attributes, [](const Attribute& attribute) {
    return attribute.name == column_order_name && attribute.value.type() == Type::string && attribute.value.is_scalar();
  });
  if (found == attributes.end()) return names;
  const std::string text = found->value.strings().front();
  attributes.erase(found);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('/', begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

}  // namespace quire::hdf5
