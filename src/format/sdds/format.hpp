#pragma once

#include "quire/format/format.hpp"

namespace quire {

/// Independent. SDDS: self-describing data sets of the accelerator field (specs/sdds.md).
[[nodiscard]] const Format& sdds_format();

}  // namespace quire
