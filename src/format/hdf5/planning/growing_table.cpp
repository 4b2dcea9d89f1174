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
  const std::uint64_t width = grown.type == Type::string ? grown.text_bytes : size_of(grown.type);
  auto values = coder.decode(grown.filters, grown.last.filter_mask, bytes, chunk_rows * width);
  values.resize(static_cast<std::size_t>(open_rows() * width));
  return values;
}

void GrowingTable::grow(const Column& added, const PlannedSpace& place, std::span<const std::uint64_t> lengths) {
  const auto grown = std::ranges::find(columns, added.name, &GrowingColumn::name);
  grown->text_bytes = added.text_bytes;
  if (lengths.empty()) return;
  grown->last = {.offset = place.offset + place.length - lengths.back(), .bytes = lengths.back()};
}

Table grown_table(const GrowingTable& old, const Table& added) {
  Table table = added;
  for (Column& column : table.columns) {
    const GrowingColumn& held = old.column(column.name);
    if ((held.type == Type::string) != (column.type == Type::string)) {
      const std::string kinds = held.type == Type::string ? "texts, not numbers" : "numbers, not texts";
      throw Error(ErrorKind::conflict, "the column holds " + kinds).on(column.name);
    }
    column.type = held.type;
    column.text_bytes = held.text_bytes;
  }
  for (const GrowingColumn& column : old.columns) {
    if (std::ranges::find(added.columns, column.name, &Column::name) != added.columns.end()) continue;
    throw Error(ErrorKind::conflict, "the step has this column, too: all columns must have the same length")
        .on(column.name);
  }
  return table;
}

}  // namespace quire::hdf5
