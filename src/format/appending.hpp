#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "quire/base/error.hpp"

namespace quire {

/// The error of appending after a step that the file does not have; `last` is the number of its last step.
[[nodiscard]] inline Error no_step_to_append_after(std::int64_t after, std::optional<std::int64_t> last) {
  return Error(ErrorKind::missing, "there is no step " + std::to_string(after) + " to append after")
      .advise(last ? "the last step is " + std::to_string(*last) : "the file has no steps");
}

}  // namespace quire
