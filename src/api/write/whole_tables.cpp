#include "api/write/whole_tables.hpp"

#include <algorithm>

namespace quire {

void require_row_places(const RowPlacer* placer, const StepDescription& step, std::size_t table) {
  if (placer != nullptr) return placer->require_row_places(step, table);
  throw Error(ErrorKind::unsupported, "rows cannot be chosen here: files of this kind have no places for single rows")
      .on(step.tables[table].name)
      .advise("write the rows of each rank after those of the lower ranks");
}

std::vector<std::uint8_t> choices_of(const StepPart& part) {
  std::vector<std::uint8_t> choices;
  for (std::size_t t = 0; t < part.tables.size(); ++t) choices.push_back(part.rows_chosen_of(t) != nullptr ? 1 : 0);
  return choices;
}

std::optional<Error> choice_conflict(const StepDescription& step, const std::vector<std::uint8_t>& mine,
                                     const std::vector<std::uint8_t>& root) {
  for (std::size_t t = 0; t < std::min(mine.size(), root.size()); ++t) {
    if (mine[t] == root[t]) continue;
    const auto* text =
        mine[t] != 0 ? "its rows are chosen here, but not on rank 0" : "its rows are chosen on rank 0, but not here";
    return Error(ErrorKind::conflict, text)
        .on(step.tables[t].name)
        .advise("every rank calls rows_at() for a table, also without rows, or none does");
  }
  return std::nullopt;
}

void add_whole_tables(StepPart& part, std::span<const WholeTable> tables) {
  for (const WholeTable& whole : tables) part.description.tables[whole.table].rows = whole.rows;
}

void add_whole_tables(const WritePlanner& planner, StepPart& part, std::span<const WholeTable> tables, Measure& total) {
  const Measure without = planner.measure(part, false);
  add_whole_tables(part, tables);
  const Measure with = planner.measure(part, false);
  for (std::size_t slot = 0; slot < with.size(); ++slot) total[slot] += with[slot] - without[slot];
}

}  // namespace quire
