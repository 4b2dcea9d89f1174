#include "format/sdds/schema.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "format/sdds/header_writer.hpp"
#include "format/sdds/names.hpp"
#include "format/sdds/page.hpp"
#include "format/sdds/text_values.hpp"
#include "model/name_index.hpp"
#include "quire/base/error.hpp"

namespace quire::sdds {
namespace {

constexpr std::uint64_t largest_extent = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t most_declared_axes = 32;  ///< without values nothing else limits the claims of a header

void check_name(const std::string& name, const std::string& object) {
  if (is_valid_name(name)) return;
  throw Error(ErrorKind::unsupported, "the name has characters that the format forbids in names")
      .on(object)
      .advise("call it " + valid_name_for(name));
}

void check_text(const std::string& text, const std::string& what, const std::string& object) {
  const std::string fault = text_fault(text);
  if (!fault.empty()) throw Error(ErrorKind::unsupported, "its " + what + " cannot be written: " + fault).on(object);
}

/// The texts of a quantity that the header contains.
[[nodiscard]] auto texts_of(Quantity& quantity) {
  return std::array{std::pair(&quantity.unit, "unit"), std::pair(&quantity.symbol, "symbol"),
                    std::pair(&quantity.description, "description"), std::pair(&quantity.display, "display")};
}

/// Checks the texts and widens the type.
void hold(Quantity& quantity, const std::string& object) {
  check_name(quantity.name, object);
  quantity.type = held_as(quantity.type);
  for (const auto& [text, what] : texts_of(quantity)) check_text(*text, what, object);
}

void hold(Attribute& attribute) {
  const std::string& object = attribute.name;
  hold(attribute, object);
  attribute.value = attribute.value.converted_to(held_as(attribute.value.type()));
  attribute.type = attribute.value.type();
  for (const std::uint64_t extent : attribute.value.shape()) {
    if (extent > largest_extent) throw Error(ErrorKind::unsupported, "it has too many values").on(object);
  }
}

void hold(Field& field) {
  const std::string& object = field.name;
  hold(field, object);
  check_text(field.group, "group", object);
  if (field.extents.empty()) throw Error(ErrorKind::unsupported, "a field needs at least one axis").on(object);
  for (const std::uint64_t extent : field.extents) {
    if (extent <= largest_extent) continue;
    throw Error(ErrorKind::unsupported, "an extent of " + std::to_string(extent) + " exceeds 31 bits").on(object);
  }
  if (field.group == attribute_group || field.group == file_attribute_group) {
    throw Error(ErrorKind::unsupported, "the group \"" + field.group + "\" is reserved for attributes").on(object);
  }
}

[[nodiscard]] std::optional<std::string> optional_text(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

void define(Definition& definition, const Quantity& quantity) {
  definition.name = quantity.name;
  definition.type = quantity.type;
  definition.symbol = optional_text(quantity.symbol);
  definition.units = optional_text(quantity.unit);
  definition.description = optional_text(quantity.description);
  // Other programs refuse files whose formats do not fit their types.
  if (format_string_fault(quantity.display, quantity.type).empty()) {
    definition.format_string = optional_text(quantity.display);
  }
}

[[nodiscard]] ParameterDefinition step_definition(std::int64_t number, bool is_wide) {
  ParameterDefinition definition;
  definition.name = step_parameter;
  using Limits = std::numeric_limits<std::int32_t>;
  const bool is_small = number >= Limits::min() && number <= Limits::max();
  definition.type = is_small && !is_wide ? Type::int32 : Type::int64;
  definition.description = "step number";
  return definition;
}

/// Whether a parameter holds only the numbers of steps, as Quire adds it.
[[nodiscard]] bool is_own_step_parameter(const ParameterDefinition& parameter) {
  return parameter == step_definition(0, false) || parameter == step_definition(0, true);
}

[[nodiscard]] ArrayDefinition attribute_definition(const Attribute& attribute, std::string_view group) {
  ArrayDefinition definition;
  define(definition, attribute);
  definition.group_name = group;
  definition.dimensions = attribute.value.shape().size();
  return definition;
}

template <class Definitions>
void check_distinct(const Definitions& definitions) {
  std::unordered_map<std::string_view, int> seen;
  for (const auto& definition : definitions) {
    if (++seen[definition.name] > 1) {
      throw Error(ErrorKind::conflict, "the name is used twice").on(definition.name);
    }
  }
}

template <class Definitions>
[[nodiscard]] auto find_definition(const Definitions& definitions, std::string_view name) {
  return std::find_if(definitions.begin(), definitions.end(),
                      [name](const auto& definition) { return definition.name == name; });
}

/// The type of the header, if values of the step's type may be converted to it.
[[nodiscard]] Type agreed_type(const Definition& definition, Type type, bool lossy, const std::string& object) {
  const bool kept = type == definition.type || converts_without_loss(type, definition.type);
  const bool possible = (type == Type::string) == (definition.type == Type::string);
  if (kept || (lossy && possible)) return definition.type;
  throw Error(ErrorKind::type, "its values are " + std::string(name(type)) + ", but the file has it as " +
                                   std::string(name(definition.type)))
      .on(object);
}

void check_unit(const Definition& definition, const Quantity& quantity, const std::string& object) {
  if (quantity.unit.empty() || quantity.unit == definition.units.value_or(std::string())) return;
  throw Error(ErrorKind::conflict, "its unit is \"" + quantity.unit + "\", but the file has it in \"" +
                                       definition.units.value_or(std::string()) + '"')
      .on(object);
}

[[nodiscard]] Error not_in_header(const std::string& object) {
  return Error(ErrorKind::conflict, "the file does not have it, and all its steps have one structure").on(object);
}

[[nodiscard]] Error missing_in_step(const std::string& object) {
  return Error(ErrorKind::conflict, "every step of this file has it, but this one does not").on(object);
}

/// The parameter of a scalar attribute.
[[nodiscard]] const ParameterDefinition& parameter_for(const Header& header, NameIndex& parameters,
                                                       const std::string& name) {
  const auto found = parameters.find(header.parameters, name);
  if (!found) throw not_in_header(name);
  const ParameterDefinition& parameter = header.parameters[*found];
  if (parameter.fixed_value) throw Error(ErrorKind::conflict, "it is an attribute of the whole file").on(name);
  return parameter;
}

/// The array of an attribute with several values.
[[nodiscard]] const ArrayDefinition& array_for(const Header& header, NameIndex& arrays, const Attribute& attribute) {
  const auto found = arrays.find(header.arrays, attribute.name);
  if (!found || header.arrays[*found].group_name != attribute_group) throw not_in_header(attribute.name);
  const ArrayDefinition& array = header.arrays[*found];
  if (array.dimensions != attribute.value.shape().size()) {
    throw Error(ErrorKind::conflict, "the file has it with another number of axes").on(attribute.name);
  }
  return array;
}

void agree_on_attribute(const Definition& definition, Attribute& attribute, bool lossy) {
  const std::string& object = attribute.name;
  check_unit(definition, attribute, object);
  try {
    attribute.value = attribute.value.converted_to(definition.type, lossy);
  } catch (Error& error) {
    throw error.on(object);
  }
  attribute.type = definition.type;
}

void agree_on_attributes(const Header& header, StepDescription& step, bool lossy) {
  NameIndex parameters;
  NameIndex arrays;
  for (Attribute& attribute : step.attributes) {
    if (attribute.value.is_scalar()) {
      agree_on_attribute(parameter_for(header, parameters, attribute.name), attribute, lossy);
    } else {
      agree_on_attribute(array_for(header, arrays, attribute), attribute, lossy);
    }
  }
}

void agree_on_columns(const Header& header, StepDescription& step, bool lossy) {
  std::vector<Column> none;
  std::vector<Column>& columns = step.tables.empty() ? none : step.tables.front().columns;
  std::unordered_map<std::string_view, const ColumnDefinition*> definitions;
  for (const ColumnDefinition& definition : header.columns) definitions[definition.name] = &definition;
  for (Column& column : columns) {
    const auto found = definitions.find(column.name);
    if (found == definitions.end()) throw not_in_header(column.name);
    if (found->second == nullptr) throw Error(ErrorKind::conflict, "the name is used twice").on(column.name);
    check_unit(*found->second, column, column.name);
    column.type = agreed_type(*found->second, column.type, lossy, column.name);
    found->second = nullptr;
  }
  for (const ColumnDefinition& definition : header.columns) {
    if (definitions.at(definition.name) != nullptr) throw missing_in_step(definition.name);
  }
}

void agree_on_fields(const Header& header, StepDescription& step, bool lossy) {
  NameIndex names;
  std::unordered_set<std::string_view> found_names;
  for (const FieldArray& array : field_arrays(step)) {
    Field& field = step.fields[array.field];
    const std::string& object = field.name;
    const auto found = names.find(header.arrays, array.name);
    if (!found || is_attribute_array(header.arrays[*found])) throw not_in_header(object);
    const ArrayDefinition& definition = header.arrays[*found];
    if (definition.dimensions != field.extents.size()) {
      throw Error(ErrorKind::conflict, "the file has it with another number of axes").on(object);
    }
    check_unit(definition, field, object);
    field.type = agreed_type(definition, field.type, lossy, object);
    found_names.insert(definition.name);
  }
  for (const ArrayDefinition& definition : header.arrays) {
    if (!is_attribute_array(definition) && !found_names.contains(definition.name)) {
      throw missing_in_step(definition.name);
    }
  }
}

/// The fields of `&data` for a header whose columns are known.
[[nodiscard]] DataCommand data_for(const Header& header, const WriteLayout& layout) {
  DataCommand data;
  data.mode = layout.mode;
  data.fixed_row_count = layout.growth_rows != 0;
  if (data.fixed_row_count && (layout.column_major || layout.no_row_counts)) {
    throw Error(ErrorKind::usage, "pages can only grow if they are row-major and have row counts")
        .advise("omit the options major_order and no_row_counts, or fixed_row_count");
  }
  if (layout.mode == Mode::binary) {
    data.column_major = layout.column_major;
    return data;
  }
  if (layout.lines_per_row < 0) throw Error(ErrorKind::usage, "option lines_per_row cannot be negative");
  if (header.columns.empty()) return data;
  if (static_cast<std::uint64_t>(layout.lines_per_row) > header.columns.size()) {
    throw Error(ErrorKind::usage, "a row of " + std::to_string(header.columns.size()) + " columns cannot take " +
                                      std::to_string(layout.lines_per_row) + " lines")
        .advise("give lines_per_row a smaller value");
  }
  data.lines_per_row = layout.lines_per_row;
  data.no_row_counts = layout.no_row_counts;
  return data;
}

}  // namespace

std::vector<FieldArray> field_arrays(const StepDescription& step) {
  std::vector<FieldArray> arrays;
  for (std::size_t i = 0; i < step.fields.size(); ++i) {
    const Field& field = step.fields[i];
    for (std::uint64_t component = 0; component < field.components; ++component) {
      const std::string suffix = field.components == 1 ? "" : '[' + std::to_string(component) + ']';
      arrays.push_back({i, component, field.name + suffix});
    }
  }
  return arrays;
}

StepDescription held_step(const StepDescription& step) {
  StepDescription held = step;
  for (Attribute& attribute : held.attributes) hold(attribute);
  if (held.tables.size() > 1) {
    throw Error(ErrorKind::unsupported, "a step of this format has one table at most").on(held.tables[1].name);
  }
  for (Table& table : held.tables) {
    for (Column& column : table.columns) hold(column, column.name);
  }
  for (Field& field : held.fields) hold(field);
  return held;
}

StepDescription declared_step(const Header& header) {
  StepDescription declared;
  const auto add = [&](const Definition& definition, std::vector<std::uint64_t> shape) {
    Attribute& attribute = declared.attributes.emplace_back();
    static_cast<Quantity&>(attribute) = quantity_of(definition);
    // Only type and shape are used.
    attribute.value = Value::texts(std::move(shape), {std::string()});
  };
  for (const ParameterDefinition& parameter : header.parameters) {
    if (!parameter.fixed_value && !is_own_step_parameter(parameter)) add(parameter, {});
  }
  for (const ArrayDefinition& array : header.arrays) {
    if (array.dimensions > most_declared_axes) continue;
    std::vector<std::uint64_t> ones(static_cast<std::size_t>(array.dimensions), 1);
    if (is_attribute_array(array)) {
      add(array, std::move(ones));
      continue;
    }
    Field& field = declared.fields.emplace_back();
    static_cast<Quantity&>(field) = quantity_of(array);
    field.extents = std::move(ones);
    field.group = array.group_name.value_or(std::string());
  }
  if (!header.columns.empty()) {
    std::vector<Column>& columns = declared.tables.emplace_back().columns;
    columns.reserve(header.columns.size());
    for (const ColumnDefinition& column : header.columns) columns.push_back({quantity_of(column)});
  }
  return without_values(declared);
}

FileDescription held_file(const FileDescription& file) {
  FileDescription held = file;
  held.title = on_one_line(std::move(held.title));
  held.contents = on_one_line(std::move(held.contents));
  check_text(held.title, "title", "file");
  check_text(held.contents, "contents", "file");
  for (Attribute& attribute : held.attributes) {
    if (!is_valid_name(attribute.name)) attribute.name = valid_name_for(attribute.name);
    for (const auto& [text, what] : texts_of(attribute)) *text = on_one_line(std::move(*text));
    hold(attribute);
  }
  if (held.declared) held.declared = held_step(*held.declared);
  return held;
}

Header header_for(const FileDescription& file, const StepDescription& step, const WriteLayout& layout) {
  Header header;
  header.declared_order = layout.order;
  header.text = optional_text(file.title);
  header.contents = optional_text(file.contents);
  const bool has_own_step = find_attribute(step.attributes, step_parameter) != nullptr ||
                            find_attribute(file.attributes, step_parameter) != nullptr;
  if (layout.step_parameter && !has_own_step) {
    header.parameters.push_back(step_definition(step.number, layout.wide_numbers));
  }

  for (const Attribute& attribute : file.attributes) {
    if (!attribute.value.is_scalar()) {
      header.arrays.push_back(attribute_definition(attribute, file_attribute_group));
      continue;
    }
    ParameterDefinition& definition = header.parameters.emplace_back();
    define(definition, attribute);
    definition.fixed_value = parameter_line(attribute.value);
  }
  for (const Attribute& attribute : step.attributes) {
    if (attribute.value.is_scalar()) {
      define(header.parameters.emplace_back(), attribute);
    } else {
      header.arrays.push_back(attribute_definition(attribute, attribute_group));
    }
  }
  for (const FieldArray& array : field_arrays(step)) {
    const Field& field = step.fields[array.field];
    ArrayDefinition& definition = header.arrays.emplace_back();
    define(definition, field);
    definition.name = array.name;
    definition.group_name = optional_text(field.group);
    definition.dimensions = field.extents.size();
  }
  for (const Table& table : step.tables) {
    for (const Column& column : table.columns) define(header.columns.emplace_back(), column);
  }
  check_distinct(header.parameters);
  check_distinct(header.arrays);
  check_distinct(header.columns);
  header.data = data_for(header, layout);
  header.version = lowest_version(header);
  if (layout.version != 0 && layout.version < header.version) {
    throw Error(ErrorKind::unsupported,
                "version " + std::to_string(layout.version) + " of the format cannot store this: " +
                    "its types or its layout require version " + std::to_string(header.version));
  }
  if (layout.version != 0) header.version = layout.version;
  return header;
}

StepDescription agreed_step(const Header& header, StepDescription step, bool lossy) {
  agree_on_attributes(header, step, lossy);
  agree_on_columns(header, step, lossy);
  agree_on_fields(header, step, lossy);
  return step;
}

const ParameterDefinition* find_step_parameter(const Header& header) {
  const auto found = find_definition(header.parameters, step_parameter);
  const bool is_one = found != header.parameters.end() && is_integer(found->type) && !found->fixed_value;
  return is_one ? &*found : nullptr;
}

bool has_step_parameter(const Header& header) { return find_step_parameter(header) != nullptr; }

const Attribute* find_attribute(const std::vector<Attribute>& attributes, std::string_view name) {
  const auto found = find_definition(attributes, name);
  return found == attributes.end() ? nullptr : &*found;
}

bool is_attribute_array(const ArrayDefinition& array) {
  return array.group_name == attribute_group || array.group_name == file_attribute_group;
}

}  // namespace quire::sdds
