#pragma once

#include "quire/format/format.hpp"

namespace quire {

/// Independent. The format of openPMD files: particles and meshes on HDF5.
[[nodiscard]] const Format& openpmd_format();

}  // namespace quire
