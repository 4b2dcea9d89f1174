#include "quire/model/selection.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire {
namespace {

/// One axis of a hyperslab.
struct Axis {
  std::uint64_t start = 0;
  std::uint64_t stride = 1;
  std::uint64_t count = 0;
  std::uint64_t block = 1;
};

Axis axis_of(const Hyperslab& slab, std::size_t axis) {
  return {.start = slab.start[axis],
          .stride = slab.stride.empty() ? 1 : slab.stride[axis],
          .count = slab.count[axis],
          .block = slab.block.empty() ? 1 : slab.block[axis]};
}

void check_lists(const Hyperslab& slab) {
  const std::size_t axes = slab.count.size();
  const auto fits = [axes](const std::vector<std::uint64_t>& list) { return list.empty() || list.size() == axes; };
  if (slab.start.size() == axes && fits(slab.stride) && fits(slab.block)) return;
  throw Error(ErrorKind::usage, "start, stride, count and block of a selection differ in their number of axes");
}

void check_axis(const Axis& axis, std::size_t number, std::uint64_t extent) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::usage, "axis " + std::to_string(number) + " of the selection " + what);
  };
  // The start must be inside even if nothing is selected: otherwise it is most likely a mistake.
  if (axis.start > extent) refuse("starts after the array's " + std::to_string(extent) + " elements");
  if (axis.count == 0 || axis.block == 0) return;
  if (axis.count > 1 && axis.stride < axis.block) refuse("has a stride smaller than its blocks");
  const std::uint64_t room = extent - axis.start;
  const bool fits =
      axis.block <= room &&
      (axis.count == 1 || axis.count - 1 <= (room - axis.block) / std::max<std::uint64_t>(axis.stride, 1));
  if (!fits) refuse("ends after the array's " + std::to_string(extent) + " elements");
}

std::uint64_t elements_of(const Hyperslab& slab) {
  check_lists(slab);
  std::uint64_t elements = 1;
  for (std::size_t i = 0; i < slab.count.size(); ++i) {
    const Axis axis = axis_of(slab, i);
    if (axis.count == 0 || axis.block == 0) return 0;
    elements = checked_multiply(elements, checked_multiply(axis.count, axis.block));
  }
  return elements;
}

}  // namespace

Selection::Selection(Box box) {
  parts_.push_back({.start = std::move(box.start), .stride = {}, .count = std::move(box.count), .block = {}});
}

Selection::Selection(Hyperslab slab) { parts_.push_back(std::move(slab)); }

std::uint64_t Selection::elements() const {
  std::uint64_t sum = 0;
  for (const Hyperslab& part : parts_) sum = checked_add(sum, elements_of(part));
  return sum;
}

void Selection::check(const std::vector<std::uint64_t>& extents) const {
  for (const Hyperslab& part : parts_) {
    check_lists(part);
    if (part.count.size() != extents.size()) {
      throw Error(ErrorKind::usage, "the selection has " + std::to_string(part.count.size()) + " axes, the array " +
                                        std::to_string(extents.size()));
    }
    for (std::size_t i = 0; i < extents.size(); ++i) check_axis(axis_of(part, i), i, extents[i]);
  }
}

// ---- Walking

SelectionWalk::SelectionWalk(const std::vector<std::uint64_t>& extents, const Selection& selection)
    : elements_(selection.elements()) {
  selection.check(extents);
  for (const Hyperslab& slab : selection.parts()) {
    if (elements_of(slab) != 0) parts_.push_back(part_of(extents, slab));
  }
}

SelectionWalk::SelectionWalk(std::shared_ptr<const std::vector<Slice>> rows) : rows_(std::move(rows)) {
  for (const Slice& slice : *rows_) elements_ = checked_add(elements_, slice.count);
}

