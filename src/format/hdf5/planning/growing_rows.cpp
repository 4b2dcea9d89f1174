#include "format/hdf5/planning/growing_rows.hpp"

#include <algorithm>

#include "quire/base/error.hpp"

namespace quire::hdf5 {

const GrowingColumn& GrowingRows::column(const std::string& name) const {
  const auto found = std::ranges::find(columns, name, &GrowingColumn::name);
  if (found == columns.end()) throw Error(ErrorKind::conflict, "the step that grows has no such column").on(name);
  return *found;
}

std::vector<std::byte> GrowingRows::open_values(ChunkCoder& coder, const std::string& name,
                                                std::span<const std::byte> bytes) const {
  const GrowingColumn& grown = column(name);
  const std::uint64_t width = size_of(grown.type);
  auto values = coder.decode(grown.filters, grown.last.filter_mask, bytes, chunk_rows * width);
  values.resize(static_cast<std::size_t>(open_rows() * width));
  return values;
}

void GrowingRows::grow(const std::string& name, const PlannedSpace& place, std::span<const std::uint64_t> lengths) {
  if (lengths.empty()) return;
  const auto grown = std::ranges::find(columns, name, &GrowingColumn::name);
  grown->last = {.offset = place.offset + place.length - lengths.back(), .bytes = lengths.back()};
}

Table grown_table(const GrowingRows& step, const Table& added) {
  Table table = added;
  for (Column& column : table.columns) column.type = step.column(column.name).type;
  for (const GrowingColumn& column : step.columns) {
    if (std::ranges::find(added.columns, column.name, &Column::name) != added.columns.end()) continue;
    throw Error(ErrorKind::conflict, "the step has this column, too: all columns must have the same length")
        .on(column.name);
  }
  return table;
}

}  // namespace quire::hdf5
