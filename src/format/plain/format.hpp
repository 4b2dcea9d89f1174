#pragma once

#include "quire/format/format.hpp"

namespace quire {

/// Independent. The format of any other HDF5 file.
[[nodiscard]] const Format& plain_format();

}  // namespace quire
