#pragma once

#include <optional>

#include "quire/comm/comm.hpp"

namespace quire::test {

/// The rank that an error names on which all ranks agreed: a process alone is told none.
inline std::optional<int> reported_rank(const Comm& comm, int rank) {
  return comm.size() == 1 ? std::nullopt : std::optional(rank);
}

}  // namespace quire::test
