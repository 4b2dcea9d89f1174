#pragma once

#include "format/sdds/header.hpp"
#include "quire/spi/format/fit.hpp"

namespace quire::sdds {

/// The changes to a step that the format requires, before anything is converted. In the canonical style, numbers of
/// text have as many digits as the reference prints.
[[nodiscard]] Fit fit_step(const FileDescription& file, const StepDescription& step, Mode mode, bool canonical);

}  // namespace quire::sdds
