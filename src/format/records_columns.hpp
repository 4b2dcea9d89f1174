#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "quire/kernels/convert.hpp"
#include "quire/kernels/interleave.hpp"
#include "quire/model/view.hpp"

namespace quire {

/// How a column is called in messages and what its values may suffer on their way between memory and cell.
struct ColumnRules {
  std::string object;
  kernels::Loss loss = kernels::Loss::refused;
};

[[nodiscard]] constexpr kernels::Loss loss_for(bool lossy) noexcept {
  return lossy ? kernels::Loss::allowed : kernels::Loss::refused;
}

/// The caller's values of one cell while they are written: seen in the type of the cell, converted where they differ.
class SourceColumn {
 public:
  /// Throws type errors if the view's values can not become those of the cell.
  SourceColumn(const ConstView& view, Type cell, ColumnRules rules);

  /// Bytes of scratch memory per row; 0 if the values are taken from the caller's memory as they are.
  [[nodiscard]] std::size_t scratch_bytes() const noexcept { return converts_ ? size_of(cell_) : 0; }
  /// Rows [first, first + rows) of the view, or with `step` every step-th row from there on. `number` is the number of
  /// the first one, for messages.
  [[nodiscard]] kernels::Source take(std::uint64_t first, std::size_t rows, std::byte* scratch, std::uint64_t number,
                                     std::uint64_t step = 1) const;
  [[nodiscard]] const ConstView& view() const noexcept { return view_; }
  [[nodiscard]] const std::string& object() const noexcept { return rules_.object; }

 private:
  ConstView view_;
  Type cell_;
  bool converts_;
  ColumnRules rules_;
};

/// The caller's memory for the values of one cell while they are read.
class TargetColumn {
 public:
  /// Throws type errors if the cell's values can not become those of the view.
  TargetColumn(const View& view, Type cell, ColumnRules rules);

  [[nodiscard]] std::size_t scratch_bytes() const noexcept { return converts_ ? size_of(cell_) : 0; }
  /// Where rows [first, first + rows) shall be put in the type of the cell: the caller's memory or scratch.
  /// With `step` to every step-th row.
  [[nodiscard]] kernels::Target place(std::uint64_t first, std::byte* scratch, std::uint64_t step = 1) const noexcept;
  /// Afterwards: converts what was put into scratch.
  void finish(std::uint64_t first, std::size_t rows, const std::byte* scratch, std::uint64_t number,
              std::uint64_t step = 1) const;
  [[nodiscard]] const View& view() const noexcept { return view_; }
  /// How the column is called in messages.
  [[nodiscard]] const std::string& object() const noexcept { return rules_.object; }

 private:
  [[nodiscard]] std::byte* row(std::uint64_t first) const noexcept;

  View view_;
  Type cell_;
  bool converts_;
  ColumnRules rules_;
};

/// Memory in which blocks of rows are converted: allocated when the first block needs it, small enough for the
/// second-level cache.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes_per_row);
  /// Rows of one block; all rows at once if nothing is converted.
  [[nodiscard]] std::size_t block_rows() const noexcept { return block_rows_; }
  [[nodiscard]] std::byte* memory();
  void release() noexcept { memory_ = {}; }

 private:
  std::size_t bytes_per_row_;
  std::size_t block_rows_;
  std::vector<std::byte> memory_;
};

/// Rows [first, first + rows) of a view of numbers.
[[nodiscard]] View part_of(const View& view, std::uint64_t first, std::uint64_t rows);

}  // namespace quire
