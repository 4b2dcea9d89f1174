#pragma once

#include <string>
#include <vector>

#include "quire/spi/format/fit.hpp"

namespace quire::hdf5 {

/// The attributes of the file as they are stored, including title and contents.
[[nodiscard]] std::vector<Attribute> accept_series(const FileDescription& file);

/// The step as an openPMD file stores it; a table without a name gets that of `species`. Throws type, unsupported,
/// usage and conflict errors for what cannot be stored.
[[nodiscard]] StepDescription accept_iteration(const StepDescription& step, const std::string& species, bool lossy);

/// What an openPMD file can store of a file and a step, with a sentence for everything that changes.
[[nodiscard]] Fit fit_openpmd(const FileDescription& file, const StepDescription& step, const std::string& species);

/// Whether the components of a field are one dataset, along its first axis: modes of a cylindrical mesh, and components
/// of a field that is itself the component of a mesh.
[[nodiscard]] bool is_joined(const Field& field);
/// The names of the components of a field that are datasets of their own.
[[nodiscard]] std::vector<std::string> components_of(const Field& field);

}  // namespace quire::hdf5
