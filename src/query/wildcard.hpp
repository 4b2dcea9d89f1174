#pragma once

#include <string_view>

namespace quire::query {

/// Whether a whole text matches a pattern: * any run, ? one byte, [abc] [a-z] one of a set, [^...] or [!...] none of
/// it, \ takes the next character as it is. A [ that is never closed stands for itself. Case counts. Takes time in
/// proportion to the product of the lengths at most.
[[nodiscard]] bool matches_wildcard(std::string_view text, std::string_view pattern) noexcept;

}  // namespace quire::query
