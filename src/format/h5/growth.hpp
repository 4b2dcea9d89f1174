#pragma once

#include <hdf5.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/h5/field_growth.hpp"
#include "format/h5/image.hpp"
#include "format/h5/structure.hpp"
#include "quire/model/description.hpp"
#include "quire/plan/chunks.hpp"

namespace quire::h5 {

/// A column to which rows can be added.
struct GrowingColumn {
  std::string name;
  Type type = Type::float64;
  std::vector<Filter> filters;
  Chunk last;  ///< the last chunk, if its rows do not fill it
  template <class Archive>
  void archive(Archive& a) {
    a(name, type, filters, last);
  }
};

/// Columns to which rows can be added: all have chunks of one size and unlimited length.
struct GrowingRows {
  std::uint64_t rows = 0;
  std::uint64_t chunk_rows = 0;
  std::vector<GrowingColumn> columns;

  /// Rows of the last chunk, if they do not fill it.
  [[nodiscard]] std::uint64_t open_rows() const noexcept { return chunk_rows == 0 ? 0 : rows % chunk_rows; }
  [[nodiscard]] const GrowingColumn& column(const std::string& name) const;
  [[nodiscard]] Grouping grouping() const noexcept { return {.rows = chunk_rows, .open_rows = open_rows()}; }
  /// The values of the open rows of a column, in the bytes of its last chunk.
  [[nodiscard]] std::vector<std::byte> open_values(ChunkCoder& coder, const std::string& name,
                                                   std::span<const std::byte> bytes) const;
  /// Records a publication of a column: chunks of these lengths, up to the end of its place.
  void grow(const std::string& name, const PlannedSpace& place, std::span<const std::uint64_t> lengths);
};

/// A step to whose columns rows can be added.
struct GrowingStep : GrowingRows {
  std::int64_t number = 0;
  std::string group;
  std::vector<GrowingField> fields;

  [[nodiscard]] const GrowingField& field(const std::string& name) const;
  template <class Archive>
  void archive(Archive& a) {
    a(number, group, rows, chunk_rows, columns, fields);
  }
};

/// The step of this group in the image's open file. Throws a conflict error that states why its columns cannot
/// grow. It may have fields that cannot grow.
[[nodiscard]] GrowingStep growing_step(hid_t file, std::int64_t number, const std::string& group, Image& image,
                                       std::uint64_t memory_budget);

/// The table of an accepted step with the types of the file. Throws conflict errors for missing or additional columns.
[[nodiscard]] Table grown_table(const GrowingRows& step, const Table& added);

/// First half of a growth: releases last chunks that are not full. It needs a session of its own; otherwise HDF5 would
/// reuse their space for the new chunks.
void release_open_chunks(hid_t file, const GrowingStep& step, const StepDescription& added);

/// Second half: extends the columns of `added` by `rows`, adds the chunks after the full ones to the index, and extends
/// the fields.
void extend_step(hid_t file, Image& image, const GrowingStep& step, const StepDescription& added, std::uint64_t rows,
                 const StepChunks& chunks);

}  // namespace quire::h5
