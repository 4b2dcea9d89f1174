#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "quire/model/description.hpp"

namespace quire::h5 {

/// Takes origin, spacing and coordinates out of the attributes of a field of three axes, where H5Block keeps them in
/// the order x, y, z. What does not fit stays an attribute and is told in `warnings`. Throws conflict errors where the
/// field has the same already.
void take_geometry(Field& field, std::vector<std::string>& warnings);

/// The attributes that hold the geometry of a field of up to three axes. Axes that it does not have are regular.
[[nodiscard]] std::vector<Attribute> geometry_attributes(const Field& field);

/// What the attribute is called that holds the coordinates along an axis of three, slowest first.
[[nodiscard]] const char* coordinate_attribute(std::size_t axis);

}  // namespace quire::h5
