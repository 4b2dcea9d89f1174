#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "api/read/piece_lists.hpp"
#include "quire/comm/comm.hpp"

namespace quire {

/// Where one element of a file is.
struct ElementEntry {
  std::uint32_t id = 0;
  std::uint64_t block = 0;           ///< index of the block in the file
  std::uint64_t row = 0;             ///< index of the element in the block
  std::uint64_t offset = 0;          ///< of its first coefficient, in the block
  std::uint64_t count = 0;           ///< of its coefficients
  std::vector<std::uint64_t> modes;  ///< if those of the block are mixed
  std::optional<KnownPiece> piece;   ///< that has its coefficients, if not every rank knows all pieces
  int source = 0;                    ///< the rank that sent the entry
};

/// Collective. The entries of the elements that each rank wants, in file order, from the entries known to any rank. All
/// entries of an id are sent to the rank id mod ranks, so that no rank needs a table of all. Ids without an entry on
/// any rank are returned in `missing`, rising. Two collectives.
[[nodiscard]] std::vector<ElementEntry> find_elements(Comm& comm, std::span<const ElementEntry> known,
                                                      std::span<const std::uint32_t> wanted,
                                                      std::vector<std::uint32_t>& missing);

}  // namespace quire
