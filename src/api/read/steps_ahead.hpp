#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "quire/format/format.hpp"

namespace quire {

/// Steps that rank 0 has described before anybody asked for them: whoever reads one step after the other needs the next
/// ones soon, and the library that describes them is slow each time it comes back from the values of a step. All ranks
/// hold the same ones, so that those who read together need not meet for them.
class StepsAhead {
 public:
  /// Takes step `index` out, if it is among them.
  [[nodiscard]] std::optional<StepLayout> take(std::uint64_t index);
  /// True if step `index` follows the one that was taken last, or is the first one.
  [[nodiscard]] bool follows(std::uint64_t index) const noexcept { return index == expected_; }
  /// Takes what describe_ahead() has answered for step `index` in place of all older steps; its first is returned.
  [[nodiscard]] std::optional<StepLayout> keep(std::uint64_t index, std::vector<StepLayout> layouts);

 private:
  std::uint64_t expected_ = 0;  ///< the step that comes next, and the first one here
  std::deque<StepLayout> layouts_;
};

/// Step `index` and, where the format is fast at that and `ahead` is true, some small ones behind it. Nothing beyond
/// the last step. What is wrong with a later step is told when it is asked for.
[[nodiscard]] std::vector<StepLayout> describe_ahead(Describer& describer, std::uint64_t index, bool ahead);

}  // namespace quire
