#include "format/sdds/table_plan.hpp"

#include <algorithm>
#include <utility>

#include "format/records.hpp"
#include "format/sdds/record_walk.hpp"
#include "format/sdds/title.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::sdds {
namespace {

[[nodiscard]] Run run_at(std::uint64_t offset, std::uint64_t rows, ByteOrder order, std::vector<Cell> cells,
                         std::uint64_t string_bytes) {
  Run run;
  run.offset = offset;
  run.records = rows;
  run.order = order;
  std::uint64_t record = 0;
  bool is_fixed = true;
  for (const Cell& cell : cells) {
    record += fixed_bytes(cell.type);
    is_fixed = is_fixed && cell.type != Type::string;
  }
  run.record_bytes = is_fixed ? record : 0;
  run.bytes = checked_add(checked_multiply(rows, record), string_bytes);
  run.cells = std::move(cells);
  return run;
}

}  // namespace

std::vector<Cell> cells_of(const Header& header, const StepPart& mine) {
  std::vector<Cell> cells;
  if (mine.description.tables.empty()) return cells;
  const Table& table = mine.description.tables.front();
  for (std::size_t i = 0; i < header.columns.size(); ++i) {
    const ColumnDefinition& column = header.columns[i];
    // Usually the order is the same. A search for each of many columns would be slow.
    const bool in_place = i < table.columns.size() && table.columns[i].name == column.name;
    cells.push_back({in_place ? i : table.find(column.name), column.type});
  }
  return cells;
}

Measure table_string_slots(const Header& header, const StepPart& mine) {
  Measure slots;
  for (const Cell& cell : cells_of(header, mine)) {
    if (cell.type != Type::string) continue;
    const std::uint64_t bytes = mine.string_bytes.at(0).at(static_cast<std::size_t>(cell.column));
    if (slots.empty() || header.data.column_major) {
      slots.push_back(bytes);
    } else {
      slots.front() = checked_add(slots.front(), bytes);
    }
  }
  return slots;
}

TablePlan plan_table(const Header& header, const StepPart& mine, const TableSlots& slots, std::uint64_t position) {
  TablePlan plan;
  plan.end = position;
  std::vector<Cell> cells = cells_of(header, mine);
  if (cells.empty()) return plan;
  const std::uint64_t rows = mine.description.tables.front().rows;
  const Measure own = table_string_slots(header, mine);

  // Row-major: one block of records; column-major: one for each column.
  std::vector<std::vector<Cell>> blocks;
  if (header.data.column_major) {
    for (const Cell& cell : cells) blocks.push_back({cell});
  } else {
    blocks.push_back(std::move(cells));
  }
  std::size_t slot = 0;
  for (std::vector<Cell>& block : blocks) {
    std::uint64_t record = 0;
    for (const Cell& cell : block) record += fixed_bytes(cell.type);
    const bool has_strings =
        std::any_of(block.begin(), block.end(), [](const Cell& cell) { return cell.type == Type::string; });
    const auto of = [&](std::span<const std::uint64_t> values) { return has_strings ? values[slot] : 0; };
    const std::uint64_t before = checked_add(checked_multiply(slots.rows_before, record), of(slots.strings_before));
    const std::uint64_t bytes = checked_add(checked_multiply(slots.rows, record), of(slots.strings));
    plan.runs.push_back(run_at(checked_add(plan.end, before), rows, header.order(), std::move(block), of(own)));
    plan.end = checked_add(plan.end, bytes);
    if (has_strings) ++slot;
  }
  return plan;
}

std::vector<Run> field_runs(const Field& field, std::uint64_t component, const FieldPart& part, std::uint64_t begin,
                            ByteOrder order) {
  if (part.selection.is_empty()) return {};
  const std::uint64_t elements = volume(field.extents);
  std::uint64_t string_bytes = 0;
  if (field.type == Type::string) {
    if (part.selection.elements() != elements) {
      throw Error(ErrorKind::unsupported, "strings of a field can only be written whole, by one rank").on(field.name);
    }
    const ConstView& strings = part.views.at(static_cast<std::size_t>(component));
    string_bytes = bytes_of_strings(strings) - strings.count * length_bytes;
  }
  return {run_at(begin, elements, order, {{component, field.type}}, string_bytes)};
}

}  // namespace quire::sdds
