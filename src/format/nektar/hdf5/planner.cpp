#include "format/nektar/hdf5/planner.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "format/hdf5/library/creation.hpp"
#include "format/nektar/basis.hpp"
#include "format/nektar/hdf5/groups.hpp"
#include "format/nektar/hdf5/rows.hpp"
#include "format/nektar/metadata.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::nektar {
namespace {

// The slots of a measure: ranks with blocks, entries of each part, and the number of ranks with more than 0, 1, ...
// blocks.
constexpr std::size_t ranks_slot = 0;
constexpr std::size_t first_part_slot = 1;
constexpr std::size_t first_count_slot = first_part_slot + parts;

constexpr std::size_t slot(Part part) { return first_part_slot + static_cast<std::size_t>(part); }

bool is_mixed(const StepDescription& step, const std::vector<BlockPair>& blocks) {
  return std::ranges::any_of(blocks,
                             [&](const BlockPair& block) { return step.tables[block.values].expansion->is_mixed(); });
}

/// The size of each part of a block of a rank.
std::array<std::uint64_t, parts> sizes_of(const StepDescription& step, const BlockPair& block, bool mixed_file) {
  const Table& values = step.tables[block.values];
  const Expansion& expansion = *values.expansion;
  const std::uint64_t elements = step.tables[block.elements].rows;
  return {elements,
          checked_multiply(values.rows, values.columns.size()),
          mixed_file ? checked_multiply(elements, expansion.basis.size()) : 0,
          expansion.y_ids.size(),
          expansion.z_ids.size(),
          expansion.strip_ids.size()};
}

template <class Number>
std::vector<std::byte> bytes_of(std::span<const Number> numbers) {
  const auto bytes = std::as_bytes(numbers);
  return {bytes.begin(), bytes.end()};
}

std::vector<std::uint32_t> narrowed(const std::vector<std::uint64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

Run run_at(std::uint64_t offset, std::uint64_t records, std::vector<Cell> cells) {
  Run run;
  run.offset = offset;
  run.records = records;
  for (const Cell& cell : cells) run.record_bytes += size_of(cell.type);
  run.bytes = checked_multiply(records, run.record_bytes);
  run.cells = std::move(cells);
  return run;
}

}  // namespace

std::vector<std::byte> H5Planner::state() const { return pack(writer_.state()); }

void H5Planner::adopt(std::span<const std::byte> state) { writer_.adopt(unpack<hdf5::WriterState>(state)); }

// ---- Places

Measure H5Planner::measure(const StepPart& mine, bool /*root*/) const {
  const StepDescription& step = mine.description;
  const std::vector<BlockPair> blocks = blocks_of(step);
  const bool mixed = is_mixed(step, blocks);
  Measure measure(first_count_slot + blocks.size(), 0);
  std::size_t own = 0;
  for (const BlockPair& block : blocks) {
    check_block(mine, block);
    if (step.tables[block.elements].rows == 0) continue;
    const auto sizes = sizes_of(step, block, mixed);
    for (std::size_t p = 0; p < parts; ++p) measure[first_part_slot + p] += sizes[p];
    measure[first_count_slot + own++] = 1;
  }
  measure[ranks_slot] = own > 0 ? 1 : 0;
  return measure;
}

const H5Planner::Line& H5Planner::Lines::named(std::string_view name) const {
  const auto found = std::ranges::find_if(all, [&](const Line& line) { return line.name == name; });
  if (found == all.end()) throw Error(ErrorKind::internal, "there is no such dataset").on(std::string(name));
  return *found;
}

H5Planner::Lines H5Planner::lay_out(const StepDescription& step, const Measure& total) const {
  Lines lines;
  lines.all.reserve(1 + parts);
  const auto counts = std::span(total).subspan(first_count_slot);
  lines.rows_of_rank = static_cast<std::uint64_t>(std::ranges::count_if(counts, [](std::uint64_t n) { return n > 0; }));
  const std::uint64_t numbers =
      checked_multiply(checked_multiply(total[ranks_slot], lines.rows_of_rank), parts + std::uint64_t{1});
  lines.all.push_back({"DECOMPOSITION", Type::uint64, numbers, {}});
  lines.all.push_back({"ELEMENTIDS", Type::uint32, total[slot(Part::ids)], {}});
  lines.all.push_back({"DATA", Type::float64, total[slot(Part::data)], {}});
  const auto add = [&](const char* name, Part part, bool always) {
    if (always || total[slot(part)] > 0) lines.all.push_back({name, Type::uint32, total[slot(part)], {}});
  };
  add("POLYORDERS", Part::orders, is_mixed(step, blocks_of(step)));
  add("HOMOGENEOUSYIDS", Part::y_ids, false);
  add("HOMOGENEOUSZIDS", Part::z_ids, false);
  add("HOMOGENEOUSSIDS", Part::strip_ids, false);
  lines.end = writer_.published_end();
  std::uint64_t next = round_up(writer_.first_free(), 8);
  for (Line& line : lines.all) {
    const std::uint64_t length = checked_multiply(line.count, size_of(line.type));
    next = alignment_.next(next, length);
    line.space = {next, length};
    next = checked_add(next, length);
    if (length > 0) lines.end = next;
  }
  return lines;
}

Placement H5Planner::place(const StepPart& mine, const Measure& before, const Measure& total, bool /*root*/) const {
  const StepDescription& step = mine.description;
  const std::vector<BlockPair> blocks = blocks_of(step);
  const bool mixed = is_mixed(step, blocks);
  const Lines lines = lay_out(step, total);
  std::vector<std::size_t> group_of;
  const std::vector<TypeGroup> groups = type_groups(step, blocks, group_of);
  Placement placement;
  placement.end = lines.end;
  placement.tables.resize(step.tables.size());
  std::array<std::uint64_t, parts> next{};
  for (std::size_t p = 0; p < parts; ++p) next[p] = before[first_part_slot + p];
  const auto at = [&](const char* name, Part part) {
    const Line& line = lines.named(name);
    return line.space.offset + next[static_cast<std::size_t>(part)] * size_of(line.type);
  };
  const auto add_numbers = [&](const char* name, Part part, const std::vector<std::uint64_t>& numbers) {
    const auto narrow = narrowed(numbers);
    if (!narrow.empty()) placement.title.add(at(name, part), bytes_of(std::span<const std::uint32_t>(narrow)));
  };
  std::vector<std::uint64_t> decomposition;
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const Table& values = step.tables[blocks[b].values];
    const Table& elements = step.tables[blocks[b].elements];
    const Expansion& expansion = *values.expansion;
    if (elements.rows == 0) continue;
    auto& runs_of_values = placement.tables[blocks[b].values];
    runs_of_values.reserve(values.columns.size());
    for (std::size_t c = 0; c < values.columns.size(); ++c) {
      runs_of_values.push_back(run_at(at("DATA", Part::data) + c * values.rows * sizeof(double), values.rows,
                                      {{.column = c, .type = Type::float64}}));
    }
    auto& runs = placement.tables[blocks[b].elements];
    runs.push_back(run_at(at("ELEMENTIDS", Part::ids), elements.rows, {{.column = 0, .type = Type::uint32}}));
    if (expansion.is_mixed()) {
      std::vector<Cell> cells;
      for (std::size_t d = 0; d < expansion.basis.size(); ++d) cells.push_back({.column = d + 1, .type = Type::uint32});
      runs.push_back(run_at(at("POLYORDERS", Part::orders), elements.rows, std::move(cells)));
    } else if (mixed) {
      std::vector<std::uint64_t> modes;
      for (std::uint64_t i = 0; i < elements.rows; ++i) {
        modes.insert(modes.end(), expansion.modes.begin(), expansion.modes.end());
      }
      add_numbers("POLYORDERS", Part::orders, modes);
    }
    add_numbers("HOMOGENEOUSYIDS", Part::y_ids, expansion.y_ids);
    add_numbers("HOMOGENEOUSZIDS", Part::z_ids, expansion.z_ids);
    add_numbers("HOMOGENEOUSSIDS", Part::strip_ids, expansion.strip_ids);
    const auto sizes = sizes_of(step, blocks[b], mixed);
    decomposition.insert(decomposition.end(), sizes.begin(), sizes.end());
    decomposition.push_back(groups[group_of[b]].hash);
    for (std::size_t p = 0; p < parts; ++p) next[p] += sizes[p];
  }
  if (decomposition.empty()) return placement;
  // Ranks with fewer blocks than others write rows of zeros.
  const std::uint64_t numbers = lines.rows_of_rank * (parts + 1);
  decomposition.resize(static_cast<std::size_t>(numbers), 0);
  placement.title.add(lines.named("DECOMPOSITION").space.offset + before[ranks_slot] * numbers * sizeof(std::uint64_t),
                      bytes_of(std::span<const std::uint64_t>(decomposition)));
  return placement;
}

