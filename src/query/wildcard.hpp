#pragma once

#include <string_view>

namespace quire::query {

/// Whether a whole text matches a pattern: * any run, ? one byte, [abc] [a-z] one of a set, [^...] or [!...] none of
/// it, \ the next character literally. A [ that is never closed is literal. Case-sensitive. The run time is at most
/// proportional to the product of the lengths.
[[nodiscard]] bool matches_wildcard(std::string_view text, std::string_view pattern) noexcept;

}  // namespace quire::query
