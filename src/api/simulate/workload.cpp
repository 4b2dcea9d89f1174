#include "quire/spi/api/workload.hpp"

#include <algorithm>
#include <utility>

#include "quire/base/error.hpp"
#include "quire/comm/partition.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire {
namespace {

std::uint64_t product(const std::vector<std::uint64_t>& numbers) {
  std::uint64_t all = 1;
  for (const std::uint64_t number : numbers) all = checked_multiply(all, number);
  return all;
}

std::uint64_t digits(std::uint64_t number) {
  std::uint64_t count = 1;
  for (; number >= 10; number /= 10) ++count;
  return count;
}

/// Between -0.5 and 0.5; the finalizer of MurmurHash3, in the public domain.
double random_value(std::uint64_t seed) {
  seed = (seed + 1) * 0x9e3779b97f4a7c15ULL;
  seed = (seed ^ (seed >> 33)) * 0xff51afd7ed558ccdULL;
  seed = (seed ^ (seed >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return static_cast<double>((seed ^ (seed >> 33)) >> 11) * 0x1p-53 - 0.5;
}

}  // namespace

std::vector<std::uint64_t> balanced_grid(std::uint64_t ranks, std::size_t axes) {
  std::vector<std::uint64_t> grid(axes, 1);
  std::vector<std::uint64_t> factors;
  for (std::uint64_t factor = 2; factor * factor <= ranks; ++factor) {
    for (; ranks % factor == 0; ranks /= factor) factors.push_back(factor);
  }
  if (ranks > 1) factors.push_back(ranks);
  // The largest factors first, each to the axis with the fewest ranks.
  for (; !factors.empty() && axes > 0; factors.pop_back()) *std::ranges::min_element(grid) *= factors.back();
  std::ranges::sort(grid, std::greater());
  return grid;
}

Workload::Workload(StepDescription step, int ranks, Rules rules)
    : step_(std::move(step)), ranks_(ranks), rules_(std::move(rules)) {
  if (ranks < 1) throw Error(ErrorKind::usage, "a program has at least one rank");
  units_.resize(step_.tables.size());
  factors_.assign(step_.tables.size(), 1);
  holds_ids_.assign(step_.tables.size(), false);
  for (std::size_t t = 0; t < step_.tables.size(); ++t) {
    Table& table = step_.tables[t];
    if (!table.expansion) {
      units_[t] = table.rows;
      continue;
    }
    if (table.expansion->is_mixed()) {
      throw Error(ErrorKind::usage, "synthetic elements all have one order").on(table.name);
    }
    const std::size_t elements = step_.find_table(table.expansion->elements);
    holds_ids_[elements] = true;
    units_[t] = step_.tables[elements].rows;
    factors_[t] = element_coefficients(*table.expansion, table.expansion->modes);
    table.rows = checked_multiply(units_[t], factors_[t]);
  }
  for (const Field& field : step_.fields) {
    std::vector<std::uint64_t> grid = rules_.grid.ranks;
    if (grid.empty()) {
      grid.assign(field.extents.size(), 1);
      if (!grid.empty()) grid.front() = static_cast<std::uint64_t>(ranks_);
    }
    if (grid.size() != field.extents.size() || product(grid) != static_cast<std::uint64_t>(ranks_)) {
      throw Error(ErrorKind::usage, "the grid of ranks has other axes than the field, or other ranks than the program")
          .on(field.name);
    }
    grids_.push_back(std::move(grid));
  }
}

std::uint64_t Workload::payload() const {
  std::uint64_t sum =
      checked_multiply(step_.streams == 0 ? 0 : rules_.streams.bytes, static_cast<std::uint64_t>(ranks_));
  for (std::size_t t = 0; t < step_.tables.size(); ++t) {
    if (holds_ids_[t]) continue;
    for (const Column& column : step_.tables[t].columns) {
      const std::uint64_t width = column.type == Type::string ? rules_.string_bytes : size_of(column.type);
      sum = checked_add(sum, checked_multiply(step_.tables[t].rows, width));
    }
  }
  for (const Field& field : step_.fields) {
    sum = checked_add(sum, checked_multiply(volume(field.extents), field.components * size_of(field.type)));
  }
  return sum;
}

Slice Workload::rows(std::size_t table, int rank) const {
  const Slice units = even_slice(units_[table], rank, ranks_);
  return {units.first * factor(table), units.count * factor(table)};
}

std::vector<AxisPart> Workload::axes(int rank, std::size_t field) const {
  const std::vector<std::uint64_t>& extents = step_.fields[field].extents;
  const std::vector<std::uint64_t>& grid = grids_[field];
  std::vector<AxisPart> parts(extents.size());
  auto rest = static_cast<std::uint64_t>(rank);
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    const std::uint64_t mine = rest % grid[axis];
    rest /= grid[axis];
    if (rules_.grid.interleaved) {
      const std::uint64_t count = extents[axis] > mine ? (extents[axis] - mine - 1) / grid[axis] + 1 : 0;
      parts[axis] = {mine, grid[axis], count};
    } else {
      const Slice slice = even_slice(extents[axis], static_cast<int>(mine), static_cast<int>(grid[axis]));
      parts[axis] = {slice.first, 1, slice.count};
    }
  }
  return parts;
}

Selection Workload::selection(int rank, std::size_t field) const {
  Hyperslab slab;
  bool is_empty = false;
  for (const AxisPart& part : axes(rank, field)) {
    slab.start.push_back(part.start);
    slab.stride.push_back(part.stride);
    slab.count.push_back(part.count);
    is_empty = is_empty || part.count == 0;
  }
  return is_empty ? Selection() : Selection(std::move(slab));
}

void Workload::append_kind(int rank, std::vector<std::uint64_t>& kind) const {
  for (std::size_t t = 0; t < step_.tables.size(); ++t) {
    const Slice units = even_slice(units_[t], rank, ranks_);
    kind.push_back(units.count);
    if (!holds_ids_[t] || units.count == 0) continue;
    kind.push_back(digits(units.first));
    kind.push_back(digits(units.end() - 1));
  }
  for (std::size_t f = 0; f < step_.fields.size(); ++f) {
    for (const AxisPart& part : axes(rank, f)) kind.push_back(part.count);
  }
}

ConstView Workload::view_of(std::size_t table, const Column& column, const Slice& rows, bool with_values) const {
  const auto width = static_cast<std::ptrdiff_t>(size_of(column.type));
  const std::byte* memory = nullptr;
  if (holds_ids_[table] && column.name == id_column()) {
    std::vector<std::uint32_t>& ids = ids_.emplace_back(static_cast<std::size_t>(rows.count));
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::uint32_t>(rows.first + i);
    return {std::span<const std::uint32_t>(ids)};
  }
  if (with_values && step_.tables[table].expansion && column.type == Type::float64) {
    for (std::uint64_t i = values_.size(); i < rows.count; ++i) values_.push_back(random_value(i));
    memory = reinterpret_cast<const std::byte*>(values_.data());
  }
  return {column.type, memory, rows.count, width};
}

void Workload::add_table(StepPart& part, std::size_t table, int rank, bool with_values) const {
  const Slice mine = rows(table, rank);
  part.description.tables[table].rows = mine.count;
  std::vector<ConstView> views;
  std::vector<std::uint64_t> bytes;
  for (const Column& column : step_.tables[table].columns) {
    views.push_back(view_of(table, column, mine, with_values));
    bytes.push_back(column.type == Type::string ? mine.count * rules_.string_bytes : 0);
  }
  part.tables.push_back(std::move(views));
  part.string_bytes.push_back(std::move(bytes));
  // Also on ranks without rows: all texts of a column may have to be stored with one size.
  part.longest_strings.emplace_back(step_.tables[table].columns.size(), rules_.string_bytes);
}

StepPart Workload::part(int rank, bool with_values) const {
  StepPart part;
  part.description = step_;
  ids_.clear();
  // Views of a vector that grows would become invalid.
  std::uint64_t most = 0;
  for (std::size_t t = 0; t < step_.tables.size(); ++t) most = std::max(most, rows(t, rank).count);
  if (with_values) values_.reserve(static_cast<std::size_t>(most));
  for (std::size_t t = 0; t < step_.tables.size(); ++t) add_table(part, t, rank, with_values);
  for (std::size_t f = 0; f < step_.fields.size(); ++f) {
    const Field& field = step_.fields[f];
    Selection mine = selection(rank, f);
    const ConstView view(field.type, nullptr, mine.elements(), static_cast<std::ptrdiff_t>(size_of(field.type)));
    part.fields.push_back({std::move(mine), std::vector(static_cast<std::size_t>(field.components), view), {}});
  }
  return part;
}

std::vector<std::uint64_t> Workload::pieces() const {
  std::vector<std::uint64_t> pieces;
  const std::uint64_t count = std::max<std::uint64_t>(rules_.streams.pieces, 1);
  for (std::uint64_t i = 0; i < count; ++i) {
    pieces.push_back(rules_.streams.bytes / count + (i < rules_.streams.bytes % count ? 1 : 0));
  }
  return pieces;
}

}  // namespace quire
