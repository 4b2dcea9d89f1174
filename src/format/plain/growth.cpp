#include "format/plain/growth.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "format/hdf5/library/handle.hpp"
#include "format/plain/words.hpp"
#include "quire/base/error.hpp"

namespace quire::hdf5 {
namespace {

Handle open_path(hid_t file, const std::string& path) {
  return own(H5Dopen2(file, ("/" + path).c_str(), H5P_DEFAULT), "open the dataset", path);
}

/// The extents of the axis of components, if the dataset of a field has one.
std::vector<std::uint64_t> front_of(const GrowingField& field) {
  if (field.components == 1) return {};
  return {field.components};
}

/// Why a dataset with rows along its first axis cannot grow by chunks of this table, or an empty text.
std::string defect_of(const GrowingTable& table, const PlainDataset& dataset, hid_t file) {
  std::string defect = growth_defect(dataset.data);
  const Handle opened = open_path(file, dataset.path);
  const bool is_line = defect.empty() && dataset.data.run.chunks->extents.size() == 1;
  if (defect.empty()) defect = allocation_defect(opened.id(), dataset.path, is_line);
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
    GrowingColumn column{.name = names[c], .type = dataset.data.type, .filters = layout.filters, .last = {}};
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
  field.type = dataset.data.type;
  field.defect = dataset.members.empty() ? growth_defect(dataset.data, open_path(file, dataset.path).id(), field)
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

/// Calls `use` with the open dataset of each field of a step, its state before the growth, and its index.
template <class Use>
void for_each_field(hid_t file, const GrowingData& data, const StepDescription& added, Use&& use) {
  for (std::size_t f = 0; f < added.fields.size(); ++f) {
    const GrowingField& old = data.field(path_of(added.fields[f]));
    use(open_path(file, old.name).id(), old, f);
  }
}

void set_rows(hid_t dataset, const GrowingTable& table, std::uint64_t rows) {
  const hsize_t extents[] = {rows, table.columns.size()};
  require(H5Dset_extent(dataset, extents), "change the length", table.path);
}

}  // namespace

std::vector<std::string> GrowingTable::paths() const {
  if (is_matrix) return {path};
  std::vector<std::string> all;
  for (const GrowingColumn& column : columns) all.push_back(path.empty() ? column.name : path + "/" + column.name);
  return all;
}

const GrowingTable& GrowingData::table(const std::string& path) const {
  const auto found = std::ranges::find(tables, path, &GrowingTable::path);
  if (found == tables.end()) throw Error(ErrorKind::conflict, "the file that grows has no such table").on(path);
  if (found->defect.empty()) return *found;
  const auto grows = [&](const GrowingField& field) { return field.name == path && field.defect.empty(); };
  throw Error(ErrorKind::conflict, "the table cannot grow: " + found->defect)
      .on(path)
      .advise(
          found->is_matrix && std::ranges::any_of(fields, grows)
              ? "put its new rows as those of a field of this name, with the new number of rows and columns; or copy "
                "the file with layout=matrix and a chunk size: its chunks then hold one column each"
              : "copy the file with a chunk size; its tables are then unlimited");
}

const GrowingField& GrowingData::field(const std::string& path) const {
  const auto found = std::ranges::find(fields, path, &GrowingField::name);
  if (found == fields.end()) throw Error(ErrorKind::conflict, "the file that grows has no such field").on(path);
  return *found;
}

GrowingTable& GrowingData::at_table(const std::string& path) {
  return *std::ranges::find(tables, path, &GrowingTable::path);
}

GrowingField& GrowingData::at_field(const std::string& path) {
  return *std::ranges::find(fields, path, &GrowingField::name);
}

void GrowingData::forget_others(const StepDescription& grown, const PlainRules& rules) {
  for (const Table& table : grown.tables) {
    const std::vector<std::string> paths = at_table(path_of(table, rules)).paths();
    std::erase_if(fields,
                  [&](const GrowingField& field) { return std::ranges::find(paths, field.name) != paths.end(); });
  }
  for (const Field& field : grown.fields) {
    std::erase_if(tables, [&](const GrowingTable& table) {
      const std::vector<std::string> paths = table.paths();
      return std::ranges::find(paths, path_of(field)) != paths.end();
    });
  }
}

GrowingTable fresh_table(const Table& table, const PlainRules& rules, const Chunking& chunking) {
  GrowingTable fresh;
  fresh.path = path_of(table, rules);
  fresh.is_matrix = rules.layout == TableLayout::matrix;
  fresh.chunk_rows = chunking.rows();
  if (chunking.rows() == 0) fresh.defect = "it is not stored in chunks";
  for (const Column& column : table.columns) {
    fresh.columns.push_back({column.name, column.type, chunking.pipeline(column.type), {}});
  }
  return fresh;
}

GrowingData growing_data(hid_t file, Image& image, std::uint64_t memory_budget) {
  GrowingData data;
  std::vector<std::string> warnings;
  for (PlainGroup& group : survey(file, image, memory_budget, warnings, Unwritten::allowed)) {
    const std::string path = group.path;
    const SortedGroup sorted = sort_group(std::move(group));
    GrowingTable table;
    table.path = path;
    for (const PlainDataset& line : sorted.lines) {
      add_columns(table, line, {line.name}, file);
      data.fields.push_back(field_of(line, file));
    }
    if (!sorted.lines.empty()) data.tables.push_back(std::move(table));
    for (const PlainDataset& other : sorted.others) {
      const std::vector<std::string> names = texts_of(other.attributes, words::columns);
      if (other.data.extents.size() == 2 && !names.empty() && names.size() == other.data.extents[1]) {
        GrowingTable& matrix = data.tables.emplace_back();
        matrix.path = other.path;
        matrix.is_matrix = true;
        add_columns(matrix, other, names, file);
      }
      if (!other.data.extents.empty()) data.fields.push_back(field_of(other, file));
    }
  }
  return data;
}

void release_data(hid_t file, const GrowingData& data, const StepDescription& added, const PlainRules& rules) {
  for (const Table& table : added.tables) {
    const GrowingTable& old = data.table(path_of(table, rules));
    if (old.open_rows() == 0) continue;
    for (const std::string& path : old.paths()) set_rows(open_path(file, path).id(), old, old.rows - old.open_rows());
  }
  for_each_field(file, data, added, [&](hid_t dataset, const GrowingField& old, std::size_t f) {
    release_chunks(dataset, old, added.fields[f].extents, front_of(old));
  });
}

void extend_data(hid_t file, Image& image, const GrowingData& data, const StepDescription& added,
                 const PlainRules& rules, std::span<const std::uint64_t> rows, const ColumnChunks& lengths,
                 const PackedFields& chunks) {
  for (std::size_t t = 0; t < added.tables.size(); ++t) {
    const GrowingTable& old = data.table(path_of(added.tables[t], rules));
    const std::uint64_t first = old.rows / old.chunk_rows;
    const Handle matrix = old.is_matrix ? open_path(file, old.path) : Handle();
    if (old.is_matrix) set_rows(matrix.id(), old, old.rows + rows[t]);
    for (std::size_t c = 0; c < added.tables[t].columns.size(); ++c) {
      const std::string& name = added.tables[t].columns[c].name;
      if (old.is_matrix) {
        const auto place = std::ranges::find(old.columns, name, &GrowingColumn::name) - old.columns.begin();
        index_chunks(matrix.id(), image, old.chunk_rows, first, lengths[t][c], static_cast<std::uint64_t>(place));
        continue;
      }
      const Handle line = open_path(file, old.path.empty() ? name : old.path + "/" + name);
      // With early allocation fill values may be written here, before the values.
      image.set_dropping(true);
      set_rows(line.id(), old, old.rows + rows[t]);
      image.set_dropping(false);
      index_chunks(line.id(), image, old.chunk_rows, first, lengths[t][c]);
    }
  }
  for_each_field(file, data, added, [&](hid_t dataset, const GrowingField& old, std::size_t f) {
    const std::vector<std::uint64_t>& extents = added.fields[f].extents;
    extend_dataset(dataset, old, extents, front_of(old));
    for (std::size_t c = 0; !chunks.empty() && c < chunks[f].size(); ++c) {
      const auto component = old.components == 1 ? std::nullopt : std::optional<std::uint64_t>(c);
      enter_chunks(dataset, image, old, extents, component, chunks[f][c]);
    }
  });
}

}  // namespace quire::hdf5
