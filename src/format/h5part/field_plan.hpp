#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "format/hdf5/library/handle.hpp"
#include "quire/model/description.hpp"

namespace quire::hdf5 {

/// A field as H5Block stores it: type, name, attributes and geometry. Its extents do not change; datasets of fewer than
/// three axes get leading axes of one element. Throws unsupported, usage, type and conflict errors.
[[nodiscard]] Field accepted_field(const Field& field, bool lossy);

/// The extents of the datasets of a field: three.
[[nodiscard]] std::vector<std::uint64_t> block_extents(const Field& field);

/// The path of the dataset of a component, in the group of the step.
[[nodiscard]] std::string component_path(const std::string& field, std::size_t component);

/// Creates the dataset of a component of a field, given by their indices, without linking it.
using ComponentMaker = std::function<Handle(hid_t group, std::size_t field, std::size_t component)>;

/// Adds the group of the fields to the group of a step: a group for each field with its attributes, and a dataset for
/// each component.
void write_fields(hid_t step_group, const StepDescription& step, const ComponentMaker& make_component);

/// A list with one entry for each axis of a dataset: `shape`, with the same entry repeated in front for additional
/// axes.
[[nodiscard]] std::vector<std::uint64_t> block_shape(std::vector<std::uint64_t> shape);

}  // namespace quire::hdf5
