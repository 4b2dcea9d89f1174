#pragma once

#include "quire/format/format.hpp"

namespace quire {

/// Independent. The format of H5Part and H5hut files.
[[nodiscard]] const Format& h5part_format();

}  // namespace quire
