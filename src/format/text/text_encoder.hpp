#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "format/records_columns.hpp"
#include "kernels/number_print.hpp"
#include "quire/spi/plan/plan.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire {

/// The rows of a run of text and their columns: computes the size of the text and prints single rows.
class TextRows {
 public:
  /// `number` is that of the first row, for messages. Throws an internal error for fields of fixed width and for
  /// impossible numbers of lines.
  TextRows(const Run& run, std::vector<SourceColumn> columns, std::uint64_t rows, std::uint64_t number);

  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }
  /// The size of all rows in bytes. Throws an unsupported error for strings with zero bytes and a type error for values
  /// that do not convert.
  [[nodiscard]] std::uint64_t bytes();
  /// An upper bound of the size of a row in bytes. Rows must be requested in order.
  [[nodiscard]] std::size_t most_bytes(std::uint64_t row) const;
  char* print(std::uint64_t row, char* out);
  /// Frees the memory for conversions.
  void release() noexcept;

 private:
  struct Cell {
    Type type;
    kernels::NumberPrinter print;  ///< of numbers
    char following;                ///< the character after the value
  };

  void load(std::uint64_t first);
  [[nodiscard]] std::uint64_t bytes_of_cell(std::size_t cell);
  [[nodiscard]] char separator(std::uint64_t row, char following) const noexcept;

  TextLayout layout_;
  std::vector<SourceColumn> columns_;
  std::vector<Cell> cells_;
  std::vector<std::size_t> strings_;  ///< which cells are strings
  std::size_t most_fixed_bytes_ = 0;  ///< of a row: separators, numbers and characters
  std::uint64_t rows_;
  std::uint64_t number_;
  Scratch scratch_;
  // Rows whose values are converted to the types of the cells.
  std::vector<kernels::Source> sources_;
  std::uint64_t block_first_ = 0;
  std::uint64_t block_end_ = 0;
};

/// Encodes rows as text, strictly in order.
class TextEncoder final : public Encoder {
 public:
  /// `length` is the size of all rows in bytes. A different size when encoding is a usage error: the values changed.
  TextEncoder(TextRows rows, std::uint64_t length) : rows_(std::move(rows)), length_(length) {}

  [[nodiscard]] std::size_t encode(std::uint64_t position, std::span<std::byte> out) override;

 private:
  TextRows rows_;
  std::uint64_t length_;
  std::uint64_t row_ = 0;       ///< the next one
  std::uint64_t position_ = 0;  ///< required position of the next call
  std::vector<char> carry_;     ///< a row that did not fit
  std::size_t carried_ = 0;     ///< bytes of it that are already written
};

}  // namespace quire
