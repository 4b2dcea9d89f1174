#include "api/simulate/part_pattern.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

#include "api/write/part_plan.hpp"
#include "format/records.hpp"
#include "format/records_runs.hpp"

namespace quire {
namespace {

void add_groups(std::vector<PlacedItem>& items, const std::vector<PackedGroup>& groups, std::uint64_t offset) {
  for (const PackedGroup& group : groups) {
    ExtentTrain* last = items.empty() ? nullptr : &items.back().train;
    // Groups of one length are one train.
    if (last != nullptr && last->length == group.length && last->offset + last->count * group.length == offset &&
        !items.back().field && &group != &groups.front()) {
      last->step = group.length;
      ++last->count;
    } else if (group.length > 0) {
      items.push_back({{offset, group.length, 0, 1, false}, {}, 0, false});
    }
    offset += group.length;
  }
}

void add_run(std::vector<PlacedItem>& items, const Run& run, bool staged) {
  if (run.bytes > 0) items.push_back({{run.offset, run.bytes, 0, 1, staged}, {}, 0, staged});
}

/// Whether the values of a run are encoded before they are written.
bool is_staged(const Run& run, std::span<const ConstView> views) {
  if (run.text || run.record_bytes == 0) return true;
  const ConstView& view = views[static_cast<std::size_t>(run.cells.front().column)];
  return !is_ready(run, view.type, view.is_contiguous());
}

}  // namespace

std::vector<PlacedItem> placed_items(const StepPart& part, const Placement& placement,
                                     const std::vector<FieldChunking>& chunking) {
  std::vector<PlacedItem> items;
  WritePlan title = placement.title;
  // Only the places are needed: nothing is converted.
  add_weighed_rows(title, part, placement, false);
  coalesce(title);
  for (const WriteExtent& extent : title.extents) {
    const bool staged = std::holds_alternative<std::shared_ptr<Encoder>>(extent.source);
    items.push_back({{extent.offset, extent.length, 0, 1, staged}, {}, 0, staged});
  }
  for (std::size_t t = 0; t < placement.tables.size(); ++t) {
    for (std::size_t r = 0; r < placement.tables[t].size(); ++r) {
      const Run& run = placement.tables[t][r];
      if (run.opaque) {
        add_groups(items, part.groups.at(t).at(r), run.offset);
      } else {
        add_run(items, run, is_staged(run, part.tables[t]));
      }
    }
  }
  for (std::size_t f = 0; f < placement.fields.size(); ++f) {
    for (const Run& run : placement.fields[f]) {
      if (run.text || run.record_bytes == 0) {
        add_run(items, run, true);
      } else if (run.opaque) {
        items.push_back({{run.offset, 0, 0, 1, false}, f, chunking[f].bytes, false});
      } else {
        const bool staged = is_staged(run, part.fields[f].views);
        items.push_back({{run.offset, 0, 0, 1, staged}, f, run.record_bytes, staged});
      }
    }
  }
  return items;
}

std::vector<AxisPart> owned_chunks(const std::vector<AxisPart>& elements, const FieldChunking& chunking) {
  std::vector<AxisPart> chunks;
  for (std::size_t axis = 0; axis < elements.size(); ++axis) {
    const std::uint64_t shape = chunking.shape[axis];
    const std::uint64_t first = (elements[axis].start + shape - 1) / shape;
    const std::uint64_t end = (elements[axis].start + elements[axis].count + shape - 1) / shape;
    chunks.push_back({first, 1, end - std::min(first, end)});
  }
  return chunks;
}

void append_elements(std::vector<ExtentTrain>& trains, std::uint64_t offset, const std::vector<std::uint64_t>& extents,
                     std::span<const AxisPart> axes, std::uint64_t element_bytes, bool apart, bool staged) {
  for (const AxisPart& axis : axes) {
    if (axis.count == 0) return;
  }
  struct Loop {
    std::uint64_t count = 1;
    std::uint64_t step = 0;
    std::uint64_t done = 0;
  };
  std::vector<Loop> loops;  // from the fastest one on
  std::uint64_t line = 1;   // contiguous elements
  std::uint64_t stride = 1;
  for (std::size_t axis = axes.size(); axis-- > 0; stride *= extents[axis]) {
    const AxisPart& part = axes[axis];
    offset += part.start * stride * element_bytes;
    if (line == stride && (part.stride == 1 || part.count == 1)) {
      line *= part.count;
    } else if (part.count > 1) {
      loops.push_back({part.count, part.stride * stride * element_bytes, 0});
    }
  }
  ExtentTrain train{offset, line * element_bytes, 0, 1, staged};
  if (apart && line > 1) {
    loops.insert(loops.begin(), Loop{line, element_bytes, 0});
    train.length = element_bytes;
  }
  if (!loops.empty()) {
    train.count = loops.front().count;
    train.step = loops.front().step;
  }
  for (std::size_t loop = 1; true;) {
    trains.push_back(train);
    for (loop = 1; loop < loops.size(); ++loop) {
      train.offset += loops[loop].step;
      if (++loops[loop].done < loops[loop].count) break;
      train.offset -= loops[loop].step * loops[loop].count;
      loops[loop].done = 0;
    }
    if (loop >= loops.size()) return;
  }
}

std::optional<PartPattern> PartPattern::learn(std::vector<PlacedItem> origin, Measure before,
                                              const std::vector<std::vector<PlacedItem>>& moved) {
  PartPattern pattern;
  pattern.moves_.resize(origin.size());
  for (std::size_t slot = 0; slot < moved.size(); ++slot) {
    if (moved[slot].size() != origin.size()) return std::nullopt;
    for (std::size_t i = 0; i < origin.size(); ++i) {
      ExtentTrain train = moved[slot][i].train;
      const std::uint64_t by = train.offset - origin[i].train.offset;
      train.offset = origin[i].train.offset;
      if (train != origin[i].train || moved[slot][i].field != origin[i].field) return std::nullopt;
      if (by != 0) pattern.moves_[i].push_back({slot, by});
    }
  }
  pattern.origin_ = std::move(origin);
  pattern.before_ = std::move(before);
  return pattern;
}

std::vector<PlacedItem> PartPattern::items(const Measure& before) const {
  std::vector<PlacedItem> items = origin_;
  for (std::size_t i = 0; i < items.size(); ++i) {
    for (const Move& move : moves_[i]) items[i].train.offset += (before[move.slot] - before_[move.slot]) * move.by;
  }
  return items;
}

}  // namespace quire
