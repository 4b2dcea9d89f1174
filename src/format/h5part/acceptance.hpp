#pragma once

#include <string>
#include <utility>
#include <vector>

#include "format/h5part/units.hpp"
#include "quire/spi/format/fit.hpp"

namespace quire::hdf5 {

/// The attributes of a file as they will be written, including title, contents and units.
struct FileAcceptance {
  std::vector<Attribute> attributes;
  Units units;  ///< the known units and those among the attributes
};
/// Throws conflict errors for names that would be written twice with different values, and type errors.
[[nodiscard]] FileAcceptance accept_file(const FileDescription& file, const Units& known);

/// Returns the step as H5Part stores it. Throws type, unsupported, usage and conflict errors if H5Part cannot store it.
[[nodiscard]] StepDescription accept_step(const StepDescription& step, const Units& known, bool lossy);

/// The units of the step's columns and attributes that are not in `known`, in order.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> new_units(const StepDescription& step,
                                                                         const Units& known);

/// What H5Part can store of a file and a step, with a sentence foreverything that is lost.
[[nodiscard]] Fit fit_h5part(const FileDescription& file, const StepDescription& step);

}  // namespace quire::hdf5
