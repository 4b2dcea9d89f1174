#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "quire/base/error.hpp"
#include "quire/comm/partition.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire {
namespace {

std::uint64_t end_of(const Box& box, std::size_t axis) { return box.start[axis] + box.count[axis]; }

std::uint64_t shared_elements(const Box& left, const Box& right) {
  std::uint64_t shared = 1;
  for (std::size_t axis = 0; axis < left.start.size(); ++axis) {
    const std::uint64_t begin = std::max(left.start[axis], right.start[axis]);
    const std::uint64_t end = std::min(end_of(left, axis), end_of(right, axis));
    if (end <= begin) return 0;
    shared = checked_multiply(shared, end - begin);
  }
  return shared;
}

/// Two ranks whose boxes overlap.
struct Overlap {
  std::size_t left = 0;
  std::size_t right = 0;
  std::uint64_t shared = 0;
};

std::vector<Overlap> overlaps_of(const std::vector<Box>& boxes) {
  std::vector<Overlap> overlaps;
  for (std::size_t left = 0; left < boxes.size(); ++left) {
    for (std::size_t right = left + 1; right < boxes.size(); ++right) {
      const std::uint64_t shared = shared_elements(boxes[left], boxes[right]);
      if (shared != 0) overlaps.push_back({left, right, shared});
    }
  }
  return overlaps;
}

/// The two boxes cut apart along one axis in the middle of their overlap; no value if one would be empty.
std::optional<std::pair<Box, Box>> cut(const Box& left, const Box& right, std::size_t axis) {
  const bool is_left_lower = left.start[axis] <= right.start[axis];
  Box lower = is_left_lower ? left : right;
  Box upper = is_left_lower ? right : left;
  const std::uint64_t lower_last = end_of(lower, axis) - 1;
  const std::uint64_t upper_last = end_of(upper, axis) - 1;
  if (upper_last <= lower_last) return std::nullopt;
  const std::uint64_t last = (lower_last + upper.start[axis]) / 2;
  lower.count[axis] = last - lower.start[axis] + 1;
  upper.start[axis] = last + 1;
  upper.count[axis] = upper_last - last;
  if (!is_left_lower) std::swap(lower, upper);
  return std::pair(std::move(lower), std::move(upper));
}

void cut_best(Box& left, Box& right, const Overlap& overlap) {
  std::optional<std::pair<Box, Box>> best;
  std::uint64_t most = 0;
  // x, the last axis, is tried first.
  for (std::size_t axis = left.start.size(); axis-- > 0;) {
    auto parts = cut(left, right, axis);
    if (!parts) continue;
    const std::uint64_t left_over = checked_add(volume(parts->first.count), volume(parts->second.count));
    if (best && left_over <= most) continue;
    best = std::move(parts);
    most = left_over;
  }
  if (!best) {
    throw Error(ErrorKind::usage, "the box of rank " + std::to_string(overlap.left) + " and that of rank " +
                                      std::to_string(overlap.right) + " are inside one another")
        .advise("use boxes that overlap only at their borders");
  }
  std::tie(left, right) = *std::move(best);
}

void check_axes(const std::vector<Box>& boxes) {
  for (const Box& box : boxes) {
    if (box.start.size() == boxes.front().start.size() && box.count.size() == box.start.size()) continue;
    throw Error(ErrorKind::usage, "the boxes differ in their number of axes");
  }
}

}  // namespace

std::vector<Box> disjoint_boxes(std::vector<Box> boxes) {
  if (boxes.empty()) return boxes;
  check_axes(boxes);
  std::vector<Overlap> overlaps = overlaps_of(boxes);
  while (!overlaps.empty()) {
    const Overlap most = *std::ranges::max_element(overlaps, {}, &Overlap::shared);
    cut_best(boxes[most.left], boxes[most.right], most);
    for (Overlap& overlap : overlaps) overlap.shared = shared_elements(boxes[overlap.left], boxes[overlap.right]);
    std::erase_if(overlaps, [](const Overlap& overlap) { return overlap.shared == 0; });
  }
  return boxes;
}

