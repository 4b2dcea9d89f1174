#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quire/model/description.hpp"
#include "quire/model/value.hpp"

namespace quire {

class WriteStep;

/// How elements that no rank requests by id are divided among the ranks.
enum class ElementPartition : std::uint8_t {
  contiguous,  ///< in file order, equal numbers, or in proportion to `weights`
  everything,  ///< all elements on every rank
};

/// Which elements of a step a rank wants, and which variables.
struct ElementRequest {
  /// By id, in any order; each rank its own list, possibly empty. No value: by `partition`, the same on every rank.
  std::optional<std::vector<std::uint32_t>> ids;
  ElementPartition partition = ElementPartition::contiguous;
  std::vector<double> weights;         ///< of the ranks' shares, the same on every rank; empty: equal shares
  std::vector<std::string> variables;  ///< the same on every rank; empty: all
};

/// Elements of one block of a file, in file order.
struct ElementBlock {
  Expansion expansion;
  std::string table;                   ///< of their coefficients
  std::vector<std::string> variables;  ///< the requested ones that the block has
  std::vector<std::uint32_t> ids;
  std::vector<std::uint64_t> modes;         ///< of mixed expansions: those of each element, one after another
  std::vector<std::uint64_t> offsets;       ///< the coefficients of element i are [offsets[i], offsets[i + 1])
  std::vector<std::vector<double>> values;  ///< of each variable
};

/// The elements that a rank reads.
struct Elements {
  std::vector<ElementBlock> blocks;  ///< in file order; those with elements of this rank
  std::vector<std::uint32_t> missing;
  /// Ids that occur twice in the file with the same planes and strips. Both elements are among the blocks.
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

/// What the ranks have agreed on for the elements of one checkpoint, kept for the next ones of a series: the kinds of
/// expansions on all ranks (not the elements). Every rank of one communicator has its own and uses it for the same
/// files. A cheap handle: copies share the content.
class ElementLayout {
 public:
  ElementLayout();

  /// Independent. The numbers of checkpoints whose layout was exchanged, and of those that found it unchanged.
  [[nodiscard]] std::uint64_t distributions() const noexcept;
  [[nodiscard]] std::uint64_t reused() const noexcept;

  struct State;
  [[nodiscard]] const std::shared_ptr<State>& state() const noexcept { return state_; }

 private:
  std::shared_ptr<State> state_;
};

/// Independent, but every rank calls it, also one without elements: the ranks communicate in commit(). Puts this rank's
/// elements into a step that is being written; those of other ranks may be of other kinds. commit() compares hashes of
/// the kinds of all ranks in its first allreduce. Only if they differ, and are not those of an earlier checkpoint in
/// `layout`, rank 0 gathers, joins and broadcasts them. The arrays must stay valid until then. Invalid parts, and
/// elements that occur twice in a part, are usage errors of commit(), on every rank. An element that two ranks put is
/// stored twice.
void put_elements(WriteStep& step, std::span<const ElementPart> mine, const ElementLayout& layout = {});

}  // namespace quire
