#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "format/h5/hdf5.hpp"
#include "format/h5/image.hpp"
#include "quire/model/description.hpp"
#include "quire/plan/record.hpp"

namespace quire::h5 {

/// A field as H5Block holds it: type, name, attributes and geometry. Its extents stay: data sets of fewer than three
/// axes get axes of one element in front. Throws unsupported, usage, type and conflict errors.
[[nodiscard]] Field accepted_field(const Field& field, bool lossy);

/// The extents of the data sets of a field: three.
[[nodiscard]] std::vector<std::uint64_t> block_extents(const Field& field);

/// Bytes of each component of each field, in the order in which they are created.
[[nodiscard]] std::vector<std::uint64_t> component_bytes(const StepDescription& step);

/// For each field the runs of its components, which stand at `places`, in the order of component_bytes().
[[nodiscard]] std::vector<std::vector<Run>> field_runs(const StepDescription& step,
                                                       std::span<const PlannedSpace> places);

/// Makes the data set of a component of a field, that no name leads to yet: the one of this index among all components
/// of the step.
using ComponentMaker = std::function<Handle(hid_t group, const Field& field, std::size_t index)>;

/// Adds the group of the fields to that of a step: a group for each, with its attributes and a data set for each
/// component.
void write_fields(hid_t step_group, const StepDescription& step, const ComponentMaker& make_component);

/// A list that has an entry for each axis of a field, with the same in front for axes of data sets that it has not.
[[nodiscard]] std::vector<std::uint64_t> block_shape(std::vector<std::uint64_t> shape);

}  // namespace quire::h5
