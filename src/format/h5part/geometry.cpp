#include "format/h5part/geometry.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>

#include "quire/base/error.hpp"

namespace quire::hdf5 {
namespace {

constexpr const char* origin_name = "__Origin__";
constexpr const char* spacing_name = "__Spacing__";
constexpr std::array coordinate_names{"__X_Coordinates__", "__Y_Coordinates__", "__Z_Coordinates__"};

/// The numbers of an attribute; no value unless it holds `wanted` numbers without NaN.
std::optional<std::vector<double>> numbers_of(const Attribute& attribute, std::uint64_t wanted) {
  const Value& value = attribute.value;
  if (value.count() != wanted || value.type() == Type::string || value.type() == Type::character) return std::nullopt;
  const Value doubles = value.converted_to(Type::float64, true);
  std::vector<double> numbers(static_cast<std::size_t>(wanted));
  std::memcpy(numbers.data(), doubles.bytes().data(), numbers.size() * sizeof(double));
  return numbers;
}

/// Removes one list from the attributes and returns it, if it exists and fits.
std::optional<std::vector<double>> take(Field& field, const char* name, std::uint64_t wanted, bool is_known,
                                        std::vector<std::string>& warnings) {
  const auto found = std::ranges::find(field.attributes, name, &Attribute::name);
  if (found == field.attributes.end()) return std::nullopt;
  if (is_known) {
    throw Error(ErrorKind::conflict, "the geometry is given twice, also as the attribute " + std::string(name))
        .on(field.name);
  }
  auto numbers = numbers_of(*found, wanted);
  if (!numbers) {
    warnings.push_back("the attribute " + std::string(name) + " of the field " + field.name + " does not have " +
                       std::to_string(wanted) + " numbers and is ignored as geometry");
    return std::nullopt;
  }
  field.attributes.erase(found);
  return numbers;
}

Attribute attribute_of(const char* name, const std::vector<double>& numbers) {
  Attribute attribute;
  attribute.name = name;
  attribute.type = Type::float64;
  attribute.value = Value::numbers(Type::float64, {numbers.size()}, std::as_bytes(std::span(numbers)));
  return attribute;
}

/// One number for each of x, y, z from a list in the order of axes, slowest first.
std::vector<double> from_x_on(std::vector<double> list, double missing) {
  std::ranges::reverse(list);
  list.resize(block_axes, missing);
  return list;
}

}  // namespace

void take_geometry(Field& field, std::vector<std::string>& warnings) {
  if (field.extents.size() != block_axes) return;
  Geometry& geometry = field.geometry;
  if (auto origin = take(field, origin_name, block_axes, !geometry.origin.empty(), warnings)) {
    std::ranges::reverse(*origin);
    geometry.origin = *std::move(origin);
  }
  if (auto spacing = take(field, spacing_name, block_axes, !geometry.spacing.empty(), warnings)) {
    std::ranges::reverse(*spacing);
    geometry.spacing = *std::move(spacing);
  }
  for (std::size_t axis = 0; axis < block_axes; ++axis) {
    const bool is_known = !geometry.coordinates.empty() && !geometry.coordinates[axis].empty();
    auto coordinates = take(field, coordinate_names[block_axes - 1 - axis], field.extents[axis], is_known, warnings);
    if (!coordinates) continue;
    geometry.coordinates.resize(block_axes);
    geometry.coordinates[axis] = *std::move(coordinates);
  }
}

std::vector<Attribute> geometry_attributes(const Field& field) {
  const Geometry& geometry = field.geometry;
  std::vector<Attribute> attributes;
  if (!geometry.origin.empty()) attributes.push_back(attribute_of(origin_name, from_x_on(geometry.origin, 0)));
  if (!geometry.spacing.empty()) attributes.push_back(attribute_of(spacing_name, from_x_on(geometry.spacing, 1)));
  for (std::size_t x = 0; x < geometry.coordinates.size(); ++x) {
    const std::vector<double>& coordinates = geometry.coordinates[geometry.coordinates.size() - 1 - x];
    if (!coordinates.empty()) attributes.push_back(attribute_of(coordinate_names.at(x), coordinates));
  }
  return attributes;
}

const char* coordinate_attribute(std::size_t axis) { return coordinate_names.at(block_axes - 1 - axis); }

}  // namespace quire::hdf5
