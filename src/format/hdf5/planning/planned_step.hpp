#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "format/hdf5/image/planned_space.hpp"
#include "quire/spi/format/planner.hpp"

namespace quire::hdf5 {

/// The bytes of each chunk of each column of each table.
using ColumnChunks = std::vector<std::vector<std::vector<std::uint64_t>>>;

/// Where the raw data of a step are stored.
struct PlannedStep {
  std::vector<std::uint64_t> rows;                 ///< of each table
  std::vector<std::vector<PlannedSpace>> tables;   ///< of each table: a place for each column, or one for a matrix
  std::vector<std::vector<PlannedSpace>> fields;   ///< of each field: a place for each component
  std::vector<std::vector<std::uint64_t>> shapes;  ///< of the chunks of each field; empty: contiguous
  std::vector<bool> joined;                        ///< for each field, whether its components are one dataset
  std::uint64_t end = 0;                           ///< of the raw data, or of the file if there are none

  // On rank 0 only, when the step is published.
  ColumnChunks lengths;                                           ///< empty: contiguous
  std::span<const std::vector<std::vector<PackedChunk>>> chunks;  ///< StepPart::all_chunks

  /// The chunks of each component of a field; empty if it is contiguous.
  [[nodiscard]] std::span<const std::vector<PackedChunk>> chunks_of(std::size_t field) const noexcept;
  /// The place of a contiguous field whose components are one dataset.
  [[nodiscard]] PlannedSpace whole(std::size_t field) const;
  /// The places where HDF5 allocates raw data, in this order: those of contiguous datasets and those of chunks.
  [[nodiscard]] std::vector<PlannedSpace> spaces() const;
};

}  // namespace quire::hdf5
