#pragma once

#include <cstdint>

#include "quire/comm/comm.hpp"
#include "quire/format/format.hpp"

namespace quire {

/// What a rank tells all others before the bytes of a step move.
struct Announcement {
  bool failed = false;          ///< this rank cannot write its part
  bool closing = false;         ///< this rank is in close(), not in commit()
  bool changed = true;          ///< its measure differs from that of the step before
  bool elements = false;        ///< this rank has put elements, whose kinds the ranks can still agree on
  std::uint64_t structure = 0;  ///< hash of tables, columns and fields, which must be the same everywhere
  Measure measure{};
};

/// What all ranks know afterwards.
struct Consensus {
  std::uint64_t failed = 0;   ///< how many ranks failed,
  std::uint64_t closing = 0;  ///< are closing,
  bool changed = true;        ///< and whether any rank's measure changed
  bool same_structure = true;
  bool elements = false;  ///< all ranks have put elements
  Measure total;
};

/// Collective. One allreduce of fixed size; a second one only if a step has more than 64 slots.
[[nodiscard]] Consensus announce(Comm& comm, const Announcement& mine);

}  // namespace quire
