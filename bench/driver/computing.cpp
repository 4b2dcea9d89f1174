#include "driver/computing.hpp"

namespace quire::bench {
namespace {

/// Operations on each value while it is in a register: about as many as tracking takes for a coordinate.
constexpr int turns = 8;

}  // namespace

Computing::Computing(std::uint64_t passes, std::uint64_t bytes)
    : passes_(passes), values_(passes == 0 ? 0 : bytes / sizeof(double), 0.3) {}

void Computing::run() {
  for (std::uint64_t pass = 0; pass < passes_; ++pass) {
    for (double& value : values_) {
      double x = value;
      for (int turn = 0; turn < turns; ++turn) x = 3.7 * x * (1 - x);  // stays between 0 and 1
      value = x;
    }
  }
}

}  // namespace quire::bench
