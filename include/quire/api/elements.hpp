#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quire/comm/comm.hpp"
#include "quire/model/expansion.hpp"
#include "quire/model/view.hpp"

namespace quire {

class WriteStep;

/// How elements that nobody asks for by their ids are shared out among the ranks.
enum class ElementPartition : std::uint8_t {
  contiguous,  ///< in file order, equal numbers, or in proportion to `weights`
  everything,  ///< all elements on every rank
};

/// Which elements of a step a rank wants, and which variables.
struct ElementRequest {
  /// By id, in any order; each rank its own, or none. Nothing: by `partition`, the same on every rank.
  std::optional<std::vector<std::uint32_t>> ids;
  ElementPartition partition = ElementPartition::contiguous;
  std::vector<double> weights;         ///< of the ranks' shares, the same on every rank; empty: equal ones
  std::vector<std::string> variables;  ///< the same on every rank; empty: all
};

/// Elements of one block of a file, in file order.
struct ElementBlock {
  Expansion expansion;
  std::string table;                   ///< of their coefficients
  std::vector<std::string> variables;  ///< of those wanted, the ones that the block has
  std::vector<std::uint32_t> ids;
  std::vector<std::uint64_t> modes;         ///< of mixed expansions: those of each element, one behind the other
  std::vector<std::uint64_t> offsets;       ///< the coefficients of element i are [offsets[i], offsets[i + 1])
  std::vector<std::vector<double>> values;  ///< of each variable
};

/// What a rank gets.
struct Elements {
  std::vector<ElementBlock> blocks;  ///< in file order; those of which this rank has elements
  std::vector<std::uint32_t> missing;
  /// Ids that the file has twice with the same planes and strips: both are among the blocks.
  std::vector<std::uint32_t> repeated;
};

/// Elements of one shape, order and set of planes that a rank has.
struct ElementPart {
  Expansion expansion;  ///< `elements` and `origin` do not matter
  ConstView ids;        ///< uint32
  /// Of mixed expansions, for each direction the modes of every element: uint32.
  std::vector<ConstView> modes;
  std::vector<std::string> variables;
  std::vector<ConstView> values;  ///< of each variable, element after element: float64
};

/// Collective. Puts each rank's elements into a step that is being written; ranks may have none, or others than the
/// rest. The ranks agree on all expansions there are, by one reduction if everybody has the same ones, and put tables
/// for all of them. The arrays must live until commit(). Throws usage errors for parts that contradict themselves, on
/// every rank.
void put_elements(WriteStep& step, Comm& comm, std::span<const ElementPart> mine);

}  // namespace quire
