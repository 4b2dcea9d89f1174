#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/nektar/acceptance.hpp"

namespace quire::nektar {

/// The hash of strings in 64-bit libstdc++ (a variant of Murmur with its own seed), on any machine.
[[nodiscard]] std::uint64_t string_hash(std::string_view text);

/// The contents of the HDF5 group of a kind of blocks.
struct TypeGroup {
  std::vector<std::string> variables;
  std::vector<std::string> basis;
  std::string shape;
  std::vector<double> lengths;
  std::string order;  ///< of modes: NUMMODESPERDIR
  std::uint64_t hash = 0;

  [[nodiscard]] bool is_same_kind(const TypeGroup& other) const;
};

/// The groups of the blocks of a step, one for each kind, with the text and the hash of the specification
/// (specs/nektar-fld.md section 5.4). If different kinds have the same hash, the later ones get another. `of_block`
/// receives the index of the group of each block.
[[nodiscard]] std::vector<TypeGroup> type_groups(const StepDescription& step, const std::vector<BlockPair>& blocks,
                                                 std::vector<std::size_t>& of_block);

}  // namespace quire::nektar
