#pragma once

#include <string>
#include <string_view>

#include "quire/model/units.hpp"

namespace quire::units {

/// The unit of a text. Throws as parse_unit().
[[nodiscard]] Unit parse(std::string_view text, MassTimesC meaning);

}  // namespace quire::units
