#include "format/plain/structure.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/library/column_order.hpp"
#include "format/hdf5/library/creation.hpp"
#include "format/hdf5/library/links.hpp"
#include "format/hdf5/library/types.hpp"
#include "format/hdf5/library/words.hpp"

namespace quire::hdf5 {
namespace {

/// A dataset that a step creates: its path, its shape, and the attributes that describe it.
struct PlannedDataset {
  std::string path;
  Column element;  ///< the type of its elements
  std::vector<std::uint64_t> extents;
  std::vector<Attribute> attributes;
  std::vector<std::uint64_t> chunk{};  ///< the shape of its chunks; empty if contiguous
};

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
  PlannedDataset matrix{path, table.columns.front(), {rows, count}, {}};
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

PlannedDataset field_of(const Field& field, std::vector<std::uint64_t> chunk) {
  PlannedDataset dataset{path_of(field), {field}, field.extents, texts_of(field), std::move(chunk)};
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
    if (has_link(file, group)) continue;
    const Handle creation = group_creation();
    const Handle made =
        own(H5Gcreate2(file, group.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), "create the group", group);
  }
}

/// Without chunks, the dataset must be allocated at `place`, unless it is empty.
Handle make_dataset(const NewStep& step, const PlannedDataset& dataset, const PlannedSpace& place) {
  create_groups(step.file, dataset.path);
  const bool has_chunks = !dataset.chunk.empty();
  const Handle creation = has_chunks
                              ? chunked_creation(dataset.chunk, step.chunking.pipeline(dataset.element.type), true)
                              : contiguous_creation();
  const std::vector<hsize_t> extents(dataset.extents.begin(), dataset.extents.end());
  const Handle space = has_chunks ? unlimited_space(dataset.extents, dataset.path)
                                  : own(H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr),
                                        "create a shape", dataset.path);
  const ColumnType type(dataset.element);
  Handle made =
      own(H5Dcreate2(step.file, dataset.path.c_str(), type.id(), space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
          "create the dataset", dataset.path);
  write_attributes(made.id(), dataset.attributes);
  if (!has_chunks && place.length > 0 && place_of(H5Dget_offset(made.id())) != place.offset) {
    throw Error(ErrorKind::internal, "HDF5 put a dataset elsewhere than planned").on(dataset.path).at(place.offset);
  }
  return made;
}

void make_table(const NewStep& step, const PlainRules& rules, std::size_t index) {
  const Table& table = step.step.tables[index];
  const std::string path = path_of(table, rules);
  const std::uint64_t rows = step.plan.rows[index];
  const std::uint64_t chunk_rows = step.chunking.rows();
  std::vector<std::uint64_t> chunk;
  if (chunk_rows != 0) chunk.push_back(chunk_rows);
  const bool is_one = rules.layout == TableLayout::matrix;
  Handle dataset;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    if (is_one && c == 0) {
      dataset = make_dataset(step, matrix_of(table, path, rows, chunk), step.plan.tables[index].front());
    } else if (!is_one) {
      const std::string full = path.empty() ? column.name : path + "/" + column.name;
      dataset = make_dataset(step, {full, column, {rows}, texts_of(column), chunk}, step.plan.tables[index][c]);
    }
    if (step.plan.lengths.empty()) continue;
    const auto place = is_one ? std::optional<std::uint64_t>(c) : std::nullopt;
    index_chunks(dataset.id(), step.image, chunk_rows, 0, step.plan.lengths[index][c], place);
  }
  if (is_one) return;
  const std::string group_path = "/" + path;
  const Handle group = own(H5Gopen2(step.file, group_path.c_str(), H5P_DEFAULT), "open the group", group_path);
  write_column_order(group.id(), table.columns);
}

void make_field(const NewStep& step, std::size_t index) {
  const Field& field = step.step.fields[index];
  const std::vector<std::uint64_t>& shape = step.plan.shapes[index];
  const Handle dataset = make_dataset(step, field_of(field, shape), step.plan.whole(index));
  const auto chunks = step.plan.chunks_of(index);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const auto component = field.components == 1 ? std::nullopt : std::optional<std::uint64_t>(c);
    index_chunks(dataset.id(), step.image, field.extents, shape, component, chunks[c]);
  }
}

}  // namespace

void write_step(const NewStep& step, const PlainRules& rules) {
  write_attributes(step.file, step.step.attributes);
  // A file without any object would be read as a file of steps without any step.
  const bool has_columns = std::ranges::any_of(step.step.tables, [](const Table& t) { return !t.columns.empty(); });
  if (!has_columns && step.step.fields.empty()) create_groups(step.file, "no data sets/");
  for (std::size_t t = 0; t < step.step.tables.size(); ++t) make_table(step, rules, t);
  for (std::size_t f = 0; f < step.step.fields.size(); ++f) make_field(step, f);
}

}  // namespace quire::hdf5
