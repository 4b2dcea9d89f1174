#include "api/write/part_plan.hpp"

#include <utility>

#include "format/records.hpp"

namespace quire {
namespace {

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

/// Chosen rows of a table.
ElementPieces pieces_of_rows(const Table& table, const SelectionWalk& rows) {
  std::uint64_t bytes = 0;
  for (const Column& column : table.columns) bytes += size_of(column.type);
  return {rows, table.columns.size(), bytes};
}

/// Elements of a field.
ElementPieces pieces_of_field(const Field& field, const SelectionWalk& elements) {
  return {elements, field.components, field.components * size_of(field.type)};
}

/// Takes as many pieces from `next` on as fit into one plan; `use` gets the number of each and its share.
template <class Use>
void take_pieces(std::vector<ElementPieces>& all, std::size_t& next, PlanRoom room, Use&& use) {
  for (; next < all.size(); ++next) {
    use(next, all[next].next(room));
    if (!all[next].is_done()) return;
  }
}

void add_chunks(WritePlan& plan, const std::vector<Run>& runs, const std::vector<std::vector<PackedChunk>>& chunks) {
  for (std::size_t c = 0; c < runs.size(); ++c) {
    for (const PackedChunk& chunk : chunks[c]) {
      if (!chunk.bytes.empty()) plan.add(runs[c].offset + chunk.place, std::span(chunk.bytes));
    }
  }
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

void add_weighed_rows(WritePlan& plan, const StepPart& part, const Placement& placement, bool lossy) {
  if (!placement.weighed) return;
  for (std::size_t t = 0; t < part.tables.size(); ++t) placement.weighed->add(plan, t, part.tables[t], lossy);
}

StepPlans::StepPlans(const StepPart& part, const Placement& placement, const RowOrders& orders, bool is_streamed,
                     bool lossy, const PlanRoom& room)
    : first_(placement.title), room_(room), is_begun_(false) {
  add_groups(first_, part, placement);
  if (!is_streamed) add_weighed_rows(first_, part, placement, lossy);
  for (std::size_t t = 0; !is_streamed && t < part.tables.size() && part.groups.empty(); ++t) {
    if (const SelectionWalk* chosen = part.rows_chosen_of(t)) {
      const auto order = t < orders.size() ? orders[t] : nullptr;
      add_chosen_rows(part.description.tables[t], placement.tables[t], *chosen,
                      {.views = part.tables[t], .memory = {}, .order = order}, lossy);
      continue;
    }
    std::vector<std::uint64_t> positions(placement.tables[t].size(), 0);
    const Table& table = part.description.tables[t];
    add_table(first_, table, placement.tables[t], {0, table.rows}, part.tables[t], positions, lossy);
  }
  for (std::size_t f = 0; f < part.fields.size(); ++f) add_field(part, placement, f, lossy);
}

StepPlans::StepPlans(const Table& table, const std::vector<Run>& runs, const SelectionWalk& rows,
                     std::span<const ConstView> columns, bool lossy)
    : is_begun_(false) {
  add_chosen_rows(table, runs, rows, {.views = {columns.begin(), columns.end()}}, lossy);
}

StepPlans::StepPlans(const Field& field, const std::vector<Run>& runs, const SelectionWalk& elements,
                     std::span<const ConstView> components, bool lossy)
    : is_begun_(false) {
  add_elements(field, runs, elements, {.views = {components.begin(), components.end()}}, lossy);
}

/// `values` has all columns.
void StepPlans::add_chosen_rows(const Table& table, const std::vector<Run>& runs, const SelectionWalk& rows,
                                const ElementSource& values, bool lossy) {
  const std::vector<std::string> names = names_of(table);
  pieces_.push_back(pieces_of_rows(table, rows));
  auto& writers = writers_.emplace_back();
  for (const Run& run : runs) {
    const ElementSource source{.views = views_of(run, values.views), .memory = {}, .order = values.order};
    writers.emplace_back(run, source, rows.elements(), lossy, names);
  }
}

void StepPlans::add_field(const StepPart& part, const Placement& placement, std::size_t field, bool lossy) {
  const std::vector<Run>& runs = placement.fields[field];
  if (!runs.empty() && runs.front().opaque) return add_chunks(first_, runs, part.chunks.at(field));
  const FieldPart& mine = part.fields[field];
  if (mine.declared) return;
  const Field& description = part.description.fields[field];
  add_elements(description, runs, SelectionWalk(description.extents, mine.selection),
               {.views = mine.views, .memory = mine.memory}, lossy);
}

/// `values` has all components.
void StepPlans::add_elements(const Field& field, const std::vector<Run>& runs, const SelectionWalk& elements,
                             const ElementSource& values, bool lossy) {
  if (elements.elements() == 0) return;
  const std::vector<std::string> names(values.views.size(), field.name);
  std::vector<ElementWriter> writers;
  for (const Run& run : runs) {
    const ConstView& view = values.views[static_cast<std::size_t>(run.cells.front().column)];
    if (is_addressed(run)) {
      writers.emplace_back(run, ElementSource{.views = {view}, .memory = values.memory}, elements.elements(), lossy,
                           names);
    } else {
      add_selection(first_, run, elements, view, values.memory, lossy, field.name);
    }
  }
  if (writers.empty()) return;
  pieces_.push_back(pieces_of_field(field, elements));
  writers_.push_back(std::move(writers));
}

WritePlan StepPlans::next() {
  is_begun_ = true;
  WritePlan plan = std::exchange(first_, {});
  take_pieces(pieces_, next_, room_, [&](std::size_t i, const std::vector<ElementPiece>& pieces) {
    for (ElementWriter& writer : writers_[i]) writer.add(plan, pieces);
  });
  coalesce(plan);
  return plan;
}

std::uint64_t count_plans(const StepPart& part) {
  std::vector<ElementPieces> all;
  for (std::size_t t = 0; t < part.tables.size(); ++t) {
    const SelectionWalk* chosen = part.rows_chosen_of(t);
    if (chosen != nullptr) all.push_back(pieces_of_rows(part.description.tables[t], *chosen));
  }
  for (std::size_t f = 0; f < part.fields.size(); ++f) {
    const Field& field = part.description.fields[f];
    if (part.fields[f].declared) continue;
    all.push_back(pieces_of_field(field, SelectionWalk(field.extents, part.fields[f].selection)));
  }
  std::uint64_t plans = 0;
  for (std::size_t next = 0; plans == 0 || next < all.size(); ++plans) {
    take_pieces(all, next, {}, [](std::size_t, const std::vector<ElementPiece>&) {});
  }
  return plans;
}

WritePlan whole_plan(const StepPart& part, const Placement& placement, bool lossy) {
  return StepPlans(part, placement, {}, false, lossy, PlanRoom::unlimited()).next();
}

}  // namespace quire
