#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "quire/model/units.hpp"

namespace quire::units {

/// The unit of a text. Throws as parse_unit().
[[nodiscard]] Unit parse(std::string_view text, MassTimesC meaning);

/// An exponent as a ratio: of a ratio of small numbers that was rounded to decimals, such as 0.3333333333333333, the
/// ratio itself. No value if there is none.
[[nodiscard]] std::optional<Exponent> exponent_of(double value);

}  // namespace quire::units
