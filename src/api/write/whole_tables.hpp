#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "quire/format/format.hpp"

namespace quire {

/// A table of which the ranks have chosen rows, as all of them together know it. Every rank places it as a whole, and
/// finds its rows there.
struct WholeTable {
  std::size_t table = 0;
  std::uint64_t rows = 0;
  bool leaves_gaps = false;  ///< there are rows that nobody has chosen
};

/// Pure. Tells a part how large the tables are.
void tell_whole_tables(StepPart& part, std::span<const WholeTable> tables);

/// Pure. The same, and adds the tables once to what all ranks have measured without their rows.
void add_whole_tables(const WritePlanner& planner, StepPart& part, std::span<const WholeTable> tables, Measure& total);

}  // namespace quire
