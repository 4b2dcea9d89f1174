#pragma once

#include <string_view>

namespace quire {

/// The first bytes of an index beside a file (src/api/sidecar.hpp).
inline constexpr std::string_view index_mark = "QUIREIX1";

}  // namespace quire
