#include "format/hdf5/planning/growing_table.hpp"

#include <algorithm>

#include "format/hdf5/library/chunking.hpp"
#include "quire/base/error.hpp"

namespace quire::hdf5 {

std::string GrowingTable::path_of(const std::string& column) const {
  if (is_matrix) return path;
  return path.empty() ? column : path + "/" + column;
}

std::vector<std::string> GrowingTable::paths() const {
  if (is_matrix) return {path};
  std::vector<std::string> all;
  for (const GrowingColumn& column : columns) all.push_back(path_of(column.name));
  return all;
}

const GrowingColumn& GrowingTable::column(const std::string& name) const {
  const auto found = std::ranges::find(columns, name, &GrowingColumn::name);
  if (found == columns.end()) throw Error(ErrorKind::conflict, "the step that grows has no such column").on(name);
  return *found;
}

std::vector<std::byte> GrowingTable::open_values(ChunkCoder& coder, const std::string& name,
                                                 std::span<const std::byte> bytes) const {
  const GrowingColumn& grown = column(name);
  const std::uint64_t width = size_of(grown.type);
  auto values = coder.decode(grown.filters, grown.last.filter_mask, bytes, chunk_rows * width);
  values.resize(static_cast<std::size_t>(open_rows() * width));
  return values;
}

void GrowingTable::grow(const std::string& name, const PlannedSpace& place, std::span<const std::uint64_t> lengths) {
  if (lengths.empty()) return;
  const auto grown = std::ranges::find(columns, name, &GrowingColumn::name);
  grown->last = {.offset = place.offset + place.length - lengths.back(), .bytes = lengths.back()};
}

Table grown_table(const GrowingTable& old, const Table& added) {
  Table table = added;
  for (Column& column : table.columns) column.type = old.column(column.name).type;
  for (const GrowingColumn& column : old.columns) {
    if (std::ranges::find(added.columns, column.name, &Column::name) != added.columns.end()) continue;
    throw Error(ErrorKind::conflict, "the step has this column, too: all columns must have the same length")
        .on(column.name);
  }
  return table;
}

}  // namespace quire::hdf5
