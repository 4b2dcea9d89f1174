#include "api/read/element_blocks.hpp"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/system_memory.hpp"
#include "format/records.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/format/describer_capabilities.hpp"

namespace quire {
namespace {

bool has_opaque(const Place& place) {
  return std::ranges::any_of(place.runs, [](const Run& run) { return run.opaque; });
}

}  // namespace

ElementBlocks::ElementBlocks(const ReadStep::State& step, const std::vector<std::string>& variables)
    : step_(step), layout_(&step.layout), serial_(step.serial) {
  const StepDescription& description = step.layout.description;
  const std::set<std::string> wanted(variables.begin(), variables.end());
  std::set<std::string> absent = wanted;
  std::vector<std::string> known;
  for (const KindTables& kind : kinds_of(description)) {
    const Table& values = description.tables[kind.values];
    FileBlock block;
    block.values = kind.values;
    block.elements = kind.elements;
    block.first = kind.first;
    block.count = kind.count;
    block.is_opaque = has_opaque(step.layout.tables[kind.values]) || has_opaque(step.layout.tables[kind.elements]);
    if (!values.expansion->is_mixed()) {
      block.uniform_count = element_coefficients(*values.expansion, values.expansion->modes);
    }
    for (std::size_t c = 0; c < values.columns.size(); ++c) {
      const std::string& name = values.columns[c].name;
      absent.erase(name);
      known.push_back(name);
      if (wanted.empty() || wanted.contains(name)) block.columns.push_back(c);
    }
    elements_ = kind.first + kind.count;
    blocks_.push_back(std::move(block));
  }
  if (absent.empty()) return;
  throw Error(ErrorKind::missing,
              "no block has the variable \"" + *absent.begin() + "\"" + nearest_names(*absent.begin(), known));
}

void ElementBlocks::use(const StepLayout& layout) {
  layout_ = &layout;
  serial_ = step_.reader->next_serial();
}

const Expansion& ElementBlocks::expansion(std::size_t block) const {
  return *layout_->description.tables[blocks_[block].values].expansion;
}

std::size_t ElementBlocks::directions(std::size_t block) const { return expansion(block).basis.size(); }

ElementBlock ElementBlocks::empty(std::size_t block) const {
  const Table& table = layout_->description.tables[blocks_[block].values];
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
  const Table& source = layout_->description.tables[table];
  const std::string& name = source.columns[column].name;
  const Place& place = layout_->tables[table];
  const auto holds = [&](const Run& run) {
    return run.opaque && std::ranges::find(run.cells, column, &Cell::column) != run.cells.end();
  };
  if (std::ranges::any_of(place.runs, holds)) {
    reader.opaque_reader(step_.index, *layout_, serial_)
        .read_opaque(step_.index, source.name + "/" + name, 0, rows, out);
    return;
  }
  ReadPlan plan = reader.new_plan();
  const ColumnTarget target{column, out, name};
  add_rows(plan, place, rows, std::span(&target, 1), reader.options.lossy);
  coalesce(plan);
  reader.transport->run_alone(plan);
}

void ElementBlocks::read_elements(std::size_t block, const Slice& part, ElementBlock& out) const {
  if (part.count == 0) return;
  const FileBlock& file = blocks_[block];
  const auto count = static_cast<std::size_t>(part.count);
  const std::size_t before = out.ids.size();
  out.ids.resize(before + count);
  read_column(file.elements, 0, part, View(std::span(out.ids).subspan(before)));
  if (!expansion(block).is_mixed()) {
    for (std::size_t i = 0; i < count; ++i) out.offsets.push_back(out.offsets.back() + file.uniform_count);
    return;
  }
  const std::size_t width = directions(block);
  out.modes.resize((before + count) * width);
  for (std::size_t d = 0; d < width; ++d) {
    auto* first = reinterpret_cast<std::byte*>(out.modes.data() + before * width + d);
    const View view(Type::uint64, first, part.count, static_cast<std::ptrdiff_t>(width * sizeof(std::uint64_t)));
    read_column(file.elements, d + 1, part, view);
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
    fill_new(out.values[v], static_cast<std::size_t>(walk.elements()));
    targets.push_back({file.columns[v], View(out.values[v]), out.variables[v]});
  }
  if (targets.empty() || walk.elements() == 0) return;
  // Only the requested bytes are read: the ranks together read every byte once.
  const SieveLimits exact{.free_gap = 0, .largest_gap = 0};
  add_selection(plan, layout_->tables[file.values], walk, targets, {}, step_.reader->options.lossy, exact);
}

std::vector<BlockPiece> ElementBlocks::pieces(std::size_t block, const Slice& part) const {
  if (part.count == 0) return {};
  const FileBlock& file = blocks_[block];
  const Run& elements = layout_->tables[file.elements].runs.front();
  const Run& values = layout_->tables[file.values].runs.front();
  if (elements.pieces.empty()) return {{{0, file.count}, 0}};
  std::vector<BlockPiece> found;
  const auto next = std::ranges::upper_bound(elements.pieces, part.first, {}, &Piece::first);
  for (auto i = static_cast<std::size_t>(next - elements.pieces.begin()) - 1;
       i < elements.pieces.size() && elements.pieces[i].first < part.end(); ++i) {
    const std::uint64_t first = elements.pieces[i].first;
    const std::uint64_t end = i + 1 < elements.pieces.size() ? elements.pieces[i + 1].first : file.count;
    found.push_back({{first, end - first}, values.pieces.at(i).first});
  }
  return found;
}

void ElementBlocks::read_opaque(std::size_t block, std::size_t variable, const Slice& rows,
                                std::span<double> out) const {
  const FileBlock& file = blocks_[block];
  read_column(file.values, file.columns[variable], rows, View(out));
}

}  // namespace quire
