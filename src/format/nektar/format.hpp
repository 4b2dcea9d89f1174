#pragma once

#include "quire/format/format.hpp"

namespace quire {

/// Independent. The format of Nektar++ fields and checkpoints.
[[nodiscard]] const Format& nektar_format();

}  // namespace quire
