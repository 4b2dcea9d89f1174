#pragma once

#include <memory>

#include "query/program.hpp"
#include "query/syntax.hpp"
#include "quire/query/expression.hpp"

namespace quire::query {

/// Resolves names, lanes and units, and builds the program. Throws missing and type errors that show the position.
[[nodiscard]] std::shared_ptr<const Program> compile(const Syntax& syntax, const Scope& scope);

}  // namespace quire::query
