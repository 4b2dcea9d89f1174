#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "quire/base/error.hpp"
#include "quire/spi/format/planner_capabilities.hpp"

namespace quire {

/// A table with chosen rows, with the size agreed on by all ranks. Every rank places it as a whole, and finds its rows
/// in it.
struct WholeTable {
  std::size_t table = 0;
  std::uint64_t rows = 0;
};

/// Pure. Throws unsupported errors, with advice, unless rows of a table of an accepted step can be chosen: if the
/// format has no places for rows (null), or for those of this table.
void require_row_places(const RowPlacer* placer, const StepDescription& step, std::size_t table);

/// Pure. For each table whether its rows are chosen.
[[nodiscard]] std::vector<std::uint8_t> choices_of(const StepPart& part);

/// Pure. Ranks must choose rows of the same tables: the difference of this one from rank 0, as an error. The tables are
/// the same except for their rows.
[[nodiscard]] std::optional<Error> choice_conflict(const StepDescription& step, const std::vector<std::uint8_t>& mine,
                                                   const std::vector<std::uint8_t>& root);

/// Pure. Adds the sizes of the tables to a part.
void add_whole_tables(StepPart& part, std::span<const WholeTable> tables);

/// Pure. The same, and adds the tables once to the total measured without their rows.
void add_whole_tables(const WritePlanner& planner, StepPart& part, std::span<const WholeTable> tables, Measure& total);

}  // namespace quire
