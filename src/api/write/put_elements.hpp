#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/write/proposal.hpp"
#include "api/write/step_builder.hpp"
#include "quire/api/elements.hpp"
#include "quire/api/writer.hpp"

namespace quire {

/// The properties of the tables of a step, as bytes that can be compared, sorted and sent, with the number of such
/// tables needed on a rank. Equal blocks share one table, as long as no rank has two of them.
using ElementKinds = std::map<std::string, std::uint64_t>;
/// Those of a rank, with the parts that it has put.
using PartsOfKinds = std::map<std::string, std::vector<const ElementPart*>>;

struct ElementLayout::State {
  bool agreed = false;  ///< on all ranks, by a commit
  int rank = 0;
  int size = 0;
  ElementKinds mine;                        ///< of this rank,
  std::shared_ptr<const ElementKinds> all;  ///< and of all of them together
  std::uint64_t distributed = 0;
  std::uint64_t reused = 0;
};

/// The elements that a rank has put, until the commit.
struct PendingElements {
  std::vector<ElementPart> parts;
  std::shared_ptr<ElementLayout::State> layout;
  std::optional<StepBuilder> without;  ///< the step before their tables were put, after they are
  PartsOfKinds of_kinds;
  std::shared_ptr<const ElementKinds> used;    ///< the tables are for these
  std::shared_ptr<const ElementKinds> joined;  ///< of all ranks, after these have exchanged them
};

/// Independent, before a step is accepted. Puts the tables of its elements, if it has any: for the kinds of all ranks
/// if they were exchanged, now or for an earlier checkpoint; otherwise for its own. Throws usage errors for invalid
/// parts.
void lay_out_elements(WriteStep::State& step);

/// Collective, before a step is accepted whose values are encoded, so that accepting it twice would be expensive.
void agree_on_elements(WriteStep::State& step);

/// Collective, after the ranks have found that their kinds differ: rank 0 joins them. The step is then accepted again.
void join_elements(WriteStep::State& step);

/// Independent, after the commit: keeps the kinds, which the next checkpoint need not exchange again.
void keep_layout(WriteStep::State& step);

}  // namespace quire
