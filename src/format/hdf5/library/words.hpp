#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quire/model/description.hpp"

namespace quire::hdf5 {

/// The attributes that describe datasets in layouts without words of their own.
namespace words {
inline constexpr std::string_view title = "title";
inline constexpr std::string_view contents = "contents";
inline constexpr std::string_view units = "units";
inline constexpr std::string_view symbol = "symbol";
inline constexpr std::string_view description = "description";
inline constexpr std::string_view display = "display";
inline constexpr std::string_view columns = "columns";        ///< of a matrix: the names of its columns
inline constexpr std::string_view components = "components";  ///< of a field: their number, along the first axis
}  // namespace words

/// The texts of an attribute, whatever its shape; none if there is no such attribute or it holds no texts.
[[nodiscard]] std::vector<std::string> texts_of(const std::vector<Attribute>& attributes, std::string_view name);
/// The only text of an attribute, or an empty one.
[[nodiscard]] std::string text_of(const std::vector<Attribute>& attributes, std::string_view name);
/// Removes a count from the attributes and returns it; 0 if it does not exist.
[[nodiscard]] std::uint64_t take_count(std::vector<Attribute>& attributes, std::string_view name);

/// A quantity with the unit (`units` or `unit`) and the texts among the attributes of its dataset, which are removed
/// from them.
[[nodiscard]] Quantity take_quantity(const std::string& name, Type type, std::vector<Attribute>& attributes);

/// The name of the attribute that holds the unit of an attribute of the same object.
[[nodiscard]] std::string unit_name(std::string_view attribute);
/// Moves the units of attributes, which are texts in the same list, to the attributes themselves.
void fold_units(std::vector<Attribute>& attributes);
/// Writes attributes and their units to an object; single values become scalars.
void write_attributes(hid_t object, const std::vector<Attribute>& attributes);

}  // namespace quire::hdf5
