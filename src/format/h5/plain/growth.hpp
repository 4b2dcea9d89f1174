#pragma once

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/h5/growth.hpp"
#include "format/h5/plain/acceptance.hpp"
#include "format/h5/plain/survey.hpp"

namespace quire::h5 {

/// A table to which rows can be added: a data set for each column, or one matrix whose chunks hold one column each
/// (unless the library grows it).
struct GrowingTable : GrowingRows {
  std::string path;
  bool is_matrix = false;
  std::string defect;  ///< why it cannot grow
  template <class Archive>
  void archive(Archive& a) {
    a(path, is_matrix, defect, rows, chunk_rows, columns);
  }

  /// The paths of its data sets: one for each column, or that of the matrix.
  [[nodiscard]] std::vector<std::string> paths() const;
};

/// What can be extended in a plain file. A data set of one dimension is a column of a table and a field; what grows as
/// the one is no longer the other.
struct GrowingData {
  std::int64_t number = 0;  ///< of the step
  std::vector<GrowingTable> tables;
  std::vector<GrowingField> fields;  ///< their names are paths
  template <class Archive>
  void archive(Archive& a) {
    a(number, tables, fields);
  }

  /// Throw conflict errors for what is not there, or cannot grow.
  [[nodiscard]] const GrowingTable& table(const std::string& path) const;
  [[nodiscard]] const GrowingField& field(const std::string& path) const;
  /// The same for change; never fails for what a step was accepted with.
  [[nodiscard]] GrowingTable& at_table(const std::string& path);
  [[nodiscard]] GrowingField& at_field(const std::string& path);
  /// Forgets what was the same data set as something that has grown.
  void forget_others(const StepDescription& grown, const PlainRules& rules);
};

/// A table of a new file, without rows yet.
[[nodiscard]] GrowingTable fresh_table(const Table& table, const PlainRules& rules, const Chunking& chunking);

/// What there is in the image's open file. Matrices whose chunks hold several columns grow only `by_library`.
[[nodiscard]] GrowingData growing_data(hid_t file, Image& image, std::uint64_t memory_budget, bool by_library);

/// The bytes of each chunk of each column of each table of a step.
using ColumnChunks = std::vector<std::vector<std::vector<std::uint64_t>>>;

/// The first half of a growth: lets go of chunks that are encoded again. It needs a session of its own, or HDF5 would
/// put the new ones into the space that it frees.
void release_data(hid_t file, const GrowingData& data, const StepDescription& added, const PlainRules& rules);
/// The second half: makes tables longer by `rows` and enters the chunks of each column of each of them; makes fields
/// larger.
void extend_data(hid_t file, Image& image, const GrowingData& data, const StepDescription& added,
                 const PlainRules& rules, std::span<const std::uint64_t> rows, const ColumnChunks& lengths,
                 const PackedFields& chunks);

}  // namespace quire::h5
