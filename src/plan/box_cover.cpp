#include "plan/box_cover.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "quire/base/error.hpp"

namespace quire {
namespace {

/// A text such as [0:4, 2:3].
std::string shown(const Box& box) {
  std::string text = "[";
  for (std::size_t axis = 0; axis < box.start.size(); ++axis) {
    const std::string begin = std::to_string(box.start[axis]);
    text += (axis == 0 ? "" : ", ") + begin + ":" + std::to_string(box.start[axis] + box.count[axis]);
  }
  return text + "]";
}

bool is_inside(const Box& part, const Box& whole) {
  for (std::size_t axis = 0; axis < whole.start.size(); ++axis) {
    if (part.start[axis] < whole.start[axis]) return false;
    const std::uint64_t before = part.start[axis] - whole.start[axis];
    if (before > whole.count[axis] || part.count[axis] > whole.count[axis] - before) return false;
  }
  return true;
}

bool share_elements(const Box& one, const Box& other) {
  for (std::size_t axis = 0; axis < one.start.size(); ++axis) {
    if (one.start[axis] + one.count[axis] <= other.start[axis]) return false;
    if (other.start[axis] + other.count[axis] <= one.start[axis]) return false;
  }
  return true;
}

/// Both as one box, if the second begins where the first ends.
std::optional<Box> continued(const Box& first, const Box& second) {
  std::optional<std::size_t> along;
  for (std::size_t axis = 0; axis < first.start.size(); ++axis) {
    if (first.start[axis] == second.start[axis] && first.count[axis] == second.count[axis]) continue;
    if (along || first.start[axis] + first.count[axis] != second.start[axis]) return std::nullopt;
    along = axis;
  }
  if (!along) return std::nullopt;
  Box box = first;
  box.count[*along] += second.count[*along];
  return box;
}

/// The same in any order.
std::optional<Box> joined(const Box& one, const Box& other) {
  const auto box = continued(one, other);
  return box ? box : continued(other, one);
}

}  // namespace

BoxCover::BoxCover(Box whole) : whole_(std::move(whole)), all_elements_(volume(whole_.count)) {}

void BoxCover::add(const Box& part) {
  if (part.start.size() != whole_.start.size() || part.count.size() != whole_.start.size()) {
    throw Error(ErrorKind::usage, "a part has " + std::to_string(part.count.size()) + " axes, the field " +
                                      std::to_string(whole_.start.size()));
  }
  if (!is_inside(part, whole_)) {
    throw Error(ErrorKind::usage,
                "the part " + shown(part) + " is not inside this rank's declared box " + shown(whole_));
  }
  const std::uint64_t elements = volume(part.count);
  if (elements == 0) return;
  const auto twice = std::ranges::find_if(parts_, [&](const Box& other) { return share_elements(part, other); });
  if (twice != parts_.end()) {
    throw Error(ErrorKind::usage, "the part " + shown(part) + " has elements that were already written, in " +
                                      shown(*twice) + ": every element must be written once");
  }
  elements_ += elements;
  // Parts of a row make a row, rows make a layer, layers the box.
  Box box = part;
  while (take_neighbour(box)) {
  }
  parts_.push_back(std::move(box));
}

bool BoxCover::take_neighbour(Box& box) {
  // The last part is most often the neighbour.
  for (std::size_t i = parts_.size(); i-- > 0;) {
    auto both = joined(parts_[i], box);
    if (!both) continue;
    box = *std::move(both);
    parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

void BoxCover::clear() noexcept {
  parts_.clear();
  elements_ = 0;
}

}  // namespace quire
