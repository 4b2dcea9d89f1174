#pragma once

#include <cstdint>
#include <memory>

#include "query/program.hpp"
#include "query/syntax.hpp"
#include "quire/query/expression.hpp"

namespace quire::query {

/// Resolves names, lanes and units, and builds the program of a node and its operands. Throws missing and type errors
/// that show the position.
[[nodiscard]] std::shared_ptr<const Program> compile(const Syntax& syntax, std::uint32_t index, const Scope& scope);

}  // namespace quire::query
