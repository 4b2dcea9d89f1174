#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "format/hdf5/image/image.hpp"
#include "format/hdf5/library/handle.hpp"
#include "quire/model/description.hpp"
#include "quire/plan/record.hpp"

namespace quire::hdf5 {

/// A field as H5Block stores it: type, name, attributes and geometry. Its extents do not change; datasets of fewer than
/// three axes get leading axes of one element. Throws unsupported, usage, type and conflict errors.
[[nodiscard]] Field accepted_field(const Field& field, bool lossy);

/// The extents of the datasets of a field: three.
[[nodiscard]] std::vector<std::uint64_t> block_extents(const Field& field);

/// Bytes of each component of each field, in the order in which they are created.
[[nodiscard]] std::vector<std::uint64_t> component_bytes(const StepDescription& step);

/// For each field the runs of its components, which are stored at `places`, in the order of component_bytes().
[[nodiscard]] std::vector<std::vector<Run>> field_runs(const StepDescription& step,
                                                       std::span<const PlannedSpace> places);

/// Creates the dataset of a component of a field without linking it. `index` counts the components of all fields of the
/// step.
using ComponentMaker = std::function<Handle(hid_t group, const Field& field, std::size_t index)>;

/// Adds the group of the fields to the group of a step: a group for each field with its attributes, and a dataset for
/// each component.
void write_fields(hid_t step_group, const StepDescription& step, const ComponentMaker& make_component);

/// A list with one entry for each axis of a dataset: `shape`, with the same entry repeated in front for additional
/// axes.
[[nodiscard]] std::vector<std::uint64_t> block_shape(std::vector<std::uint64_t> shape);

}  // namespace quire::hdf5
