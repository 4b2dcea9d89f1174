#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/records_columns.hpp"
#include "quire/kernels/number_print.hpp"
#include "quire/plan/plan.hpp"
#include "quire/plan/record.hpp"

namespace quire {

/// Rows of a run of text and the columns they come from: counts the bytes, makes the text of single rows.
class TextRows {
 public:
  /// `number` is that of the first row, for messages. Throws internal errors for widths and impossible lines.
  TextRows(const Run& run, std::vector<SourceColumn> columns, std::uint64_t rows, std::uint64_t number);

  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  /// The bytes of all rows. Throws unsupported errors for strings with zero bytes, type errors for values that do not
  /// convert.
  [[nodiscard]] std::uint64_t bytes();
  /// No more bytes than the row takes. Rows are asked for in order.
  [[nodiscard]] std::size_t most_bytes(std::uint64_t row) const;
  char* print(std::uint64_t row, char* out);
  /// Gives the memory for conversions back.
  void release() noexcept;

 private:
  struct Cell {
    Type type;
    kernels::NumberPrinter print;  ///< of numbers
    char behind;                   ///< what follows the value
  };

  void load(std::uint64_t first);
  [[nodiscard]] std::uint64_t bytes_of_cell(std::size_t cell);
  [[nodiscard]] char separator(std::uint64_t row, char behind) const noexcept;

  TextLayout layout_;
  std::vector<SourceColumn> columns_;
  std::vector<Cell> cells_;
  std::vector<std::size_t> strings_;  ///< which cells are strings
  std::size_t most_fixed_bytes_ = 0;  ///< of a row: separators, numbers and characters
  std::uint64_t rows_;
  std::uint64_t number_;
  Scratch scratch_;
  // Rows whose values stand in the types of the cells.
  std::vector<kernels::Source> sources_;
  std::uint64_t block_first_ = 0;
  std::uint64_t block_end_ = 0;
};

/// Makes text, strictly one row after another.
class TextEncoder final : public Encoder {
 public:
  /// `length` is what the rows take: other values than those that were counted are a usage error.
  TextEncoder(TextRows rows, std::uint64_t length) : rows_(std::move(rows)), length_(length) {}

  [[nodiscard]] std::size_t encode(std::uint64_t position, std::span<std::byte> out) override;

 private:
  TextRows rows_;
  std::uint64_t length_;
  std::uint64_t row_ = 0;       ///< the next one
  std::uint64_t position_ = 0;  ///< where the next call must begin
  std::vector<char> carry_;     ///< a row that did not fit, and how much of it is made
  std::size_t carried_ = 0;
};

}  // namespace quire
