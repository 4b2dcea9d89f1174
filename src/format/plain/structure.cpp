#include "format/plain/structure.hpp"

#include <utility>

#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/creation.hpp"
#include "format/hdf5/library/types.hpp"
#include "format/plain/words.hpp"
#include "quire/base/checked.hpp"
#include "quire/model/slice.hpp"

namespace quire::hdf5 {
namespace {

void add_text(std::vector<Attribute>& attributes, std::string_view name, const std::string& text) {
  if (text.empty()) return;
  Attribute attribute;
  attribute.name = name;
  attribute.value = Value(text);
  attributes.push_back(std::move(attribute));
}

std::vector<Attribute> texts_of(const Quantity& quantity) {
  std::vector<Attribute> attributes;
  add_text(attributes, words::units, quantity.unit);
  add_text(attributes, words::symbol, quantity.symbol);
  add_text(attributes, words::description, quantity.description);
  add_text(attributes, words::display, quantity.display);
  return attributes;
}

/// Each chunk holds rows of one column: columns are encoded one by one, as in separate datasets.
PlannedDataset matrix_of(const Table& table, const std::string& path, std::uint64_t rows,
                         std::vector<std::uint64_t> chunk) {
  const std::uint64_t count = table.columns.size();
  std::vector<std::string> names;
  std::vector<std::string> units;
  bool has_units = false;
  for (const Column& column : table.columns) {
    names.push_back(column.name);
    units.push_back(column.unit);
    has_units = has_units || !column.unit.empty();
  }
  PlannedDataset matrix{path, table.columns.front().type, {rows, count}, {}};
  if (!chunk.empty()) chunk.push_back(1);
  matrix.chunk = std::move(chunk);
  Attribute attribute;
  attribute.name = words::columns;
  attribute.value = Value::texts({count}, std::move(names));
  matrix.attributes.push_back(attribute);
  attribute.name = words::units;
  attribute.value = Value::texts({count}, std::move(units));
  if (has_units) matrix.attributes.push_back(attribute);
  return matrix;
}

PlannedDataset field_of(const Field& field, const Chunking* chunking) {
  PlannedDataset dataset{path_of(field), field.type, field.extents, texts_of(field)};
  if (chunking != nullptr) dataset.chunk = chunking->field_shape(field);
  if (field.components != 1) {
    dataset.extents.insert(dataset.extents.begin(), field.components);
    if (!dataset.chunk.empty()) dataset.chunk.insert(dataset.chunk.begin(), 1);
    Attribute components;
    components.name = words::components;
    components.value = Value(field.components);
    dataset.attributes.push_back(std::move(components));
  }
  dataset.attributes.insert(dataset.attributes.end(), field.attributes.begin(), field.attributes.end());
  return dataset;
}

/// Creates the parent groups of an object.
void create_groups(hid_t file, const std::string& path) {
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string group = path.substr(0, slash);
    if (require(H5Lexists(file, group.c_str(), H5P_DEFAULT), "look for a group", group) > 0) continue;
    const Handle creation = group_creation();
    const Handle made =
        own(H5Gcreate2(file, group.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), "create the group", group);
  }
}

}  // namespace

std::uint64_t PlannedDataset::bytes() const { return checked_multiply(volume(extents), size_of(type)); }

std::vector<PlannedDataset> datasets_of(const StepDescription& step, const PlainRules& rules,
                                        const std::vector<std::uint64_t>& rows, const Chunking* chunking) {
  std::vector<PlannedDataset> datasets;
  std::vector<std::uint64_t> chunk;
  if (chunking != nullptr && chunking->rows() != 0) chunk.push_back(chunking->rows());
  for (std::size_t t = 0; t < step.tables.size(); ++t) {
    const Table& table = step.tables[t];
    const std::string path = path_of(table, rules);
    if (rules.layout == TableLayout::matrix) {
      datasets.push_back(matrix_of(table, path, rows[t], chunk));
      continue;
    }
    for (const Column& column : table.columns) {
      const std::string full = path.empty() ? column.name : path + "/" + column.name;
      datasets.push_back({full, column.type, {rows[t]}, texts_of(column), chunk});
    }
  }
  for (const Field& field : step.fields) datasets.push_back(field_of(field, chunking));
  return datasets;
}

Handle create_dataset(hid_t file, const PlannedDataset& dataset, hid_t creation) {
  create_groups(file, dataset.path);
  const bool is_chunked = !dataset.chunk.empty();
  const std::vector<hsize_t> extents(dataset.extents.begin(), dataset.extents.end());
  const Handle space = is_chunked ? unlimited_space(dataset.extents, dataset.path)
                                  : own(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                                        "create a shape", dataset.path);
  Handle made = own(
      H5Dcreate2(file, dataset.path.c_str(), native_type(dataset.type), space.id(), H5P_DEFAULT, creation, H5P_DEFAULT),
      "create the dataset", dataset.path);
  write_attributes(made.id(), dataset.attributes);
  return made;
}

void mark_without_datasets(hid_t file) { create_groups(file, "no data sets/"); }

void write_attributes(hid_t object, const std::vector<Attribute>& attributes) {
  for (const Attribute& attribute : attributes) {
    write_attribute(object, attribute.name, attribute.value, Scalars::as_such);
    if (attribute.unit.empty()) continue;
    write_attribute(object, unit_name(attribute.name), Value(attribute.unit), Scalars::as_such);
  }
}

}  // namespace quire::hdf5
