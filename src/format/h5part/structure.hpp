#pragma once

#include <functional>
#include <string>
#include <vector>

#include "format/h5part/field_plan.hpp"
#include "format/hdf5/image/image.hpp"
#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/library/handle.hpp"
#include "quire/model/description.hpp"

namespace quire::hdf5 {

/// The chunks of a step's columns and fields.
struct StepChunks {
  const Chunking* chunking = nullptr;
  std::vector<std::vector<std::uint64_t>> lengths;  ///< the bytes of each chunk of each column; empty: contiguous
  bool may_grow = false;                            ///< space allocated now may be read again
  std::vector<std::vector<std::uint64_t>> shapes;   ///< of the chunks of each field; empty: contiguous
  PackedFields fields;                              ///< the chunks of chunked fields, without their bytes

  /// The chunks of a component of a field.
  [[nodiscard]] std::span<const PackedChunk> of(std::size_t field, std::size_t component) const;
};

/// The places where raw data are allocated: those of columns, or of the consecutive chunks in them; then the same for
/// the components of all fields.
[[nodiscard]] std::vector<PlannedSpace> planned_spaces(const std::vector<PlannedSpace>& columns,
                                                       const StepDescription& step,
                                                       const std::vector<PlannedSpace>& fields,
                                                       const StepChunks& chunks);

/// Creates the group of a step without linking it: with its attributes, its columns, which `make_column` creates under
/// their names, and its fields (see write_fields).
[[nodiscard]] Handle make_step(hid_t file, const std::string& name, const StepDescription& step,
                               const std::function<void(hid_t group, std::size_t column)>& make_column,
                               const ComponentMaker& make_component);
/// Links the group under the name of the step.
void link_step(hid_t file, const std::string& name, hid_t group);

/// Adds a step's group with its attributes and datasets to an open file. Datasets are contiguous or chunked, allocated
/// at `columns` and `fields` (one place for each column, and for each component of each field; length 0 without
/// elements), never filled, without time stamps. Space that only the step itself needs is allocated as cold.
void write_step(hid_t file, Image& image, const std::string& name, const StepDescription& step,
                const std::vector<PlannedSpace>& columns, const StepChunks& chunks, std::uint64_t rows,
                const std::vector<PlannedSpace>& fields);

}  // namespace quire::hdf5
