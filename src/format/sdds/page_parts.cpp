#include "format/sdds/page_parts.hpp"

#include <utility>

#include "quire/base/error.hpp"

namespace quire::sdds {

bool is_attribute(const ArrayDefinition& array) noexcept {
  return array.group_name == attribute_group || array.group_name == file_attribute_group;
}

void add_parameter(Page& page, const ParameterDefinition& parameter, Value value) {
  if (parameter.name == step_parameter) page.step = whole_number(value);
  page.layout.description.attributes.push_back({quantity_of(parameter), std::move(value)});
}

void add_attribute(Page& page, const ArrayDefinition& array, Value value) {
  const bool of_file = array.group_name == file_attribute_group;
  auto& attributes = of_file ? page.file_attributes : page.layout.description.attributes;
  attributes.push_back({quantity_of(array), std::move(value)});
}

void add_field(Page& page, const ArrayDefinition& array, std::vector<std::uint64_t> extents, Run elements) {
  Field field;
  static_cast<Quantity&>(field) = quantity_of(array);
  field.extents = std::move(extents);
  field.group = array.group_name.value_or(std::string());
  page.layout.description.fields.push_back(std::move(field));
  page.layout.fields.push_back({{std::move(elements)}});
}

void add_table(Page& page, const Header& header) {
  Table& table = page.layout.description.tables.emplace_back();
  for (const ColumnDefinition& column : header.columns) table.columns.push_back({quantity_of(column)});
  page.layout.tables.emplace_back();
}

void PageBudget::require(std::uint64_t bytes, const std::string& object, std::uint64_t offset) const {
  if (bytes <= left_) return;
  throw Error(ErrorKind::memory, "its values need more memory than the budget allows")
      .on(object)
      .at(offset)
      .advise("raise the memory budget: quire.open(..., memory_budget=)");
}

void PageBudget::spend(std::uint64_t bytes, const std::string& object, std::uint64_t offset) {
  require(bytes, object, offset);
  left_ -= bytes;
}

void require_room(std::uint64_t count, std::uint64_t bytes_each, std::uint64_t left, const std::string& object,
                  std::uint64_t offset) {
  if (count <= left / bytes_each) return;
  throw Error(ErrorKind::bad_file, std::to_string(count) + " values are declared, but only " + std::to_string(left) +
                                       " bytes are left in the file")
      .on(object)
      .at(offset);
}

}  // namespace quire::sdds
