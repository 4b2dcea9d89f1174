#pragma once

#include <cstdint>
#include <vector>

#include "format/sion/rules.hpp"
#include "quire/spi/format/streams.hpp"

namespace quire::sion {

/// The tasks of each physical file of a set, by their requests, in the order of their places.
using Distribution = std::vector<std::vector<std::uint64_t>>;

/// Pure. Distributes the tasks over physical files: specs/sion.md sections 3.4 and 3.5. `files` is the number of
/// physical files if the requests do not name files. Throws usage and unsupported errors for requests that no set of
/// files can store.
[[nodiscard]] Distribution distribute(const std::vector<StreamRequest>& requests, const WriteRules& rules,
                                      std::uint64_t files);

}  // namespace quire::sion
