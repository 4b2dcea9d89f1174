#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/nektar/acceptance.hpp"

namespace quire::nektar {

/// The hash of strings in 64-bit libstdc++ (a variant of Murmur with a seed of its own), on any machine.
[[nodiscard]] std::uint64_t string_hash(std::string_view text);

/// The kind of a block as its group in HDF5 holds it.
struct TypeGroup {
  std::vector<std::string> variables;
  std::vector<std::string> basis;
  std::string shape;
  std::vector<double> lengths;
  std::string order;  ///< of modes: NUMMODESPERDIR
  std::uint64_t hash = 0;

  [[nodiscard]] bool is_same_kind(const TypeGroup& other) const;
};

/// The groups of the blocks of a step, each kind once, by the text and the hash of the specification
/// (specs/nektar-fld.md section 5.4); of different kinds with one hash the later ones get another. `of_block` tells
/// which is a block's.
[[nodiscard]] std::vector<TypeGroup> type_groups(const StepDescription& step, const std::vector<BlockPair>& blocks,
                                                 std::vector<std::size_t>& of_block);

}  // namespace quire::nektar
