#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "quire/model/slice.hpp"

namespace quire {

/// Regular blocks of an n-dimensional array: along each axis (slowest first) `count` blocks of `block` elements, the
/// first at `start`, each `stride` elements behind the beginning of the one before. Without strides or blocks they
/// are 1 on every axis.
struct Hyperslab {
  std::vector<std::uint64_t> start;
  std::vector<std::uint64_t> stride;
  std::vector<std::uint64_t> count;
  std::vector<std::uint64_t> block;

  [[nodiscard]] bool operator==(const Hyperslab&) const = default;
};

/// Elements of one array: a box, a hyperslab, or several of them that share no element. Their order is that of the
/// array (C order, which is the order in a file), whatever the order of the parts.
class Selection {
 public:
  /// Nothing.
  Selection() = default;
  Selection(Box box);
  Selection(Hyperslab slab);
  /// Of the elements of all parts.
  explicit Selection(std::vector<Hyperslab> parts) : parts_(std::move(parts)) {}

  [[nodiscard]] const std::vector<Hyperslab>& parts() const noexcept { return parts_; }
  /// The number of elements. Throws usage errors for parts whose lists differ in length, overflow errors.
  [[nodiscard]] std::uint64_t elements() const;
  [[nodiscard]] bool is_empty() const { return elements() == 0; }
  /// Throws usage errors unless every part has the array's axes and lies inside of it, without blocks that overlap.
  /// Parts that share an element are found when the selection is walked through.
  void check(const std::vector<std::uint64_t>& extents) const;

 private:
  std::vector<Hyperslab> parts_;
};

/// Elements of a flattened array at equal distances: first, first + step, ..., `count` of them.
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

/// Goes through the elements of a selection in their order, line by line, in memory that does not depend on their
/// number. A copy goes on from where the original stands.
class SelectionWalk {
 public:
  /// Throws usage errors as Selection::check().
  SelectionWalk(const std::vector<std::uint64_t>& extents, const Selection& selection);
  /// Rows of a table: slices that rise and are disjoint.
  explicit SelectionWalk(std::shared_ptr<const std::vector<Slice>> rows);

  /// How many elements there are in all.
  [[nodiscard]] std::uint64_t elements() const noexcept { return elements_; }

  /// The next line, none of them empty; lines of step 1 do not touch the one behind. Throws usage errors where two
  /// parts share an element.
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
  std::uint64_t end_ = 0;  ///< behind the last element that was handed out
  std::shared_ptr<const std::vector<Slice>> rows_;
  std::size_t next_row_ = 0;
};

/// The elements of the caller's memory that take part, where it is an array of which only a selection is meant: one
/// with ghost cells, say. Without axes and parts: the memory holds just the elements, one behind the other.
struct MemorySelection {
  std::vector<std::uint64_t> extents;  ///< of the array in memory, slowest first
  Selection selection;

  [[nodiscard]] bool is_packed() const noexcept { return extents.empty() && selection.parts().empty(); }
};

/// Rows of a table: a slice, regular blocks of rows, or a list in any order, in which rows may come several times.
class RowSelection {
 public:
  RowSelection(const Slice& rows) : RowSelection(Selection(Box{{rows.first}, {rows.count}})) {}
  /// Of one axis. The rows come in their own order.
  RowSelection(Selection rows) : rows_(std::move(rows)) {}
  RowSelection(Hyperslab rows) : rows_(Selection(std::move(rows))) {}
  /// The values come in the order of the list.
  RowSelection(std::vector<std::uint64_t> list) : rows_(std::move(list)) {}

  /// The number of rows; repeated ones count each time.
  [[nodiscard]] std::uint64_t count() const;
  /// One behind the greatest row; 0 if there are none. Throws usage errors for selections that do not have one axis,
  /// and overflow errors.
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
