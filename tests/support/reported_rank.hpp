#pragma once

#include <optional>

#include "quire/comm/comm.hpp"

namespace quire::test {

/// The rank in an error on which all ranks agreed: none for a single process.
inline std::optional<int> reported_rank(const Comm& comm, int rank) {
  return comm.size() == 1 ? std::nullopt : std::optional(rank);
}

}  // namespace quire::test
