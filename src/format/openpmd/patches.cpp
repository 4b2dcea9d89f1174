#include "format/openpmd/patches.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "format/openpmd/names.hpp"

namespace quire::hdf5 {
namespace {

constexpr const char* count = "numParticles";
constexpr const char* first = "numParticlesOffset";
constexpr const char* lower = "offset";
constexpr const char* extent = "extent";

bool is_real(const Quantity& column) { return column.type == Type::float32 || column.type == Type::float64; }

const Column* column_of(const Table& table, const std::string& name) {
  const auto found = std::ranges::find(table.columns, name, &Column::name);
  return found == table.columns.end() ? nullptr : &*found;
}

/// The column of a component of a record.
const Column* component_of(const Table& table, const RecordPath& path) {
  const std::vector<RecordPath> paths = paths_of_columns(table);
  const auto found = std::ranges::find(paths, path);
  return found == paths.end() ? nullptr : &table.columns[static_cast<std::size_t>(found - paths.begin())];
}

Column limit_of(const Quantity& column, const std::string& record, const std::string& component) {
  Column limit;
  limit.name = column_name({record, component}, column.unit);
  limit.type = column.type;
  limit.unit = column.unit;
  return limit;
}

Column number(const char* name) {
  Column column;
  column.name = name;
  column.type = Type::uint64;
  return column;
}

}  // namespace

std::optional<Zones> zones_of_patches(const Table& species, const Table& patches) {
  if (column_of(patches, count) == nullptr || column_of(patches, first) == nullptr) return std::nullopt;
  Zones zones{.table = patches.name, .first = first, .rows = count, .limits = {}};
  const std::vector<RecordPath> paths = paths_of_columns(species);
  for (std::size_t c = 0; c < paths.size(); ++c) {
    const auto& [record, component] = paths[c];
    const Column& column = species.columns[c];
    if (record != position || component.empty() || !is_real(column)) continue;
    if (component_of(species, {offset_of_position, component}) != nullptr) continue;
    const Column* const begin = component_of(patches, {lower, component});
    const Column* const length = component_of(patches, {extent, component});
    if (begin == nullptr || length == nullptr || begin->unit != column.unit || length->unit != column.unit) continue;
    zones.limits.push_back({column.name, begin->name, length->name});
  }
  return zones.limits.empty() ? std::nullopt : std::optional(std::move(zones));
}

std::optional<ZoneTable> patches_of(const StepDescription& step, std::size_t table, const std::string& species) {
  const Table& given = step.tables[table];
  if (given.name.find('/') != std::string::npos) return std::nullopt;
  ZoneTable patches;
  patches.table.name = (given.name.empty() ? species : given.name) + "/" + std::string(particle_patches);
  if (std::ranges::find(step.tables, patches.table.name, &Table::name) != step.tables.end()) return std::nullopt;
  patches.zones = {.table = patches.table.name, .first = first, .rows = count, .limits = {}};
  patches.table.columns = {number(count), number(first)};
  const std::vector<RecordPath> paths = paths_of_written(given);
  for (std::size_t c = 0; c < paths.size(); ++c) {
    const std::size_t columns = given.columns.size();
    const Quantity& column =
        c < columns ? static_cast<const Quantity&>(given.columns[c]) : given.constants[c - columns];
    if (paths[c].record != position || paths[c].component.empty() || !is_real(column)) continue;
    const Column begin = limit_of(column, lower, paths[c].component);
    const Column length = limit_of(column, extent, paths[c].component);
    patches.zones.limits.push_back({column.name, begin.name, length.name});
    patches.table.columns.push_back(begin);
    patches.table.columns.push_back(length);
  }
  return patches.zones.limits.empty() ? std::nullopt : std::optional(std::move(patches));
}

}  // namespace quire::hdf5
