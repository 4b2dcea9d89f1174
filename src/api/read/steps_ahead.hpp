#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "quire/spi/format/describer.hpp"

namespace quire {

/// Steps that rank 0 has described in advance. A program that reads one step after another needs the next ones soon,
/// and the library that describes them is slow each time it returns from the values of a step. All ranks hold the same
/// steps, so that ranks that read together need no collective for them.
class StepsAhead {
 public:
  /// Removes and returns step `index`, if it is among them.
  [[nodiscard]] std::optional<StepLayout> take(std::uint64_t index);
  /// True if step `index` follows the one that was taken last, or is the first one.
  [[nodiscard]] bool follows(std::uint64_t index) const noexcept { return index == expected_; }
  /// Stores the result of describe_ahead() for step `index` instead of all older steps, and returns the first.
  [[nodiscard]] std::optional<StepLayout> keep(std::uint64_t index, std::vector<StepLayout> layouts);

 private:
  std::uint64_t expected_ = 0;  ///< the next step, and the first one here
  std::deque<StepLayout> layouts_;
};

/// Step `index` and, if the format describes steps quickly and `ahead` is true, some small ones after it. Empty after
/// the last step. Errors of a later step are thrown when it is requested.
[[nodiscard]] std::vector<StepLayout> describe_ahead(Describer& describer, std::uint64_t index, bool ahead);

}  // namespace quire
