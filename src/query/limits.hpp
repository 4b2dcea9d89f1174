#pragma once

#include <span>

#include "query/syntax.hpp"
#include "quire/query/expression.hpp"

namespace quire::query {

/// Expression::may_hold().
[[nodiscard]] bool may_hold(const Syntax& syntax, const Scope& scope, std::span<const ColumnLimits> limits);

/// Expression::must_hold().
[[nodiscard]] bool must_hold(const Syntax& syntax, const Scope& scope, std::span<const ColumnLimits> limits);

/// Expression::may_fail().
[[nodiscard]] bool may_fail(const Syntax& syntax, const Scope& scope, std::span<const ColumnLimits> limits);

}  // namespace quire::query
