#include "api/write/part_plan.hpp"

#include "quire/format/records.hpp"

namespace quire {
namespace {

void add_field(WritePlan& plan, const Field& description, const std::vector<Run>& runs, const FieldPart& field,
               bool lossy) {
  for (const Run& run : runs) {
    const auto component = static_cast<std::size_t>(run.cells.front().column);
    add_selection(plan, run, SelectionWalk(description.extents, field.selection), field.views[component], field.memory,
                  lossy, description.name);
  }
}

std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  names.reserve(table.columns.size());
  for (const Column& column : table.columns) names.push_back(column.name);
  return names;
}

/// For each cell of a run the view of its column.
std::vector<ConstView> views_of(const Run& run, std::span<const ConstView> columns) {
  std::vector<ConstView> views;
  views.reserve(run.cells.size());
  for (const Cell& cell : run.cells) views.push_back(columns[static_cast<std::size_t>(cell.column)]);
  return views;
}

}  // namespace

void add_table(WritePlan& plan, const Table& table, const std::vector<Run>& runs, const Slice& rows,
               std::span<const ConstView> columns, std::vector<std::uint64_t>& positions, bool lossy) {
  const std::vector<std::string> names = names_of(table);
  for (std::size_t r = 0; r < runs.size(); ++r) {
    positions[r] =
        add_rows(plan, runs[r], rows.first, rows.count, views_of(runs[r], columns), positions[r], lossy, names);
  }
}

void add_chosen_rows(WritePlan& plan, const Table& table, const std::vector<Run>& runs, const SelectionWalk& rows,
                     std::span<const ConstView> columns, bool lossy) {
  const std::vector<std::string> names = names_of(table);
  for (const Run& run : runs) add_rows(plan, run, rows, views_of(run, columns), lossy, names);
}

void add_fields(WritePlan& plan, const StepPart& part, const Placement& placement, bool lossy) {
  for (std::size_t f = 0; f < part.fields.size(); ++f) {
    const std::vector<Run>& runs = placement.fields[f];
    if (runs.empty() || !runs.front().opaque) {
      add_field(plan, part.description.fields[f], runs, part.fields[f], lossy);
      continue;
    }
    for (std::size_t c = 0; c < runs.size(); ++c) {
      for (const PackedChunk& chunk : part.chunks.at(f)[c]) {
        if (!chunk.bytes.empty()) plan.add(runs[c].offset + chunk.place, std::span(chunk.bytes));
      }
    }
  }
}

void add_groups(WritePlan& plan, const StepPart& part, const Placement& placement) {
  for (std::size_t t = 0; t < part.groups.size(); ++t) {
    for (std::size_t c = 0; c < part.groups[t].size(); ++c) {
      std::uint64_t offset = placement.tables[t][c].offset;
      for (const PackedGroup& group : part.groups[t][c]) {
        if (!group.bytes.empty()) plan.add(offset, std::span(group.bytes));
        offset += group.length;
      }
    }
  }
}

WritePlan whole_plan(const StepPart& part, const Placement& placement, bool lossy) {
  WritePlan plan = placement.title;
  add_groups(plan, part, placement);
  for (std::size_t t = 0; t < part.tables.size() && part.groups.empty(); ++t) {
    if (const ChosenRows* chosen = part.rows_chosen_of(t)) {
      add_chosen_rows(plan, part.description.tables[t], placement.tables[t], chosen->walk, part.tables[t], lossy);
      continue;
    }
    std::vector<std::uint64_t> positions(placement.tables[t].size(), 0);
    const Table& table = part.description.tables[t];
    add_table(plan, table, placement.tables[t], {0, table.rows}, part.tables[t], positions, lossy);
  }
  add_fields(plan, part, placement, lossy);
  coalesce(plan);
  return plan;
}

}  // namespace quire
