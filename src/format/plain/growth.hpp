#pragma once

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/hdf5/planning/field_growth.hpp"
#include "format/hdf5/planning/growing_rows.hpp"
#include "format/plain/acceptance.hpp"
#include "format/plain/survey.hpp"

namespace quire::hdf5 {

/// A table to which rows can be added: a dataset for each column, or one matrix whose chunks hold one column each.
struct GrowingTable : GrowingRows {
  std::string path;
  bool is_matrix = false;
  std::string defect;  ///< why it cannot grow
  template <class Archive>
  void archive(Archive& a) {
    a(path, is_matrix, defect, rows, chunk_rows, columns);
  }

  /// The paths of its datasets: one for each column, or that of the matrix.
  [[nodiscard]] std::vector<std::string> paths() const;
};

/// What can be extended in a plain file. A one-dimensional dataset is both a column of a table and a field; after it
/// has grown as one of these, it no longer counts as the other.
struct GrowingData {
  std::int64_t number = 0;  ///< of the step
  std::vector<GrowingTable> tables;
  std::vector<GrowingField> fields;  ///< named by their paths
  template <class Archive>
  void archive(Archive& a) {
    a(number, tables, fields);
  }

  /// Throw conflict errors for objects that do not exist or cannot grow.
  [[nodiscard]] const GrowingTable& table(const std::string& path) const;
  [[nodiscard]] const GrowingField& field(const std::string& path) const;
  /// The same for changes; never fails for an accepted step.
  [[nodiscard]] GrowingTable& at_table(const std::string& path);
  [[nodiscard]] GrowingField& at_field(const std::string& path);
  /// Removes the other entries of datasets that have grown.
  void forget_others(const StepDescription& grown, const PlainRules& rules);
};

/// A table of a new file, still without rows.
[[nodiscard]] GrowingTable fresh_table(const Table& table, const PlainRules& rules, const Chunking& chunking);

/// The tables and fields of the image's open file. Matrices whose chunks hold several columns do not grow.
[[nodiscard]] GrowingData growing_data(hid_t file, Image& image, std::uint64_t memory_budget);

/// The bytes of each chunk of each column of each table of a step.
using ColumnChunks = std::vector<std::vector<std::vector<std::uint64_t>>>;

/// First half of a growth: releases the chunks that are encoded again. It needs a session of its own; otherwise HDF5
/// would reuse their space for the new chunks.
void release_data(hid_t file, const GrowingData& data, const StepDescription& added, const PlainRules& rules);
/// Second half: extends the tables by `rows`, adds the chunks of their columns to the index, and extends the fields.
void extend_data(hid_t file, Image& image, const GrowingData& data, const StepDescription& added,
                 const PlainRules& rules, std::span<const std::uint64_t> rows, const ColumnChunks& lengths,
                 const PackedFields& chunks);

}  // namespace quire::hdf5
