#pragma once

#include <cstdint>
#include <string>

#include "query/syntax.hpp"

namespace quire::query {

/// The text of a part of an expression: without needless parentheses, and with one spelling of each operator.
[[nodiscard]] std::string normal_form(const Syntax& syntax, std::uint32_t index);

}  // namespace quire::query
