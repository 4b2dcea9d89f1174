#pragma once

#include <cstdint>
#include <vector>

#include "format/sion/rules.hpp"
#include "quire/format/streams.hpp"

namespace quire::sion {

/// For each physical file of a set its tasks, by their requests, in the order of their places.
using Distribution = std::vector<std::vector<std::uint64_t>>;

/// Pure. Which task goes where: specs/sion.md sections 3.4 and 3.5. `files` is how many physical files there are where
/// the streams do not say where they belong. Throws usage and unsupported errors for requests that no set of files can
/// hold.
[[nodiscard]] Distribution distribute(const std::vector<StreamRequest>& requests, const WriteRules& rules,
                                      std::uint64_t files);

}  // namespace quire::sion
