#pragma once

#include <hdf5.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "quire/model/description.hpp"

namespace quire::hdf5 {

// HDF5 lists the datasets of a group by name. Where the columns of a table have another order, the group has an
// attribute with it: the names, with slashes between them. It is a single text, which every other reader can read and
// ignore.

/// The name of the attribute. Names of this form are reserved in files of H5Part.
inline constexpr std::string_view column_order_name = "__columns__";

/// Writes the attribute to a group with these columns, or deletes it if it is not needed. Nothing is written if the
/// names do not fit into an attribute.
void write_column_order(hid_t group, const std::vector<std::string>& names);
void write_column_order(hid_t group, const std::vector<Column>& columns);

/// Why the order of columns cannot be stored, or an empty text.
[[nodiscard]] std::string order_defect(const std::vector<Column>& columns);

/// Removes the attribute from those of a group and returns the names; none if there is no such attribute.
[[nodiscard]] std::vector<std::string> take_column_order(std::vector<Attribute>& attributes);

/// Sorts objects with names in this order; others follow in their own order.
template <class Object, class Name>
void put_in_order(std::vector<Object>& objects, std::span<const std::string> order, Name name) {
  if (order.empty()) return;
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < order.size(); ++i) places.try_emplace(order[i], i);
  std::ranges::stable_sort(objects, {}, [&](const Object& object) {
    const auto place = places.find(std::string_view(std::invoke(name, object)));
    return place == places.end() ? order.size() : place->second;
  });
}

}  // namespace quire::hdf5
