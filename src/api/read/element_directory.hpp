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
  std::uint64_t block = 0;           ///< which block of the file
  std::uint64_t row = 0;             ///< which of its elements
  std::uint64_t offset = 0;          ///< of its first coefficient, in the block
  std::uint64_t count = 0;           ///< of its coefficients
  std::vector<std::uint64_t> modes;  ///< if those of the block are mixed
  std::optional<KnownPiece> piece;   ///< that has its coefficients, where not every rank knows all of them
  int source = 0;                    ///< the rank that has told of it
};

/// Collective. The entries of the elements that each rank wants, in file order, of entries that the ranks have among
/// them: all meet at the rank that an id belongs to, id mod ranks, so that no rank needs a table of all. Ids of which
/// no rank has an entry come back in `missing`, rising. Two collectives.
[[nodiscard]] std::vector<ElementEntry> find_elements(Comm& comm, std::span<const ElementEntry> known,
                                                      std::span<const std::uint32_t> wanted,
                                                      std::vector<std::uint32_t>& missing);

}  // namespace quire
