#pragma once

#include <vector>

#include "kernels/ratio_table.hpp"

namespace quire::bench {

/// Registers target T2 of specs/performance.md: float64 numbers as text, against a loop over snprintf.
[[nodiscard]] std::vector<Ratio> register_printing();

}  // namespace quire::bench