SelectionWalk::Part SelectionWalk::part_of(const std::vector<std::uint64_t>& extents, const Hyperslab& slab) {
  // From the fastest axis on: each axis repeats an element of its blocks, then its blocks. Loops that continue each
  // other are merged into a longer loop.
  std::vector<Loop> inside_out;
  const auto add = [&](std::uint64_t count, std::uint64_t step) {
    if (count == 1) return;
    if (!inside_out.empty() && inside_out.back().count * inside_out.back().step == step) {
      inside_out.back().count *= count;
    } else {
      inside_out.push_back({.count = count, .step = step, .done = 0});
    }
  };
  Part part;
  std::uint64_t step = 1;
  for (std::size_t i = extents.size(); i-- > 0;) {
    const Axis axis = axis_of(slab, i);
    part.whole_line.first += axis.start * step;
    add(axis.block, step);
    add(axis.count, axis.stride * step);
    step = checked_multiply(step, extents[i]);
  }
  part.whole_line.count = 1;
  if (!inside_out.empty()) {
    part.whole_line.step = inside_out.front().step;
    part.whole_line.count = inside_out.front().count;
    part.loops.assign(inside_out.rbegin(), inside_out.rend() - 1);
  }
  part.line = part.whole_line;
  return part;
}

void SelectionWalk::Part::advance() {
  for (std::size_t i = loops.size(); i-- > 0;) {
    if (++loops[i].done < loops[i].count) {
      line = whole_line;
      for (const Loop& loop : loops) line.first += loop.done * loop.step;
      return;
    }
    loops[i].done = 0;
  }
  is_done = true;
}

std::optional<Line> SelectionWalk::next_raw() {
  if (rows_) {
    while (next_row_ < rows_->size() && (*rows_)[next_row_].count == 0) ++next_row_;
    if (next_row_ == rows_->size()) return std::nullopt;
    const Slice& slice = (*rows_)[next_row_++];
    return Line{.first = slice.first, .step = 1, .count = slice.count};
  }
  Part* lowest = nullptr;
  std::optional<std::uint64_t> other;  // where the next part after it begins
  for (Part& part : parts_) {
    if (part.is_done) continue;
    if (lowest == nullptr || part.line.first < lowest->line.first) {
      if (lowest != nullptr) other = lowest->line.first;
      lowest = &part;
    } else if (!other || part.line.first < *other) {
      other = part.line.first;
    }
  }
  if (lowest == nullptr) return std::nullopt;
  Line& rest = lowest->line;
  if (rest.first < end_ || (other && *other == rest.first)) {
    throw Error(ErrorKind::usage, "two parts of a selection share an element")
        .advise("use disjoint parts, or one box around them");
  }
  Line line = rest;
  if (other) line.count = std::min(rest.count, (*other - rest.first - 1) / rest.step + 1);
  rest.first += line.count * rest.step;
  rest.count -= line.count;
  if (rest.count == 0) lowest->advance();
  end_ = line.first + (line.count - 1) * line.step + 1;
  return line;
}

std::optional<Line> SelectionWalk::next() {
  std::optional<Line> line = waiting_ ? std::exchange(waiting_, std::nullopt) : next_raw();
  if (!line) return line;
  if (line->count == 1) line->step = 1;
  while (line->step == 1) {
    waiting_ = next_raw();
    if (!waiting_) break;
    if (waiting_->count == 1) waiting_->step = 1;
    if (waiting_->step != 1 || waiting_->first != line->first + line->count) break;
    line->count += waiting_->count;
  }
  return line;
}

// ---- Rows

std::uint64_t RowSelection::count() const {
  if (const auto* rows = list()) return rows->size();
  return regular()->elements();
}

std::uint64_t RowSelection::end() const {
  std::uint64_t end = 0;
  if (const auto* rows = list()) {
    for (const std::uint64_t row : *rows) end = std::max(end, checked_add(row, 1));
    return end;
  }
  for (const Hyperslab& part : regular()->parts()) {
    if (part.count.size() != 1) {
      throw Error(ErrorKind::usage, "rows have one axis, the selection has " + std::to_string(part.count.size()));
    }
    if (elements_of(part) == 0) continue;
    const Axis axis = axis_of(part, 0);
    end =
        std::max(end, checked_add(checked_add(axis.start, checked_multiply(axis.count - 1, axis.stride)), axis.block));
  }
  return end;
}

}  // namespace quire
