#pragma once

#include <cstdint>
#include <vector>

namespace quire::bench {

/// What a simulation does before each step: the same arithmetic each time, on memory of its own as large as the step.
class Computing {
 public:
  Computing() = default;
  /// `passes` over `bytes`.
  Computing(std::uint64_t passes, std::uint64_t bytes);
  void run();

 private:
  std::uint64_t passes_ = 0;
  std::vector<double> values_;
};

}  // namespace quire::bench
