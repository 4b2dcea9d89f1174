#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/sdds/header.hpp"
#include "quire/spi/format/planner.hpp"

namespace quire::sdds {

/// A cell for each column of the header, with the number of the column in the step.
[[nodiscard]] std::vector<Cell> cells_of(const Header& header, const StepPart& mine);

/// The bytes of this rank's strings in the table, lengths not counted: row-major in one slot, if there are string
/// columns; column-major in one for each of them, in the order of the header.
[[nodiscard]] Measure table_string_slots(const Header& header, const StepPart& mine);

/// The totals of other ranks that this rank needs to place its rows.
struct TableSlots {
  std::uint64_t rows_before = 0;
  std::uint64_t rows = 0;
  std::span<const std::uint64_t> strings_before;
  std::span<const std::uint64_t> strings;
};

struct TablePlan {
  std::vector<Run> runs;  ///< of this rank's rows; their cells have the numbers of columns in the rank's step
  std::uint64_t end = 0;  ///< of the table
};

/// Pure. The places of this rank's rows in a table that begins at `position`.
[[nodiscard]] TablePlan plan_table(const Header& header, const StepPart& mine, const TableSlots& slots,
                                   std::uint64_t position);

/// Pure. The places of this rank's part of one component of a field whose elements begin at `begin`.
[[nodiscard]] std::vector<Run> field_runs(const Field& field, std::uint64_t component, const FieldPart& part,
                                          std::uint64_t begin, ByteOrder order);

}  // namespace quire::sdds
