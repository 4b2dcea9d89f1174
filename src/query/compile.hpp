#pragma once

#include <memory>

#include "query/program.hpp"
#include "query/syntax.hpp"
#include "quire/query/expression.hpp"

namespace quire::query {

/// Looks up names, settles lanes and units, and makes the program. Throws missing and type errors that show the place.
[[nodiscard]] std::shared_ptr<const Program> compile(const Syntax& syntax, const Scope& scope);

}  // namespace quire::query
