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

/// What distinguishes the tables of a step, as bytes that can be compared, sorted and sent: blocks alike go to one
/// table, as long as no rank has two of them. And how often each is needed on some rank.
using ElementKinds = std::map<std::string, std::uint64_t>;
/// Those of a rank, with the parts that it has put.
using PartsOfKinds = std::map<std::string, std::vector<const ElementPart*>>;

struct ElementLayout::State {
  bool agreed = false;  ///< on all ranks, by a commit
  int rank = 0;
  int size = 0;
  ElementKinds mine;                        ///< of this rank,
  std::shared_ptr<const ElementKinds> all;  ///< and of all of them together
  std::uint64_t told = 0;
  std::uint64_t reused = 0;
};

/// The elements that a rank has put, until the commit.
struct PendingElements {
  std::vector<ElementPart> parts;
  std::shared_ptr<ElementLayout::State> layout;
  std::optional<StepBuilder> without;  ///< the step before their tables were put, once they are
  PartsOfKinds of_kinds;
  std::shared_ptr<const ElementKinds> used;    ///< the tables are for these
  std::shared_ptr<const ElementKinds> joined;  ///< of all ranks, if these have told each other
};

/// Independent, before a step is accepted. Puts the tables of its elements, if it has any: for the kinds that all ranks
/// have told, or had told for an earlier checkpoint; or else for its own. Throws usage errors for wrong parts.
void lay_out_elements(WriteStep::State& step);

/// Collective, before a step is accepted that cannot be accepted twice at small cost: its values are encoded for that.
void agree_on_elements(WriteStep::State& step);

/// Collective, once the ranks have found out that their kinds differ: rank 0 joins them. The step is then accepted
/// anew.
void join_elements(WriteStep::State& step);

/// Independent, after the commit: what the next checkpoint need not tell again.
void keep_layout(WriteStep::State& step);

}  // namespace quire
