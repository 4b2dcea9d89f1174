#include "format/plain/growth.hpp"

#include <algorithm>
#include <utility>

#include "format/hdf5/library/datasets.hpp"
#include "format/hdf5/library/types.hpp"
#include "format/hdf5/library/words.hpp"
#include "format/plain/survey.hpp"

namespace quire::hdf5 {
namespace {

constexpr const char* usual_advice = "copy the file with a chunk size; its tables are then unlimited";
constexpr const char* advice_for_matrices =
    "put its new rows as those of a field of this name, with the new number of rows and columns; or copy the file with "
    "layout=matrix and a chunk size: its chunks then hold one column each";

/// Why a dataset with rows along its first axis cannot grow by chunks of this table, or an empty text.
std::string defect_of(const GrowingTable& table, const PlainDataset& dataset, hid_t file) {
  std::string defect = growth_defect(dataset.data);
  const Handle opened = open_dataset(file, dataset.path);
  const bool is_line = defect.empty() && dataset.data.run.chunks->extents.size() == 1;
  if (defect.empty()) defect = allocation_defect(opened.id(), dataset.path, is_line);
  if (defect.empty() && dataset.data.type == Type::string) {
    const Handle type = own(H5Dget_type(opened.id()), "read the type", dataset.path);
    defect = defect_of_texts(type.id());
  }
  if (!defect.empty()) return defect;
  if (limits_of(opened.id(), dataset.path).front() != no_limit) return "its extents are limited";
  const ChunkedLayout& layout = *dataset.data.run.chunks;
  if (layout.shape.size() > 1 && layout.shape[1] != 1) return "its chunks hold several columns";
  if (!table.columns.empty() && layout.shape[0] != table.chunk_rows)
    return "its chunks differ from those of other columns";
  return {};
}

/// Adds the columns of a dataset: one, or those of a matrix.
void add_columns(GrowingTable& table, const PlainDataset& dataset, const std::vector<std::string>& names, hid_t file) {
  if (table.defect.empty()) table.defect = defect_of(table, dataset, file);
  if (!table.defect.empty()) return;
  const ChunkedLayout& layout = *dataset.data.run.chunks;
  table.rows = layout.extents[0];
  table.chunk_rows = layout.shape[0];
  const std::size_t last = static_cast<std::size_t>(table.rows / table.chunk_rows) * names.size();
  for (std::size_t c = 0; c < names.size(); ++c) {
    GrowingColumn column{.name = names[c],
                         .type = dataset.data.type,
                         .text_bytes = dataset.data.run.cells.front().text_bytes,
                         .filters = layout.filters,
                         .last = {}};
    if (table.open_rows() != 0) {
      column.last = layout.chunks.at(last + c);
      if (column.last.bytes == 0) table.defect = "its last chunk was never written";
    }
    table.columns.push_back(std::move(column));
  }
}

GrowingField field_of(const PlainDataset& dataset, hid_t file) {
  GrowingField field;
  field.name = dataset.path;
  field.paths = {dataset.path};
  field.type = dataset.data.type;
  field.defect = dataset.members.empty() ? growth_defect(dataset.data, open_dataset(file, dataset.path).id(), field)
                                         : "it holds compounds";
  if (!field.defect.empty()) return field;
  const ChunkedLayout& layout = *dataset.data.run.chunks;
  field.extents = layout.extents;
  field.shape = layout.shape;
  field.filters = layout.filters;
  std::vector<Attribute> attributes = dataset.attributes;
  const std::uint64_t components = take_count(attributes, words::components);
  if (components < 2 || field.extents.size() < 2 || field.extents.front() != components) {
    field.chunks.push_back(layout.chunks);
    return field;
  }
  if (field.shape.front() != 1) field.defect = "its chunks hold several components";
  field.components = components;
  field.extents.erase(field.extents.begin());
  field.limits.erase(field.limits.begin());
  field.shape.erase(field.shape.begin());
  const auto count = static_cast<std::ptrdiff_t>(layout.chunks.size() / components);
  for (std::ptrdiff_t c = 0; field.defect.empty() && std::cmp_less(c, components); ++c) {
    field.chunks.emplace_back(layout.chunks.begin() + c * count, layout.chunks.begin() + (c + 1) * count);
  }
  return field;
}

}  // namespace

GrowingStep fresh_data(const StepDescription& step, const PlainRules& rules, const Chunking& chunking) {
  GrowingStep fresh;
  fresh.number = step.number;
  for (const Table& table : step.tables) {
    GrowingTable& rows = fresh.tables.emplace_back();
    rows.path = path_of(table, rules);
    rows.is_matrix = rules.layout == TableLayout::matrix;
    rows.chunk_rows = chunking.rows();
    rows.advice = usual_advice;
    if (chunking.rows() == 0) rows.defect = "it is not stored in chunks";
    for (const Column& column : table.columns) {
      rows.columns.push_back({column.name, column.type, 0, chunking.pipeline(column.type), {}});
    }
  }
  for (const Field& field : step.fields) {
    const std::string path = path_of(field);
    fresh.fields.push_back(
        GrowingField::fresh(path, field, chunking.field_shape(field), chunking.pipeline(field.type), {path}));
  }
  return fresh;
}

GrowingStep growing_data(hid_t file, Image& image, std::uint64_t memory_budget) {
  GrowingStep data;
  std::vector<std::string> warnings;
  for (PlainGroup& group : survey(file, image, memory_budget, warnings, Unwritten::allowed)) {
    const std::string path = group.path;
    const SortedGroup sorted = sort_group(std::move(group));
    GrowingTable table;
    table.path = path;
    table.advice = usual_advice;
    for (const PlainDataset& line : sorted.lines) {
      add_columns(table, line, {line.name}, file);
      data.fields.push_back(field_of(line, file));
    }
    if (!sorted.lines.empty()) data.tables.push_back(std::move(table));
    for (const PlainDataset& other : sorted.others) {
      if (!other.data.extents.empty()) data.fields.push_back(field_of(other, file));
      const std::vector<std::string> names = texts_of(other.attributes, words::columns);
      if (other.data.extents.size() != 2 || names.empty() || names.size() != other.data.extents[1]) continue;
      GrowingTable& matrix = data.tables.emplace_back();
      matrix.path = other.path;
      matrix.is_matrix = true;
      matrix.advice = data.fields.back().defect.empty() ? advice_for_matrices : usual_advice;
      add_columns(matrix, other, names, file);
    }
  }
  return data;
}

}  // namespace quire::hdf5
