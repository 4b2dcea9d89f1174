#pragma once

#include <cstdint>
#include <string>

#include "quire/format/format.hpp"

namespace quire {

/// Independent. What a describer, or who continues a file, may use besides its bytes: files that it refers to, which
/// stand beside it or else where this process is, and other members of its set, which stand beside it.
[[nodiscard]] DescribeContext context_of(const std::string& file, std::uint64_t memory_budget);

}  // namespace quire
