#pragma once

#include <cstdint>
#include <string>

#include "quire/spi/format/describer.hpp"

namespace quire {

/// Independent. The files that a describer, or a planner that continues a file, may read in addition: files that it
/// refers to, next to it or else relative to the working directory, and other members of its set, next to it.
[[nodiscard]] DescribeContext context_of(const std::string& file, std::uint64_t memory_budget);

}  // namespace quire
