#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "quire/model/description.hpp"

namespace quire::hdf5 {

/// The axes of a field of H5Block.
constexpr std::size_t block_axes = 3;

/// Moves origin, spacing and coordinates from the attributes of a three-dimensional field, where H5Block stores them in
/// the order x, y, z, to the field. Those that do not fit remain attributes and are reported in `warnings`. Throws
/// conflict errors if the field already has a geometry.
void take_geometry(Field& field, std::vector<std::string>& warnings);

/// The attributes that store the geometry of a field of up to three axes. Missing axes are regular.
[[nodiscard]] std::vector<Attribute> geometry_attributes(const Field& field);

/// The name of the attribute with the coordinates along one of three axes, slowest first.
[[nodiscard]] const char* coordinate_attribute(std::size_t axis);

}  // namespace quire::hdf5
