#include "api/write/whole_tables.hpp"

namespace quire {

void tell_whole_tables(StepPart& part, std::span<const WholeTable> tables) {
  for (const WholeTable& whole : tables) {
    part.description.tables[whole.table].rows = whole.rows;
    part.chosen[whole.table]->leaves_gaps = whole.leaves_gaps;
  }
}

void add_whole_tables(const WritePlanner& planner, StepPart& part, std::span<const WholeTable> tables, Measure& total) {
  const Measure without = planner.measure(part, false);
  tell_whole_tables(part, tables);
  const Measure with = planner.measure(part, false);
  for (std::size_t slot = 0; slot < with.size(); ++slot) total[slot] += with[slot] - without[slot];
}

}  // namespace quire
