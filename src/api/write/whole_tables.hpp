#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/format/format.hpp"

namespace quire {

/// A table of which the ranks have chosen rows, as all of them together know it. Every rank places it as a whole, and
/// finds its rows there.
struct WholeTable {
  std::size_t table = 0;
  std::uint64_t rows = 0;
  bool leaves_gaps = false;  ///< there are rows that nobody has chosen
};

/// Pure. For each table whether its rows are chosen.
[[nodiscard]] std::vector<std::uint8_t> choices_of(const StepPart& part);

/// Pure. Ranks choose rows of the same tables: how this one differs from rank 0, in words. The tables are the same but
/// for their rows.
[[nodiscard]] std::optional<Error> choice_conflict(const StepDescription& step, const std::vector<std::uint8_t>& mine,
                                                   const std::vector<std::uint8_t>& root);

/// Pure. Tells a part how large the tables are.
void add_whole_tables(StepPart& part, std::span<const WholeTable> tables);

/// Pure. The same, and adds the tables once to what all ranks have measured without their rows.
void add_whole_tables(const WritePlanner& planner, StepPart& part, std::span<const WholeTable> tables, Measure& total);

}  // namespace quire
