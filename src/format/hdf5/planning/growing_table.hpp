#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/hdf5/image/planned_space.hpp"
#include "quire/spi/format/step_part.hpp"
#include "quire/spi/plan/chunks.hpp"

namespace quire::hdf5 {

class ChunkCoder;

/// A column to which rows can be added.
struct GrowingColumn {
  std::string name;
  Type type = Type::float64;
  std::uint64_t text_bytes = 0;  ///< of strings: Column::text_bytes; 0 for a new column
  std::vector<Filter> filters;
  Chunk last;  ///< the last chunk, if its rows do not fill it
  template <class Archive>
  void archive(Archive& a) {
    a(name, type, text_bytes, filters, last);
  }
};

/// A table to which rows can be added: a dataset for each column, or one matrix whose chunks hold one column each. All
/// columns have chunks of one size and unlimited length.
struct GrowingTable {
  std::string path;  ///< its group or its matrix, in the group of the step; empty: that group
  bool is_matrix = false;
  std::string defect;  ///< why it cannot grow,
  std::string advice;  ///< and what to do
  std::uint64_t rows = 0;
  std::uint64_t chunk_rows = 0;
  std::vector<GrowingColumn> columns;
  template <class Archive>
  void archive(Archive& a) {
    a(path, is_matrix, defect, advice, rows, chunk_rows, columns);
  }

  /// The path of the dataset of a column.
  [[nodiscard]] std::string path_of(const std::string& column) const;
  /// The paths of its datasets: one for each column, or that of the matrix.
  [[nodiscard]] std::vector<std::string> paths() const;
  /// Rows of the last chunk, if they do not fill it.
  [[nodiscard]] std::uint64_t open_rows() const noexcept { return chunk_rows == 0 ? 0 : rows % chunk_rows; }
  [[nodiscard]] const GrowingColumn& column(const std::string& name) const;
  [[nodiscard]] Grouping grouping() const noexcept { return {.rows = chunk_rows, .open_rows = open_rows()}; }
  /// The values of the open rows of a column, in the bytes of its last chunk.
  [[nodiscard]] std::vector<std::byte> open_values(ChunkCoder& coder, const std::string& name,
                                                   std::span<const std::byte> bytes) const;
  /// Records a publication of a column: chunks of these lengths, up to the end of its place.
  void grow(const Column& added, const PlannedSpace& place, std::span<const std::uint64_t> lengths);
};

/// The table of an accepted step with the types of the file. Throws conflict errors for missing or additional columns.
[[nodiscard]] Table grown_table(const GrowingTable& old, const Table& added);

}  // namespace quire::hdf5
