#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace quire {

/// Rows [first, first + count) of a table.
struct Slice {
  std::uint64_t first = 0;
  std::uint64_t count = 0;

  [[nodiscard]] std::uint64_t end() const noexcept { return first + count; }
  [[nodiscard]] bool operator==(const Slice&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    a(first, count);
  }
};

/// A box of an n-dimensional array: along each axis (slowest first) the elements [start, start + count).
struct Box {
  std::vector<std::uint64_t> start;
  std::vector<std::uint64_t> count;

  [[nodiscard]] bool operator==(const Box&) const = default;
};

/// The box of all elements of an array with these extents.
[[nodiscard]] Box whole(const std::vector<std::uint64_t>& extents);

/// The number of elements of a box or of an array with these extents; overflow is an error.
[[nodiscard]] std::uint64_t volume(const std::vector<std::uint64_t>& extents);

/// Regular blocks of an n-dimensional array: along each axis (slowest first) `count` blocks of `block` elements, the
/// first at `start`, their beginnings `stride` elements apart. Missing strides and blocks are 1 on every axis.
struct Hyperslab {
  std::vector<std::uint64_t> start;
  std::vector<std::uint64_t> stride;
  std::vector<std::uint64_t> count;
  std::vector<std::uint64_t> block;

  [[nodiscard]] bool operator==(const Hyperslab&) const = default;
};

/// Elements of one array: a box, a hyperslab, or several of them that share no element. Their order is the C order of
/// the array, as in a file, whatever the order of the parts.
class Selection {
 public:
  /// Selects nothing.
  Selection() = default;
  Selection(Box box);
  Selection(Hyperslab slab);
  /// Selects the elements of all parts.
  explicit Selection(std::vector<Hyperslab> parts) : parts_(std::move(parts)) {}

  [[nodiscard]] const std::vector<Hyperslab>& parts() const noexcept { return parts_; }
  /// The number of elements. Throws usage errors for parts whose lists differ in length, and overflow errors.
  [[nodiscard]] std::uint64_t elements() const;
  [[nodiscard]] bool is_empty() const { return elements() == 0; }
  /// Throws usage errors unless every part has the array's axes, lies inside it, and has no overlapping blocks.
  /// Elements that parts share are only detected by a SelectionWalk.
  void check(const std::vector<std::uint64_t>& extents) const;

 private:
  std::vector<Hyperslab> parts_;
};

/// Elements of a flattened array at equal distances: first, first + step, ..., `count` in all.
struct Line {
  std::uint64_t first = 0;
  std::uint64_t step = 1;
  std::uint64_t count = 0;

  [[nodiscard]] bool operator==(const Line&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    a(first, step, count);
  }
};

/// Iterates over the elements of a selection in their order, line by line, in memory that does not depend on their
/// number. A copy continues from the position of the original.
class SelectionWalk {
 public:
  /// Throws usage errors as Selection::check().
  SelectionWalk(const std::vector<std::uint64_t>& extents, const Selection& selection);
  /// Rows of a table: disjoint slices in rising order.
  explicit SelectionWalk(std::shared_ptr<const std::vector<Slice>> rows);

  /// The number of elements.
  [[nodiscard]] std::uint64_t elements() const noexcept { return elements_; }

  /// The next line. No line is empty; lines of step 1 do not touch the following one. Throws usage errors if two parts
  /// share an element.
  [[nodiscard]] std::optional<Line> next();

 private:
  /// One part: loops around a line, outermost first.
  struct Loop {
    std::uint64_t count = 1;
    std::uint64_t step = 1;
    std::uint64_t done = 0;
  };
  struct Part {
    std::vector<Loop> loops;
    Line line;        ///< what is left of the current line
    Line whole_line;  ///< the line with all loops at their beginning
    bool is_done = false;
    void advance();
  };
  [[nodiscard]] static Part part_of(const std::vector<std::uint64_t>& extents, const Hyperslab& slab);
  [[nodiscard]] std::optional<Line> next_raw();

  std::uint64_t elements_ = 0;
  std::vector<Part> parts_;
  std::optional<Line> waiting_;
  std::uint64_t end_ = 0;  ///< after the last element that was returned
  std::shared_ptr<const std::vector<Slice>> rows_;
  std::size_t next_row_ = 0;
};

/// The elements of the caller's memory that are used, if it is an array of which only a selection is meant: one with
/// ghost cells, for instance. Without axes and parts the memory holds just the elements, contiguously.
struct MemorySelection {
  std::vector<std::uint64_t> extents;  ///< of the array in memory, slowest first
  Selection selection;

  [[nodiscard]] bool is_packed() const noexcept { return extents.empty() && selection.parts().empty(); }
};

/// Rows of a table: a slice, regular blocks of rows, or a list in any order, which may contain rows several times.
class RowSelection {
 public:
  RowSelection(const Slice& rows) : RowSelection(Selection(Box{{rows.first}, {rows.count}})) {}
  /// A selection of one axis, in the order of the rows.
  RowSelection(Selection rows) : rows_(std::move(rows)) {}
  RowSelection(Hyperslab rows) : rows_(Selection(std::move(rows))) {}
  /// The values are in the order of the list.
  RowSelection(std::vector<std::uint64_t> list) : rows_(std::move(list)) {}

  /// The number of rows; repeated ones count each time.
  [[nodiscard]] std::uint64_t count() const;
  /// The greatest row plus one; 0 if there are none. Throws usage errors for selections that do not have one axis, and
  /// overflow errors.
  [[nodiscard]] std::uint64_t end() const;
  /// The rows as a selection of one axis; nothing for a list.
  [[nodiscard]] const Selection* regular() const noexcept { return std::get_if<Selection>(&rows_); }
  [[nodiscard]] const std::vector<std::uint64_t>* list() const noexcept {
    return std::get_if<std::vector<std::uint64_t>>(&rows_);
  }

 private:
  std::variant<Selection, std::vector<std::uint64_t>> rows_;
};

}  // namespace quire
