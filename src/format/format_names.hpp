#pragma once

#include <string>

namespace quire {

/// Independent. The names of all formats, for advice: "a, b, c".
[[nodiscard]] std::string format_names();

}  // namespace quire
