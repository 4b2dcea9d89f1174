#pragma once

#include <cstdint>
#include <memory>

#include "quire/comm/comm.hpp"

namespace quire::bench {

/// What a rank's part of the library has asked of the other ranks.
struct CommCounts {
  std::uint64_t collectives = 0;
  std::uint64_t messages = 0;  ///< sent to single ranks
  std::uint64_t message_bytes = 0;
};

/// Independent. The same ranks, with every call counted, also those of communicators that are split off. `counts` must
/// outlive what is returned.
[[nodiscard]] Comm counting(const Comm& comm, CommCounts& counts);

}  // namespace quire::bench
