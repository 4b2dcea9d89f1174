#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quire/model/type.hpp"
#include "quire/model/value.hpp"

namespace quire::kernels {

/// The syntax of a text of rows and cells.
struct Dialect {
  char delimiter = ',';                ///< a blank matches any run of blanks and tabs, also those around a row
  char comment = '\0';                 ///< lines that begin with it are skipped; zero: no comments
  std::vector<std::string> missing{};  ///< cells of numbers that count as empty, such as NA
};

/// The kinds of cells in a column, as bits.
enum CellKinds : std::uint8_t {
  empty_cells = 1,
  integer_cells = 2,  ///< decimal integers that an int64 holds
  wide_cells = 4,     ///< decimal integers that it does not hold
  real_cells = 8,     ///< other numbers that a float64 holds, with the exponents of C or Fortran; nan and inf
  text_cells = 16,
};

/// The rows and cells of a piece of text. Cells in quotes may hold delimiters, line ends and doubled quotes.
class DelimitedBlock {
 public:
  /// Independent. Throws usage errors if a quote or a line end is a delimiter or begins a comment.
  explicit DelimitedBlock(Dialect dialect);

  /// Independent. Finds the cells of all complete rows of `text`, which must stay valid, and returns how many bytes
  /// they occupy; the rest belongs to the next piece. Blank lines and comments are skipped.
  ///
  /// `columns` is the number of cells that each row must have (one more empty cell is allowed at its end); zero: as
  /// many as the first row. `is_last`: the text ends the file. `first_line` is the number of its first line, for
  /// errors. Throws bad_file errors that name the line: wrong number of cells, unterminated quote, text after a quote.
  std::size_t split(std::string_view text, bool is_last, std::size_t columns, std::uint64_t first_line);

  [[nodiscard]] std::size_t rows() const noexcept { return lines_.size(); }
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  /// The number of the line after the last row.
  [[nodiscard]] std::uint64_t next_line() const noexcept { return line_; }

  /// Independent. Adds the kinds of these cells to those of each column; columns known as text are skipped.
  void classify(std::span<std::uint8_t> kinds) const;
  /// Independent. The number of bytes of each text of a column.
  [[nodiscard]] std::vector<std::uint64_t> text_bytes(std::size_t column) const;
  /// Independent. The texts of a column, without quotes.
  void texts(std::size_t column, PackedStrings& texts) const;
  /// Independent. The numbers (or single characters) of a column, in contiguous memory; empty cells of floating-point
  /// columns are nan. Throws type errors that name the line.
  void values(std::size_t column, const View& out) const;

 private:
  struct Cell {
    std::uint32_t first = 0;
    std::uint32_t length = 0;
    bool is_quoted = false;
    bool has_doubled_quotes = false;
  };

  [[nodiscard]] bool take_row(std::size_t& position, bool is_last);
  [[nodiscard]] bool take_quoted(std::size_t& position, bool is_last);
  void take_plain(std::size_t& position);
  enum class Line : std::uint8_t { row, skipped, incomplete };
  [[nodiscard]] Line skip_line(std::size_t& position, bool is_last);
  void finish_row(std::size_t first_cell, std::uint64_t line);
  [[nodiscard]] std::string_view bytes_of(const Cell& cell) const { return text_.substr(cell.first, cell.length); }
  /// The text of a cell of numbers, without blanks around it; empty for words of missing values.
  [[nodiscard]] std::string_view number_text(std::size_t row, std::size_t column) const;
  [[nodiscard]] const Cell& cell(std::size_t row, std::size_t column) const { return cells_[row * columns_ + column]; }
  template <class Number>
  void numbers(std::size_t column, const View& out) const;
  void characters(std::size_t column, const View& out) const;

  Dialect dialect_;
  std::string_view text_;
  std::vector<Cell> cells_;
  std::vector<std::uint64_t> lines_;
  std::size_t columns_ = 0;
  std::uint64_t line_ = 1;
};

/// Independent. Appends rows as text, each with a line end: numbers with the digits that read back to the same value
/// (floating-point types always with a point or an exponent), texts in quotes if they are empty or contain the
/// delimiter, a quote or a line end. All columns have the same number of rows.
void append_rows(std::span<const ConstView> columns, std::string_view delimiter, std::string& out);

}  // namespace quire::kernels