// ---- Publication

void H5Planner::write_structure(hid_t file, const StepDescription& step, const Lines& lines) {
  std::vector<std::size_t> group_of;
  const std::vector<TypeGroup> groups = type_groups(step, blocks_of(step), group_of);
  writer_.image().set_heap(true);
  const GroupMaker maker;
  const hdf5::Handle root = maker.root(file, metadata_of(step));
  for (const TypeGroup& group : groups) maker.type(root.id(), group);
  writer_.image().set_heap(false);
  const hdf5::Handle contiguous = hdf5::contiguous_creation();
  for (const Line& line : lines.all) {
    const hdf5::Handle dataset =
        hdf5::create_dataset(root.id(), line.name, line.type, line.space, {line.count}, contiguous.id());
    hdf5::require(H5Olink(dataset.id(), root.id(), line.name, H5P_DEFAULT, H5P_DEFAULT), "link the dataset", line.name);
  }
}

Publication H5Planner::publish(const StepPart& mine, const Measure& total) {
  const Lines lines = lay_out(mine.description, total);
  std::vector<hdf5::PlannedSpace> spaces;
  for (const Line& line : lines.all) spaces.push_back(line.space);
  return writer_.session(spaces, [&](hid_t file) { write_structure(file, mine.description, lines); });
}

void H5Planner::advance(const StepPart& /*mine*/, const Measure& /*total*/, bool published) {
  if (!published) return writer_.discard();
  is_written_ = true;
  writer_.commit();
}

Publication H5Planner::finish() {
  if (writer_.published_end() != 0) return {};
  const StepDescription step = nothing();
  const Lines lines = lay_out(step, Measure(first_count_slot, 0));
  return writer_.session({}, [&](hid_t file) { write_structure(file, step, lines); });
}

}  // namespace quire::nektar
