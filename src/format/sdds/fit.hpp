#pragma once

#include "format/sdds/header.hpp"
#include "quire/format/format.hpp"

namespace quire::sdds {

/// How a step is changed to be held, told before anything is converted. Numbers of text in the canonical style have as
/// many digits as the reference prints.
[[nodiscard]] Fit fit_step(const FileDescription& file, const StepDescription& step, Mode mode, bool canonical);

}  // namespace quire::sdds
