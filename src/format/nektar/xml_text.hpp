#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/nektar/acceptance.hpp"

namespace quire::nektar {

/// What a rank brings of the tables of a step, collected: blocks in XML are compressed as a whole.
struct CollectedValues {
  std::vector<std::vector<std::vector<double>>> reals;           ///< of each table of coefficients, each column
  std::vector<std::vector<std::vector<std::uint32_t>>> numbers;  ///< of each table of elements, each column

  /// Adds the rows of views.
  void add(const StepDescription& step, const std::vector<std::vector<ConstView>>& tables, bool lossy);
};

/// Elements of a block that stand in the file as a block of their own: so many, with so many coefficients of a
/// variable.
struct Cut {
  std::size_t first = 0;
  std::size_t count = 0;
  std::uint64_t offset = 0;
  std::uint64_t coefficients = 0;
};
/// Pure. Cuts a block whose elements have so many coefficients each of `variables` variables, so that no part takes
/// more than `largest` bytes unless it is a single element. Throws unsupported errors for elements of 4 GiB and more,
/// which no reader of such files could hold: the reference counts bytes in 32 bits.
[[nodiscard]] std::vector<Cut> cuts_of(std::span<const std::uint64_t> counts, std::size_t variables,
                                       std::uint64_t largest);

/// The first line and the opening of the root, with the metadata.
[[nodiscard]] std::string opening_text(const StepDescription& step);
[[nodiscard]] std::string closing_text();

/// The ELEMENTS elements of a rank's blocks, in the order of the specification (specs/nektar-fld.md section 3). Blocks
/// of more than `largest` bytes become several. Throws usage errors for blocks that contradict themselves.
[[nodiscard]] std::string blocks_text(const StepDescription& step, const CollectedValues& values,
                                      std::uint64_t largest);

/// The ids of all blocks of a rank as a list of ranges, for the index of a directory.
[[nodiscard]] std::string ids_text(const StepDescription& step, const CollectedValues& values);

}  // namespace quire::nektar
