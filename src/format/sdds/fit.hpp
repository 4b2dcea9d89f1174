#pragma once

#include "quire/format/format.hpp"

namespace quire::sdds {

/// How a step is changed to be held, told before anything is converted.
[[nodiscard]] Fit fit_step(const FileDescription& file, const StepDescription& step);

}  // namespace quire::sdds
