#pragma once

#include <string>
#include <string_view>

namespace quire {

/// A text with the letters of ASCII in lower case.
[[nodiscard]] inline std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  return lower;
}

}  // namespace quire
