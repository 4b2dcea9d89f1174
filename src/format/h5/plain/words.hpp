#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quire/model/description.hpp"

namespace quire::h5 {

/// The attributes by which plain HDF5 files tell what their data sets are: those that we write.
namespace words {
inline constexpr std::string_view title = "title";
inline constexpr std::string_view contents = "contents";
inline constexpr std::string_view units = "units";
inline constexpr std::string_view symbol = "symbol";
inline constexpr std::string_view description = "description";
inline constexpr std::string_view display = "display";
inline constexpr std::string_view columns = "columns";        ///< of a matrix: the names of its columns
inline constexpr std::string_view components = "components";  ///< of a field: how many stand along the first axis
}  // namespace words

/// The texts of an attribute, whatever its shape; none if there is no such attribute or it holds no texts.
[[nodiscard]] std::vector<std::string> texts_of(const std::vector<Attribute>& attributes, std::string_view name);
/// The one text of an attribute, or an empty one.
[[nodiscard]] std::string text_of(const std::vector<Attribute>& attributes, std::string_view name);
/// Takes a count out of the attributes; 0 if there is none.
[[nodiscard]] std::uint64_t take_count(std::vector<Attribute>& attributes, std::string_view name);

/// A quantity with the unit (`units` or `unit`) and the texts that stand among the attributes of its data set, which
/// are taken out of them.
[[nodiscard]] Quantity take_quantity(const std::string& name, Type type, std::vector<Attribute>& attributes);

/// Under what name the unit of an attribute stands beside it.
[[nodiscard]] std::string unit_name(std::string_view attribute);
/// Takes the units of attributes, which are texts beside them, out of their list.
void fold_units(std::vector<Attribute>& attributes);

}  // namespace quire::h5