std::vector<Box> gather_boxes(Comm& comm, const Box& mine) {
  const std::size_t axes = mine.start.size();
  // The largest number of axes and, by its complement, the smallest: the sum below needs the same number on all ranks.
  std::array<std::uint64_t, 2> bounds{axes, ~std::uint64_t{axes}};
  comm.maximum(bounds);
  if (bounds[0] != ~bounds[1]) {
    throw Error(ErrorKind::usage, "the boxes of the ranks have " + std::to_string(~bounds[1]) + " to " +
                                      std::to_string(bounds[0]) + " axes");
  }
  std::vector<std::uint64_t> words(static_cast<std::size_t>(comm.size()) * 2 * axes, 0);
  const auto place = words.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(comm.rank()) * 2 * axes);
  std::ranges::copy(mine.count, std::ranges::copy(mine.start, place).out);
  comm.sum(words);
  std::vector<Box> boxes(static_cast<std::size_t>(comm.size()));
  auto next = words.begin();
  for (Box& box : boxes) {
    const auto counts = next + static_cast<std::ptrdiff_t>(axes);
    box = {{next, counts}, {counts, counts + static_cast<std::ptrdiff_t>(axes)}};
    next = counts + static_cast<std::ptrdiff_t>(axes);
  }
  return boxes;
}

Box disjoint_box(Comm& comm, const Box& mine) {
  return disjoint_boxes(gather_boxes(comm, mine))[static_cast<std::size_t>(comm.rank())];
}

void require_disjoint(Comm& comm, const Box& mine) {
  const std::vector<Overlap> overlaps = overlaps_of(gather_boxes(comm, mine));
  if (overlaps.empty()) return;
  const Overlap& first = overlaps.front();
  throw Error(ErrorKind::conflict, "the boxes of rank " + std::to_string(first.left) + " and rank " +
                                       std::to_string(first.right) + " share " + std::to_string(first.shared) +
                                       (first.shared == 1 ? " element" : " elements"))
      .advise("the result would depend on the order of the writes; make the boxes disjoint first");
}

MemorySelection inside(const Box& outer, const Box& inner) {
  MemorySelection memory{.extents = outer.count, .selection = {}};
  Box place = inner;
  bool fits = inner.start.size() == outer.start.size() && inner.count.size() == outer.count.size();
  for (std::size_t axis = 0; fits && axis < outer.start.size(); ++axis) {
    fits = inner.start[axis] >= outer.start[axis] && end_of(inner, axis) <= end_of(outer, axis);
    place.start[axis] = inner.start[axis] - outer.start[axis];
  }
  if (!fits) throw Error(ErrorKind::usage, "the box is not inside the box in memory");
  memory.selection = std::move(place);
  return memory;
}

GridPart grid_part(int rank, const std::vector<std::uint64_t>& grid, const std::vector<std::uint64_t>& block,
                   const std::vector<std::uint64_t>& halo, GridPlacement placement) {
  const std::size_t axes = grid.size();
  if (block.size() != axes || (!halo.empty() && halo.size() != axes)) {
    throw Error(ErrorKind::usage, "grid, block and halo differ in their number of axes");
  }
  constexpr std::size_t compatible_axes = 3;
  const bool is_exchanged = placement == GridPlacement::compatible;
  if (is_exchanged && axes != compatible_axes) {
    throw Error(ErrorKind::usage, "a compatible grid has three axes, not " + std::to_string(axes));
  }
  if (rank < 0 || static_cast<std::uint64_t>(rank) >= volume(grid)) {
    throw Error(ErrorKind::usage,
                "rank " + std::to_string(rank) + " is not in a grid of " + std::to_string(volume(grid)) + " ranks");
  }
  std::vector<std::uint64_t> place(axes);
  std::vector<std::uint64_t> ranks = grid;
  auto rest = static_cast<std::uint64_t>(rank);
  for (std::size_t axis = axes; axis-- > 0;) {
    place[axis] = rest % grid[axis];
    rest /= grid[axis];
  }
  if (is_exchanged) {
    std::swap(place.front(), place.back());
    std::swap(ranks.front(), ranks.back());
  }
  GridPart part;
  Box inner{std::vector<std::uint64_t>(axes, 0), block};
  for (std::size_t axis = 0; axis < axes; ++axis) {
    part.extents.push_back(checked_multiply(ranks[axis], block[axis]));
    part.box.start.push_back(place[axis] * block[axis]);
    if (!halo.empty()) inner.start[axis] = halo[axis];
    part.memory.extents.push_back(checked_add(block[axis], 2 * inner.start[axis]));
  }
  part.box.count = block;
  part.memory.selection = std::move(inner);
  return part;
}

}  // namespace quire
