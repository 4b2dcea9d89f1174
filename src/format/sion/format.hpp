#pragma once

#include "quire/format/format.hpp"

namespace quire {

/// Independent. The format of SIONlib multifiles.
[[nodiscard]] const Format& sion_format();

}  // namespace quire
