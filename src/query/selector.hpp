#pragma once

#include "query/syntax.hpp"
#include "quire/query/expression.hpp"

namespace quire::query {

/// Expression::selector().
[[nodiscard]] Selector selector_of(const Syntax& syntax, const Scope& scope);

}  // namespace quire::query
