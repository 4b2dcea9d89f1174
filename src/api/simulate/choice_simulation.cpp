#include "api/simulate/choice_simulation.hpp"

#include <algorithm>

namespace quire {
namespace {

/// One after the last row of a walk.
std::uint64_t end_of(SelectionWalk walk) {
  std::uint64_t end = 0;
  while (const auto line = walk.next()) end = line->first + (line->count - 1) * line->step + 1;
  return end;
}

}  // namespace

StepDescription ChoiceSimulation::without_chosen(const StepPart& part) {
  StepDescription description = part.description;
  for (std::size_t t = 0; t < part.chosen.size(); ++t) {
    if (part.chosen[t]) description.tables[t].rows = 0;
  }
  return description;
}

void ChoiceSimulation::check(const StepPart& part) const {
  for (std::size_t t = 0; t < part.chosen.size(); ++t) {
    if (part.chosen[t]) require_row_places(planner_.capabilities().row_places, part.description, t);
  }
}

void ChoiceSimulation::add(int rank, const StepPart& part) {
  const std::vector<std::uint8_t> choices = choices_of(part);
  if (rank == 0) of_root_ = choices;
  if (auto error = choice_conflict(part.description, choices, of_root_)) throw error->from_rank(rank);
  for (std::size_t t = 0; t < part.chosen.size(); ++t) {
    const SelectionWalk* chosen = part.rows_chosen_of(t);
    if (chosen == nullptr) continue;
    auto known = std::ranges::find(tables_, t, &WholeTable::table);
    if (known == tables_.end()) {
      known = tables_.insert(known, {t, 0});
    }
    known->rows = std::max(known->rows, end_of(*chosen));
  }
}

void ChoiceSimulation::finish(StepPart& root, Measure& total) const {
  if (!tables_.empty()) add_whole_tables(planner_, root, tables_, total);
}

}  // namespace quire
