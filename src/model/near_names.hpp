#pragma once

#include <string>
#include <vector>

namespace quire {

/// The names that are most like a wrong one, at most so many; also those that differ in case alone. Of names that are
/// equally like it the first ones are first.
[[nodiscard]] std::vector<std::string> near_names(const std::string& wrong, const std::vector<std::string>& names,
                                                  std::size_t most = 3);

/// "; there are: x, y": the names, each once, of many the first; without any an empty text.
[[nodiscard]] std::string listed_names(const std::vector<std::string>& names);

}  // namespace quire
