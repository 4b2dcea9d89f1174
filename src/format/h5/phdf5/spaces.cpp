#include "format/h5/phdf5/spaces.hpp"

#include <algorithm>
#include <array>

namespace quire::h5 {
namespace {

using Counts = std::vector<hsize_t>;

/// At most this number of parts is united by the library, whose cost grows with the square of the number. More parts
/// are selected element by element.
constexpr std::size_t most_united = 32;
constexpr std::size_t elements_at_once = 4096;

/// The numbers of each axis, those of leading axes first; ones for missing axes.
Counts with_front(std::span<const std::uint64_t> front, const std::vector<std::uint64_t>& counts, std::size_t axes) {
  Counts all(front.begin(), front.end());
  all.insert(all.end(), counts.begin(), counts.end());
  all.resize(axes, 1);
  return all;
}

/// Selects elements one by one, in the given order.
class EachElement {
 public:
  EachElement(hid_t space, std::size_t axes, const std::string& object) : space_(space), axes_(axes), object_(object) {}

  /// Adds an element of an array with these extents, which follows leading axes with the indices `lead`.
  void add(std::span<const std::uint64_t> lead, const std::vector<std::uint64_t>& extents, std::uint64_t element) {
    const std::size_t begin = places_.size();
    places_.insert(places_.end(), lead.begin(), lead.end());
    places_.resize(begin + axes_);
    for (std::size_t axis = extents.size(); axis-- > 0; element /= extents[axis]) {
      places_[begin + lead.size() + axis] = element % extents[axis];
    }
    if (places_.size() >= elements_at_once * axes_) finish();
  }

  void finish() {
    if (places_.empty()) return;
    require(H5Sselect_elements(space_, join_, places_.size() / axes_, places_.data()), "select elements", object_);
    join_ = H5S_SELECT_APPEND;
    places_.clear();
  }

 private:
  hid_t space_;
  std::size_t axes_;
  std::string object_;
  Counts places_;
  H5S_seloper_t join_ = H5S_SELECT_SET;
};

void select_each(hid_t space, std::span<const std::uint64_t> lead, const std::vector<std::uint64_t>& extents,
                 const Selection& selection, const std::string& object) {
  EachElement each(space, lead.size() + extents.size(), object);
  SelectionWalk walk(extents, selection);
  while (const auto line = walk.next()) {
    for (std::uint64_t i = 0; i < line->count; ++i) each.add(lead, extents, line->first + i * line->step);
  }
  each.finish();
}

/// Selects all elements of rows.
void select_lines_each(hid_t space, const Counts& extents, const std::vector<Line>& rows) {
  const std::vector<std::uint64_t> shape(extents.begin(), extents.end());
  std::uint64_t width = 1;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) width *= shape[axis];
  EachElement each(space, shape.size(), "");
  for (const Line& line : rows) {
    for (std::uint64_t i = 0; i < line.count * width; ++i) {
      each.add({}, shape, (line.first + i / width * line.step) * width + i % width);
    }
  }
  each.finish();
}

}  // namespace

Handle space_of(const std::vector<std::uint64_t>& extents) {
  const Counts shape(extents.begin(), extents.end());
  return own(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), "create a shape");
}

void select_elements(hid_t space, std::span<const std::uint64_t> lead, const std::vector<std::uint64_t>& extents,
                     const Selection& selection, const std::string& object) {
  selection.check(extents);
  const std::size_t axes = lead.size() + extents.size();
  const std::uint64_t elements = selection.elements();
  if (elements == 0) {
    require(H5Sselect_none(space), "select nothing", object);
    return;
  }
  if (axes == 0) return;  // a scalar: its only element
  if (selection.parts().size() > most_united) return select_each(space, lead, extents, selection, object);
  const std::vector<std::uint64_t> ones(lead.size(), 1);
  H5S_seloper_t join = H5S_SELECT_SET;
  for (const Hyperslab& part : selection.parts()) {
    if (Selection(part).is_empty()) continue;
    const Counts start = with_front(lead, part.start, axes);
    Counts stride = with_front(ones, part.stride, axes);
    const Counts count = with_front(ones, part.count, axes);
    const Counts block = with_front(ones, part.block, axes);
    // HDF5 checks the stride even along an axis with one block, where it has no meaning.
    for (std::size_t axis = 0; axis < axes; ++axis) stride[axis] = std::max(stride[axis], block[axis]);
    require(H5Sselect_hyperslab(space, join, start.data(), stride.data(), count.data(), block.data()),
            "select elements", object);
    join = H5S_SELECT_OR;
  }
  if (static_cast<std::uint64_t>(H5Sget_select_npoints(space)) != elements) {
    throw Error(ErrorKind::usage, "two parts of a selection share an element").on(object);
  }
}

void select_rows(hid_t space, std::uint64_t first, std::uint64_t count) {
  if (count == 0) {
    require(H5Sselect_none(space), "select nothing");
    return;
  }
  std::array<hsize_t, H5S_MAX_RANK> counts{};
  std::array<hsize_t, H5S_MAX_RANK> start{};
  require(H5Sget_simple_extent_dims(space, counts.data(), nullptr), "read the shape");
  start[0] = first;
  counts[0] = count;
  require(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, counts.data(), nullptr), "select rows");
}

void select_rows(hid_t space, LineCursor& rows, std::uint64_t count) {
  Counts extents(static_cast<std::size_t>(require(H5Sget_simple_extent_ndims(space), "read the shape")));
  require(H5Sget_simple_extent_dims(space, extents.data(), nullptr), "read the shape");
  std::vector<Line> lines;
  while (count > 0) {
    Line line = rows.rest();
    line.count = std::min(line.count, count);
    rows.skip(line.count);
    count -= line.count;
    lines.push_back(line);
  }
  if (lines.size() > most_united) return select_lines_each(space, extents, lines);
  require(H5Sselect_none(space), "select nothing");
  for (const Line& line : lines) {
    Counts start(extents.size(), 0);
    Counts stride(extents.size(), 1);
    Counts counts = extents;
    start[0] = line.first;
    stride[0] = line.step;
    counts[0] = line.count;
    require(H5Sselect_hyperslab(space, H5S_SELECT_OR, start.data(), stride.data(), counts.data(), nullptr),
            "select rows");
  }
}

}  // namespace quire::h5
