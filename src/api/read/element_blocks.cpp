#include "api/read/element_blocks.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "quire/base/checked.hpp"

namespace quire {
namespace {

bool has_opaque(const Place& place) {
  return std::ranges::any_of(place.runs, [](const Run& run) { return run.opaque; });
}

}  // namespace

ElementBlocks::ElementBlocks(const ReadStep::State& step, const std::vector<std::string>& variables) : step_(step) {
  const StepDescription& description = step.layout.description;
  std::set<std::string> absent(variables.begin(), variables.end());
  std::vector<std::string> known;
  for (std::size_t t = 0; t < description.tables.size(); ++t) {
    const Table& values = description.tables[t];
    if (!values.expansion) continue;
    FileBlock block;
    block.values = t;
    block.elements = description.find_table(values.expansion->elements);
    block.is_opaque = has_opaque(step.layout.tables[t]) || has_opaque(step.layout.tables[block.elements]);
    if (!values.expansion->is_mixed()) {
      block.uniform_count = element_coefficients(*values.expansion, values.expansion->modes);
    }
    for (std::size_t c = 0; c < values.columns.size(); ++c) {
      const std::string& name = values.columns[c].name;
      absent.erase(name);
      known.push_back(name);
      if (variables.empty() || std::ranges::find(variables, name) != variables.end()) block.columns.push_back(c);
    }
    add(block);
  }
  if (absent.empty()) return;
  throw Error(ErrorKind::missing,
              "no block has the variable \"" + *absent.begin() + "\"" + nearest_names(*absent.begin(), known));
}

void ElementBlocks::add(const FileBlock& of_table) {
  const std::uint64_t rows = step_.layout.description.tables[of_table.elements].rows;
  const auto& elements = step_.layout.tables[of_table.elements].runs;
  const auto& values = step_.layout.tables[of_table.values].runs;
  const std::size_t pieces = of_table.is_opaque && !elements.empty() ? elements.front().pieces.size() : 0;
  for (std::size_t i = 0; i < std::max<std::size_t>(pieces, 1); ++i) {
    FileBlock block = of_table;
    block.first = elements_;
    block.count = rows;
    if (pieces > 0) {
      block.row = elements.front().pieces[i].first;
      block.coefficient = values.front().pieces.at(i).first;
      block.count = (i + 1 < pieces ? elements.front().pieces[i + 1].first : rows) - block.row;
    }
    elements_ = checked_add(elements_, block.count);
    blocks_.push_back(std::move(block));
  }
}

const Expansion& ElementBlocks::expansion(std::size_t block) const {
  return *step_.layout.description.tables[blocks_[block].values].expansion;
}

std::size_t ElementBlocks::directions(std::size_t block) const { return expansion(block).basis.size(); }

ElementBlock ElementBlocks::empty(std::size_t block) const {
  const Table& table = step_.layout.description.tables[blocks_[block].values];
  ElementBlock out;
  out.expansion = *table.expansion;
  out.table = table.name;
  for (const std::size_t column : blocks_[block].columns) out.variables.push_back(table.columns[column].name);
  out.offsets.push_back(0);
  out.values.resize(out.variables.size());
  return out;
}

void ElementBlocks::read_column(std::size_t table, std::size_t column, const Slice& rows, const View& out) const {
  Reader::State& reader = *step_.reader;
  const Table& source = step_.layout.description.tables[table];
  const std::string& name = source.columns[column].name;
  const Place& place = step_.layout.tables[table];
  const auto holds = [&](const Run& run) {
    return run.opaque && std::ranges::find(run.cells, column, &Cell::column) != run.cells.end();
  };
  if (std::ranges::any_of(place.runs, holds)) {
    reader.own_describer(step_.index, step_.layout).read_opaque(step_.index, source.name + "/" + name, 0, rows, out);
    return;
  }
  ReadPlan plan;
  const ColumnTarget target{column, out, name};
  add_rows(plan, place, rows, std::span(&target, 1), reader.options.lossy);
  coalesce(plan);
  reader.transport->run_alone(plan);
}

void ElementBlocks::read_elements(std::size_t block, const Slice& part, ElementBlock& out) const {
  if (part.count == 0) return;
  const FileBlock& file = blocks_[block];
  const Slice rows{file.row + part.first, part.count};
  const auto count = static_cast<std::size_t>(rows.count);
  const std::size_t before = out.ids.size();
  out.ids.resize(before + count);
  read_column(file.elements, 0, rows, View(std::span(out.ids).subspan(before)));
  if (!expansion(block).is_mixed()) {
    for (std::size_t i = 0; i < count; ++i) out.offsets.push_back(out.offsets.back() + file.uniform_count);
    return;
  }
  const std::size_t width = directions(block);
  out.modes.resize((before + count) * width);
  for (std::size_t d = 0; d < width; ++d) {
    auto* first = reinterpret_cast<std::byte*>(out.modes.data() + before * width + d);
    const View view(Type::uint64, first, rows.count, static_cast<std::ptrdiff_t>(width * sizeof(std::uint64_t)));
    read_column(file.elements, d + 1, rows, view);
  }
  for (std::size_t i = before; i < before + count; ++i) {
    const auto modes = std::span<const std::uint64_t>(out.modes).subspan(i * width, width);
    out.offsets.push_back(checked_add(out.offsets.back(), element_coefficients(expansion(block), modes)));
  }
}

void ElementBlocks::plan_values(std::size_t block, std::vector<Slice> parts, ElementBlock& out, ReadPlan& plan) const {
  const FileBlock& file = blocks_[block];
  const SelectionWalk walk(std::make_shared<const std::vector<Slice>>(std::move(parts)));
  std::vector<ColumnTarget> targets;
  for (std::size_t v = 0; v < file.columns.size(); ++v) {
    out.values[v].resize(static_cast<std::size_t>(walk.elements()));
    targets.push_back({file.columns[v], View(out.values[v]), out.variables[v]});
  }
  if (targets.empty() || walk.elements() == 0) return;
  // Nothing but what is wanted is read: the ranks together read every byte once.
  const SieveLimits exact{.free_gap = 0, .largest_gap = 0};
  add_selection(plan, step_.layout.tables[file.values], walk, targets, {}, step_.reader->options.lossy, exact);
}

void ElementBlocks::read_opaque(std::size_t block, std::size_t variable, const Slice& rows,
                                std::span<double> out) const {
  const FileBlock& file = blocks_[block];
  read_column(file.values, file.columns[variable], {file.coefficient + rows.first, rows.count}, View(out));
}

}  // namespace quire
