#pragma once

#include <vector>

#include "kernels/ratio_table.hpp"

namespace quire::bench {

/// Registers target T1 of specs/performance.md: float64 numbers from text, against loops over strtod and from_chars.
[[nodiscard]] std::vector<Ratio> register_parsing();

}  // namespace quire::bench
