#pragma once

#include <string>
#include <utility>
#include <vector>

#include "format/h5/units.hpp"
#include "quire/format/format.hpp"

namespace quire::h5 {

/// The attributes of a file as they will be written: title and contents, the attributes, and their units.
struct FileAcceptance {
  std::vector<Attribute> attributes;
  Units units;  ///< the given ones and those among the attributes
};
/// Throws conflict errors for names that would be written twice with different values, and type errors.
[[nodiscard]] FileAcceptance accept_file(const FileDescription& file, const Units& known);

/// A step as H5Part holds it, or the reason why it cannot: type, unsupported, usage and conflict errors.
[[nodiscard]] StepDescription accept_step(const StepDescription& step, const Units& known, bool lossy);

/// The units of the step's columns and attributes that are not known yet, in order.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> new_units(const StepDescription& step,
                                                                         const Units& known);

/// What of a file and step H5Part can hold, with everything that is lost told in sentences.
[[nodiscard]] Fit fit_h5part(const FileDescription& file, const StepDescription& step);

}  // namespace quire::h5
