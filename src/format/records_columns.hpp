#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "format/records_texts.hpp"
#include "kernels/convert.hpp"
#include "kernels/interleave.hpp"
#include "quire/model/value.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire {

/// The name of a column in messages, and whether the conversion of its values may lose information.
struct ColumnRules {
  std::string object;
  kernels::Loss loss = kernels::Loss::refused;
};

[[nodiscard]] constexpr kernels::Loss loss_for(bool lossy) noexcept {
  return lossy ? kernels::Loss::allowed : kernels::Loss::refused;
}

/// The caller's values of one cell for writing, converted to the type of the cell where the types differ. Texts of
/// fixed size are converted to their cells.
class SourceColumn {
 public:
  /// Throws a type error if values of the view's type cannot be converted to that of the cell.
  SourceColumn(const ConstView& view, const Cell& cell, ColumnRules rules);

  /// Bytes of scratch memory per row; 0 if the values are used in place.
  [[nodiscard]] std::size_t scratch_bytes() const noexcept { return converts_ ? bytes_of(cell_) : 0; }
  /// Rows [first, first + rows) of the view, or `rows` rows at distance `step` from there on. `number` is the number of
  /// the first row, for messages.
  [[nodiscard]] kernels::Source take(std::uint64_t first, std::size_t rows, std::byte* scratch, std::uint64_t number,
                                     std::uint64_t step = 1) const;
  [[nodiscard]] const ConstView& view() const noexcept { return view_; }
  [[nodiscard]] const std::string& object() const noexcept { return rules_.object; }

 private:
  void take_texts(std::uint64_t first, std::size_t rows, std::byte* cells, std::uint64_t number,
                  std::uint64_t step) const;

  ConstView view_;
  Cell cell_;
  bool converts_;
  ColumnRules rules_;
};

/// The caller's memory for the values of one cell, for reading.
class TargetColumn {
 public:
  /// Throws a type error if values of the cell's type cannot be converted to that of the view. Texts of fixed size are
  /// given to `texts`, whose row `first_text` is the first row of the view.
  TargetColumn(const View& view, const Cell& cell, ColumnRules rules, std::shared_ptr<PaddedTexts> texts = {},
               std::uint64_t first_text = 0);

  [[nodiscard]] std::size_t scratch_bytes() const noexcept { return converts_ ? bytes_of(cell_) : 0; }
  /// The memory for rows [first, first + rows) in the type of the cell: the caller's memory or scratch. With `step`,
  /// for every step-th row.
  [[nodiscard]] kernels::Target place(std::uint64_t first, std::byte* scratch, std::uint64_t step = 1) const noexcept;
  /// To be called after `place`: converts the values in scratch.
  void finish(std::uint64_t first, std::size_t rows, const std::byte* scratch, std::uint64_t number,
              std::uint64_t step = 1) const;
  [[nodiscard]] const View& view() const noexcept { return view_; }
  /// False in plans that are only inspected.
  [[nodiscard]] bool has_memory() const noexcept { return view_.data != nullptr || view_.strings != nullptr; }
  /// The name of the column in messages.
  [[nodiscard]] const std::string& object() const noexcept { return rules_.object; }

 private:
  [[nodiscard]] std::byte* row(std::uint64_t first) const noexcept;

  View view_;
  Cell cell_;
  bool converts_;
  ColumnRules rules_;
  std::shared_ptr<PaddedTexts> texts_;
  std::uint64_t first_text_;
};

/// Memory for the conversion of blocks of rows: allocated on first use, and small enough for the second-level cache.
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
