#include "format/sdds/title.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string>

#include "format/sdds/elements.hpp"
#include "format/sdds/page.hpp"
#include "format/sdds/schema.hpp"
#include "model/name_index.hpp"
#include "quire/base/error.hpp"

namespace quire::sdds {
namespace {

void append(std::vector<std::byte>& bytes, std::span<const std::byte> more) {
  const std::size_t before = bytes.size();
  bytes.resize(before + more.size());
  std::copy(more.begin(), more.end(), bytes.begin() + static_cast<std::ptrdiff_t>(before));
}

void append_count(std::vector<std::byte>& bytes, std::uint64_t count, ByteOrder order) {
  const std::size_t before = bytes.size();
  bytes.resize(before + sizeof(std::int32_t));
  store(bytes.data() + before, static_cast<std::int32_t>(count), order);
}

void append_value(std::vector<std::byte>& bytes, const Value& value, ByteOrder order, const std::string& object) {
  if (value.type() != Type::string) {
    append(bytes, file_elements(value, order));
    return;
  }
  for (const std::string& text : value.strings()) {
    if (text.size() > std::numeric_limits<std::int32_t>::max()) {
      throw Error(ErrorKind::unsupported, "the length of a string exceeds 31 bits").on(object);
    }
    append_count(bytes, text.size(), order);
    append(bytes, std::as_bytes(std::span(text)));
  }
}

[[nodiscard]] const Attribute& attribute_for(const Definition& definition, const std::vector<Attribute>& attributes,
                                             NameIndex& names) {
  if (const auto found = names.find(attributes, definition.name)) return attributes[*found];
  throw Error(ErrorKind::conflict, "every step of this file has this attribute, but this one does not")
      .on(definition.name);
}

}  // namespace

std::vector<TitleValue> title_values(const Header& header, const FileDescription& file, const StepDescription& step) {
  std::vector<TitleValue> values;
  NameIndex of_step;
  NameIndex of_file;
  for (const ParameterDefinition& parameter : header.parameters) {
    if (parameter.fixed_value) continue;
    const bool is_number = parameter.name == step_parameter && is_integer(parameter.type);
    if (is_number && find_attribute(step.attributes, step_parameter) == nullptr) {
      values.push_back({parameter.name, Value(step.number).converted_to(parameter.type)});
    } else {
      values.push_back({parameter.name, attribute_for(parameter, step.attributes, of_step).value});
    }
  }
  for (const ArrayDefinition& array : header.arrays) {
    if (!is_attribute_array(array)) continue;
    const bool is_of_file = array.group_name == file_attribute_group;
    const Attribute& attribute =
        is_of_file ? attribute_for(array, file.attributes, of_file) : attribute_for(array, step.attributes, of_step);
    values.push_back({array.name, attribute.value, true});
  }
  return values;
}

std::vector<std::byte> title_bytes(const Header& header, const FileDescription& file, const StepDescription& step) {
  const ByteOrder order = header.order();
  std::vector<std::byte> bytes;
  for (const TitleValue& item : title_values(header, file, step)) {
    if (item.is_array) append(bytes, dimension_bytes(item.value.shape(), order));
    append_value(bytes, item.value, order, item.name);
  }
  return bytes;
}

std::vector<std::byte> dimension_bytes(const std::vector<std::uint64_t>& extents, ByteOrder order) {
  std::vector<std::byte> bytes;
  for (const std::uint64_t extent : extents) append_count(bytes, extent, order);
  return bytes;
}

std::uint64_t bytes_of_strings(const ConstView& strings) {
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < strings.count; ++i) bytes += sizeof(std::int32_t) + strings.text(i).size();
  return bytes;
}

}  // namespace quire::sdds
