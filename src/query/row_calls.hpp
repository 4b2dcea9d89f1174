#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "query/syntax.hpp"

namespace quire::query {

/// Whether a node is a call whose value depends on several rows: max(x), lag(x, 2). max(x, y) is one of a single row.
[[nodiscard]] bool is_row_call(const Node& node);

/// The outermost calls of this kind below the root, in the order of the text, each once. Throws usage errors for the
/// number of their arguments.
[[nodiscard]] std::vector<std::uint32_t> row_calls(const Syntax& syntax);

/// The names of these functions.
[[nodiscard]] std::vector<std::string> row_functions();

}  // namespace quire::query
