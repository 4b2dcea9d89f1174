#include "api/write/zones.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "api/write/step_state.hpp"
#include "kernels/value_range.hpp"
#include "quire/spi/model/dispatch.hpp"

namespace quire {
namespace {

using State = WriteStep::State;

/// The smallest and the greatest number of a view, apart from NaN: the first is greater without any.
std::pair<double, double> range_of(const ConstView& view) {
  return visit_type(view.type, [&](auto type) -> std::pair<double, double> {
    using Number = typename decltype(type)::type;
    const auto range = kernels::range_of<Number>(view.data, view.stride, view.stride == 0 ? 1 : view.count);
    if (range.lower > range.upper) return {1, 0};
    return {static_cast<double>(range.lower), static_cast<double>(range.upper)};
  });
}

}  // namespace

OwnZone::OwnZone(const ZoneTable& zones, const Table& described, std::size_t table, std::size_t recorder)
    : table_(table),
      recorder_(recorder),
      rows_(described.rows),
      first_column_(zones.table.find(zones.zones.first)),
      rows_column_(zones.table.find(zones.zones.rows)) {
  for (const ZoneLimits& names : zones.zones.limits) {
    Limits& limits = limits_.emplace_back();
    limits.lower_column = zones.table.find(names.lower);
    limits.extent_column = zones.table.find(names.extent);
    const auto constant = std::ranges::find(described.constants, names.column, &Attribute::name);
    if (constant == described.constants.end()) {
      limits.column = described.find(names.column);
    } else {
      limits.lower = limits.upper = constant->value.as_double();
      limits.has_value = true;
    }
  }
  for (const Column& column : zones.table.columns) types_.push_back(column.type);
  values_.resize(types_.size());
}

void OwnZone::add(std::span<const ConstView> columns) {
  for (Limits& limits : limits_) {
    if (!limits.column) continue;
    const ConstView& view = columns[*limits.column];
    if (view.data == nullptr || view.count == 0) continue;
    const auto [lower, upper] = range_of(view);
    if (lower > upper) continue;
    limits.lower = limits.has_value ? std::min(limits.lower, lower) : lower;
    limits.upper = limits.has_value ? std::max(limits.upper, upper) : upper;
    limits.has_value = true;
  }
}

template <class Number>
void OwnZone::store(std::size_t column, Number value) {
  std::memcpy(values_[column].data(), &value, sizeof value);
}

/// The upper limit of a patch is excluded, so that it is greater than all values.
template <class Real>
void OwnZone::store_limits(const Limits& limits) {
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  const auto lower = static_cast<Real>(limits.lower);
  const Real upper = limits.has_value ? std::nextafter(static_cast<Real>(limits.upper), infinity) : lower;
  Real extent = upper - lower;
  while (lower + extent < upper) extent = std::nextafter(extent, infinity);
  store(limits.lower_column, lower);
  store(limits.extent_column, extent);
}

void OwnZone::begin_after(std::uint64_t rows_before) {
  store(first_column_, rows_before);
  store(rows_column_, rows_);
}

void OwnZone::complete() {
  for (const Limits& limits : limits_) {
    if (types_[limits.lower_column] == Type::float32) {
      store_limits<float>(limits);
    } else {
      store_limits<double>(limits);
    }
  }
}

std::vector<ConstView> OwnZone::views() const {
  std::vector<ConstView> views;
  for (std::size_t c = 0; c < types_.size(); ++c) {
    views.emplace_back(types_[c], values_[c].data(), recorded_rows(), static_cast<std::ptrdiff_t>(size_of(types_[c])));
  }
  return views;
}

void add_zones(State& step) {
  const ZoneRecorder* const recorder = step.writer->capabilities().zones;
  if (recorder == nullptr || !step.zones.empty()) return;
  StepPart& part = *step.part;
  const std::size_t tables = part.description.tables.size();
  for (std::size_t t = 0; t < tables; ++t) {
    auto zones = recorder->zones_of(part.description, t);
    if (!zones) continue;
    const Table& described = part.description.tables[t];
    if (part.rows_chosen_of(t) != nullptr) {
      throw Error(ErrorKind::unsupported, "rows that ranks choose are no blocks whose limits can be recorded")
          .on(described.name)
          .advise("write the rows in the order of the ranks, or leave the limits out");
    }
    step.zones.emplace_back(*zones, described, t, part.description.tables.size());
    if (!step.builder.is_streamed()) {
      step.zones.back().add(part.tables[t]);
      step.zones.back().complete();
    }
    zones->table.rows = step.zones.back().recorded_rows();
    part.string_bytes.emplace_back(zones->table.columns.size(), 0);
    part.chosen.emplace_back();
    part.tables.push_back(step.zones.back().views());
    part.description.tables.push_back(std::move(zones->table));
  }
}

void begin_zones(State& step) {
  for (OwnZone& zone : step.zones) {
    zone.begin_after(step.writer->capabilities().zones->rows_before(step.before, zone.table()));
  }
}

void add_to_zone(State& step, std::size_t table, std::span<const ConstView> columns) {
  const auto zone = std::ranges::find(step.zones, table, &OwnZone::table);
  if (zone != step.zones.end()) zone->add(columns);
}

void complete_zones(State& step,
                    const std::function<void(std::size_t table, std::span<const ConstView> columns)>& use) {
  for (OwnZone& zone : step.zones) {
    zone.complete();
    use(zone.recorder(), zone.views());
  }
}

}  // namespace quire
