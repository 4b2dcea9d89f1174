#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/hdf5/image/image.hpp"
#include "format/hdf5/library/handle.hpp"
#include "quire/model/type.hpp"

namespace quire::hdf5 {

/// Creation properties of contiguous datasets: allocated early, never filled, without time stamps. The first returns a
/// shared list, the second a new list that may be changed.
[[nodiscard]] Handle contiguous_creation();
[[nodiscard]] Handle new_contiguous_creation();

/// Creation properties of groups: without time stamps.
[[nodiscard]] Handle group_creation();
/// The same for groups with attributes of users, see Image::attribute_index().
[[nodiscard]] Handle group_creation(const Image& image);
/// New creation properties of an object of `list_class`: without time stamps, and with the order of its attributes.
[[nodiscard]] Handle timeless_creation(hid_t list_class, bool is_in_order = false);

/// Creates a dataset of numbers without linking it. `name` is for messages.
[[nodiscard]] Handle create_dataset(hid_t group, const std::string& name, Type type,
                                    const std::vector<std::uint64_t>& extents, hid_t creation);
/// A dataset of any type with a list of contiguous_creation(), allocated at `place` (length 0 without elements).
[[nodiscard]] Handle create_dataset_of(hid_t group, const std::string& name, hid_t type, const PlannedSpace& place,
                                       const std::vector<std::uint64_t>& extents, hid_t creation);
/// The same for numbers.
[[nodiscard]] Handle create_dataset(hid_t group, const std::string& name, Type type, const PlannedSpace& place,
                                    const std::vector<std::uint64_t>& extents, hid_t creation);

/// Ends Image::set_cold(), when the objects of a step are complete. Space that they freed while they grew may be reused
/// by others, such as the root.
void end_cold(hid_t file, Image& image);

/// Throws unsupported errors for files in which HDF5 would not let us choose the places.
void check_file_space(hid_t file);

}  // namespace quire::hdf5
