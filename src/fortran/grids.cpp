// Where the elements of fields are in space, what attributes belong to, and constant columns.

#include <algorithm>
#include <stdexcept>

#include "fortran/handle.hpp"

namespace {

using quire::fortran::Array;
using quire::fortran::File;
using quire::fortran::guarded;
using quire::fortran::guarded_in_step;
using quire::fortran::require;

/// The numbers of a list, in Fortran's order. None for an absent argument.
std::vector<double> reals_of(const CFI_cdesc_t* descriptor, const std::string& what) {
  if (descriptor == nullptr) return {};
  const Array array(*descriptor, what);
  std::vector<double> numbers(array.count());
  array.copy_to(reinterpret_cast<std::byte*>(numbers.data()));
  return numbers;
}

std::uint64_t axes_of(const File& file, const char* field) {
  std::uint64_t axes = 0;
  const quire_status status = quire_get_extents(file.file, field, 0, nullptr, &axes, nullptr);
  if (status != QUIRE_USAGE || axes == 0) require(file, status);
  return axes;
}

/// The axis of C for one of Fortran, which counts from 1, the fastest first.
std::uint64_t axis_in_c(std::uint64_t axes, std::int64_t axis) {
  if (axis < 1 || static_cast<std::uint64_t>(axis) > axes) {
    throw std::invalid_argument("there is no axis " + std::to_string(axis) + ": the field has " + std::to_string(axes));
  }
  return axes - static_cast<std::uint64_t>(axis);
}

}  // namespace

namespace quire::fortran {

void place_coordinates(File& file, const char* field, std::uint64_t axes) {
  const auto found = file.coordinates.find(field);
  if (found == file.coordinates.end()) return;
  for (const auto& [axis, positions] : found->second) {
    require(file, quire_set_coordinates(file.file, field, axis_in_c(axes, axis), positions.size(), positions.data()));
  }
  file.coordinates.erase(found);
}

}  // namespace quire::fortran

extern "C" {

quire_status quire_fortran_set_grid(File* file, const char* field, const CFI_cdesc_t* origin,
                                    const CFI_cdesc_t* spacing) {
  return guarded_in_step(file, [&](File& open) {
    std::vector<double> first = reals_of(origin, "origin");
    std::vector<double> apart = reals_of(spacing, "spacing");
    if (first.empty() && apart.empty()) throw std::invalid_argument("there is neither origin nor spacing");
    if (!first.empty() && !apart.empty() && first.size() != apart.size()) {
      throw std::invalid_argument("origin and spacing have different numbers of elements");
    }
    std::ranges::reverse(first);
    std::ranges::reverse(apart);
    require(open, quire_set_grid(open.file, field, std::max(first.size(), apart.size()),
                                 first.empty() ? nullptr : first.data(), apart.empty() ? nullptr : apart.data()));
  });
}

/// The axes of the field are known when it is put or declared: the positions are kept until then.
quire_status quire_fortran_set_coordinates(File* file, const char* field, std::int64_t axis,
                                           const CFI_cdesc_t* positions) {
  return guarded_in_step(file, [&](File& open) {
    if (!open.is_in_step) throw std::invalid_argument("coordinates are set in a step, before the field is put");
    if (axis < 1) throw std::invalid_argument("axes count from 1");
    open.coordinates[field][axis] = reals_of(positions, "the positions");
  });
}

quire_status quire_fortran_set_group(File* file, const char* field, const char* group) {
  return guarded_in_step(file, [&](File& open) { require(open, quire_set_group(open.file, field, group)); });
}

quire_status quire_fortran_set_owner(File* file, int owner, const char* field) {
  return guarded_in_step(
      file, [&](File& open) { require(open, quire_set_owner(open.file, static_cast<quire_owner>(owner), field)); });
}

quire_status quire_fortran_put_constant(File* file, const char* column, const CFI_cdesc_t* value, const char* unit) {
  return guarded_in_step(file, [&](File& open) {
    const Array number(*value, "the value of the column \"" + std::string(column) + "\"");
    require(open, quire_put_constant(open.file, column, number.type(), number.data(), unit));
  });
}

/// @param origin and
/// @param spacing of `axes` elements each, in Fortran's order
quire_status quire_fortran_get_grid(File* file, const char* field, std::uint64_t axes, double* origin,
                                    double* spacing) {
  return guarded(file, [&](File& open) {
    require(open, quire_get_grid(open.file, field, axes, origin, spacing));
    std::reverse(origin, origin + axes);
    std::reverse(spacing, spacing + axes);
  });
}

/// @param count receives the number of positions, 0 if the axis is regular
quire_status quire_fortran_get_coordinates(File* file, const char* field, std::int64_t axis, std::uint64_t capacity,
                                           double* positions, std::uint64_t* count) {
  return guarded(file, [&](File& open) {
    const std::uint64_t wanted = axis_in_c(axes_of(open, field), axis);
    const quire_status status = quire_get_coordinates(open.file, field, wanted, capacity, positions, count);
    if (status == QUIRE_USAGE && capacity == 0 && *count > 0) return;  // their number was asked for
    require(open, status);
  });
}

}  // extern "C"
