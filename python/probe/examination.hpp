#pragma once

#include <string>

#include "method.hpp"
#include "pattern.hpp"

namespace quire::probe {

/// What came of a pattern.
struct Outcome {
  std::string word;    ///< "right", "wrong" (other bytes than written) or "error"
  std::string detail;  ///< of what is not right
};

/// Collective. Writes a pattern by a method, looks at every byte of the file with plain calls, and reads it by the
/// method on other ranks than wrote it. The file is left.
[[nodiscard]] Outcome examine(Comm& comm, Method& method, const Pattern& pattern, const Sizes& sizes,
                              const std::string& path);

}  // namespace quire::probe
