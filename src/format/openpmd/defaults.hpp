#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "quire/model/description.hpp"

namespace quire::hdf5 {

/// The name of the species of a table without a name, unless the option `species` states another one.
inline constexpr std::string_view default_species = "beam";

/// The attribute of an iteration that lists what the writer added because the standard requires it:
/// `time`, `dt` and `timeUnitSI`, the units of the first two (`time_units`), and the name of a species
/// (`particles/beam`). What is listed and still has the value that the writer adds is not shown.
inline constexpr std::string_view defaults_name = "quireDefaults";

/// The entry of the list for a species.
[[nodiscard]] std::string default_of_species(std::string_view species);

/// Throws conflict errors if `time` and `dt` have different units of time: an iteration has one.
void check_units_of_times(const std::vector<Attribute>& attributes);

/// Adds the attributes of times that every iteration has (openPMD 1.1.0, "Required attributes for each iteration"), and
/// removes units that follow from `timeUnitSI`. Returns the entries of the list for what was added.
[[nodiscard]] std::vector<std::string> complete_times(std::vector<Attribute>& attributes);

/// Sets the units of the times in an iteration that was read, and removes what complete_times() added.
void restore_times(std::vector<Attribute>& attributes, const std::vector<std::string>& defaults);

/// Removes the list from the attributes of an iteration, and returns it.
[[nodiscard]] std::vector<std::string> take_defaults(std::vector<Attribute>& attributes);

}  // namespace quire::hdf5
