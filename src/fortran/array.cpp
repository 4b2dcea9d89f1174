#include "fortran/array.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>

namespace quire::fortran {
namespace {

std::optional<quire_type> type_of(const CFI_cdesc_t& descriptor) {
  switch (descriptor.type) {
    case CFI_type_int8_t:
      return QUIRE_INT8;
    case CFI_type_int16_t:
      return QUIRE_INT16;
    case CFI_type_int32_t:
      return QUIRE_INT32;
    case CFI_type_int64_t:
      return QUIRE_INT64;
    case CFI_type_float:
      return QUIRE_FLOAT32;
    case CFI_type_double:
      return QUIRE_FLOAT64;
    default:
      break;
  }
  return descriptor.type == CFI_type_char ? std::optional(QUIRE_STRING) : std::nullopt;
}

std::span<const CFI_dim_t> dimensions(const CFI_cdesc_t& descriptor) {
  return {descriptor.dim, static_cast<std::size_t>(descriptor.rank)};
}

/// Calls `visit` for the address of each element, in array element order: the first index is the fastest.
template <class Visit>
void for_each_element(const CFI_cdesc_t& descriptor, const Visit& visit) {
  const auto axes = dimensions(descriptor);
  if (std::ranges::any_of(axes, [](const CFI_dim_t& axis) { return axis.extent == 0; })) return;
  std::array<CFI_index_t, CFI_MAX_RANK> index{};
  auto* at = static_cast<std::byte*>(descriptor.base_addr);
  while (true) {
    visit(at);
    std::size_t axis = 0;
    for (; axis < axes.size(); ++axis) {
      at += axes[axis].sm;
      if (++index[axis] < axes[axis].extent) break;
      at -= axes[axis].sm * axes[axis].extent;
      index[axis] = 0;
    }
    if (axis == axes.size()) return;
  }
}

template <class Integer>
std::int64_t value_at(const std::byte* place) {
  Integer value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

}  // namespace

Array::Array(const CFI_cdesc_t& descriptor, const std::string& what) : descriptor_(&descriptor), type_(QUIRE_STRING) {
  // Compilers pass expressions without elements without memory.
  const bool is_empty =
      std::ranges::any_of(dimensions(descriptor), [](const CFI_dim_t& axis) { return axis.extent == 0; });
  if (descriptor.base_addr == nullptr && !is_empty)
    throw std::invalid_argument(what + " is not allocated or not associated");
  const auto type = type_of(descriptor);
  if (!type) {
    throw std::invalid_argument(what + " is neither real32, real64, an integer nor character: convert it first");
  }
  type_ = *type;
}

std::uint64_t Array::count() const noexcept {
  std::uint64_t product = 1;
  for (const CFI_dim_t& axis : dimensions(*descriptor_)) product *= static_cast<std::uint64_t>(axis.extent);
  return product;
}

std::vector<std::uint64_t> Array::shape() const {
  std::vector<std::uint64_t> extents;
  for (const CFI_dim_t& axis : dimensions(*descriptor_)) extents.push_back(static_cast<std::uint64_t>(axis.extent));
  std::ranges::reverse(extents);
  return extents;
}

bool Array::is_contiguous() const noexcept {
  if (count() <= 1) return true;
  auto next = static_cast<CFI_index_t>(element_size());
  for (const CFI_dim_t& axis : dimensions(*descriptor_)) {
    if (axis.extent > 1 && axis.sm != next) return false;
    next *= axis.extent;
  }
  return true;
}

bool Array::has_contiguous_columns() const noexcept {
  return descriptor_->rank == 0 || descriptor_->dim[0].sm == static_cast<CFI_index_t>(element_size());
}

void Array::copy_to(std::byte* packed) const {
  for_each_element(*descriptor_, [&, size = element_size()](const std::byte* element) {
    std::memcpy(packed, element, size);
    packed += size;
  });
}

void Array::copy_from(const std::byte* packed) const {
  for_each_element(*descriptor_, [&, size = element_size()](std::byte* element) {
    std::memcpy(element, packed, size);
    packed += size;
  });
}

std::vector<std::int64_t> integers_of(const CFI_cdesc_t* descriptor, const std::string& what) {
  std::vector<std::int64_t> values;
  if (descriptor == nullptr) return values;
  const auto take = [&](auto read) {
    for_each_element(*descriptor, [&](const std::byte* place) { values.push_back(read(place)); });
  };
  switch (descriptor->type) {
    case CFI_type_int8_t:
      take(value_at<std::int8_t>);
      break;
    case CFI_type_int16_t:
      take(value_at<std::int16_t>);
      break;
    case CFI_type_int32_t:
      take(value_at<std::int32_t>);
      break;
    case CFI_type_int64_t:
      take(value_at<std::int64_t>);
      break;
    default:
      throw std::invalid_argument(what + " is no integer");
  }
  return values;
}

std::int64_t integer_of(const CFI_cdesc_t* descriptor, const std::string& what) {
  const std::vector<std::int64_t> values = integers_of(descriptor, what);
  if (values.size() != 1) throw std::invalid_argument(what + " is not one integer");
  return values.front();
}

std::uint64_t natural_of(const CFI_cdesc_t* descriptor, const std::string& what) {
  const std::int64_t value = integer_of(descriptor, what);
  if (value < 0) throw std::invalid_argument(what + " is negative");
  return static_cast<std::uint64_t>(value);
}

std::vector<std::uint64_t> extents_of(const CFI_cdesc_t* descriptor, const std::string& what) {
  std::vector<std::uint64_t> extents;
  for (const std::int64_t value : integers_of(descriptor, what)) {
    if (value < 0) throw std::invalid_argument(what + " is negative");
    extents.push_back(static_cast<std::uint64_t>(value));
  }
  std::ranges::reverse(extents);
  return extents;
}

std::vector<std::uint64_t> positions_of(const CFI_cdesc_t* descriptor, const std::string& what) {
  std::vector<std::uint64_t> positions;
  for (const std::int64_t value : integers_of(descriptor, what)) {
    if (value < 1) throw std::invalid_argument(what + " is less than 1: rows and elements count from 1");
    positions.push_back(static_cast<std::uint64_t>(value) - 1);
  }
  return positions;
}

Elements::Elements(const Array& values, const CFI_cdesc_t* first, const CFI_cdesc_t* apart)
    : start(positions_of(first, "an element of start")),
      stride(extents_of(apart, "an element of stride")),
      count(values.shape()) {
  std::ranges::reverse(start);
  if (first == nullptr) start.assign(count.size(), 0);
  if (apart == nullptr) stride.assign(count.size(), 1);
  if (start.size() != count.size() || stride.size() != count.size()) {
    throw std::invalid_argument("start and stride have as many elements as the array has dimensions, here " +
                                std::to_string(count.size()));
  }
}

}  // namespace quire::fortran
