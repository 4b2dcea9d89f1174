#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "quire/model/units.hpp"

namespace quire::units {

/// The number of bytes of the letter at the beginning of a text: one of ASCII, an underscore, or a Latin or Greek one
/// in UTF-8. 0 if something else begins there.
[[nodiscard]] std::size_t letter_at(std::string_view text);

/// A unit without the mark-up of plot labels. `$a`, `$b` and `$n` raise, lower and end that; `$g` and `$r` switch to
/// Greek and back; `#name` is a Greek letter.
[[nodiscard]] std::string without_markup(std::string_view text);

/// The text with the meaning of each phrase in brackets.
[[nodiscard]] std::string with_phrases_replaced(std::string text, MassTimesC meaning);

}  // namespace quire::units
