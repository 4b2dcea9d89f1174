#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/sdds/need.hpp"
#include "format/text/row_cursor.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire::sdds {

/// What a walk checks.
enum class Care : std::uint8_t {
  lines,   ///< only line ends; not for records that do not end with their lines
  values,  ///< every value, with the rules of reading
};

/// Walks over the records of a run that are lines of text, and marks the beginning of every n-th record.
class TextWalk {
 public:
  /// `run` has offset, cells and text; records, marks and bytes are found. `records` is the declared number; nothing:
  /// up to a blank line or the end of the data. `budget` bounds the lines of one record.
  TextWalk(Run run, std::optional<std::uint64_t> records, Care care, std::uint64_t file_size, std::uint64_t budget);

  /// Continues with the bytes of the window. Nothing: all records are found. Throws bad_file errors for invalid values
  /// and for missing records, and memory errors.
  [[nodiscard]] std::optional<Need> advance(const Window& window);

  /// The run with the complete records found so far.
  [[nodiscard]] Run found() const;
  /// The offset after the last line of the records; a blank line that ends them begins there.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  /// The cell whose value made advance() throw, if it was one.
  [[nodiscard]] std::optional<std::size_t> failed_cell() const noexcept { return failed_cell_; }
  /// The defects of values that were found and tolerated, in sentences.
  [[nodiscard]] std::vector<std::string> tolerances() const;

 private:
  enum class LineState : std::uint8_t { begin, blank, comment, blank_comment, data };
  enum class Tolerance : std::uint8_t { partial, range, surplus };
  struct Noted {
    std::uint64_t count = 0;
    std::uint64_t first = 0;
  };

  /// Records that end with their lines.
  struct WholeLines {
    std::uint64_t records = 0;
    std::uint64_t end = 0;
  };

  [[nodiscard]] bool has_all() const noexcept { return records_ && record_ == *records_; }
  void mark();
  void count_record(std::uint64_t next);

  // Care::lines
  [[nodiscard]] std::optional<Need> scan_lines(const Window& window);
  [[nodiscard]] std::size_t scan_line(std::string_view bytes);
  void end_line(LineState state, std::uint64_t next);
  void look_carefully();
  void look_carefully_from(std::uint64_t mark);

  // Care::values
  [[nodiscard]] std::optional<Need> check_rows(const Window& window);
  [[nodiscard]] text::Progress check_row();
  void check_number(std::size_t cell, const text::FoundNumber& found);
  [[nodiscard]] bool ends_with(text::Progress progress);
  void end_table(std::uint64_t end);
  [[nodiscard]] bool has_fields() const noexcept;
  [[noreturn]] void fail(const std::string& what, std::uint64_t offset);
  void note(Tolerance tolerance, std::uint64_t offset);
  [[nodiscard]] std::uint64_t place() const noexcept { return base_ + cursor_.place(); }

  Run run_;
  std::optional<std::uint64_t> records_;
  std::uint64_t file_size_;
  std::uint64_t budget_;
  std::vector<text::TextCell> cells_;
  std::uint64_t record_ = 0;        ///< complete records
  std::uint64_t record_begin_ = 0;  ///< of the next one
  std::uint64_t last_begin_ = 0;    ///< of the last complete one
  std::uint64_t end_ = 0;
  std::uint64_t line_end_ = 0;  ///< Care::values: of the last line of the last complete record
  std::uint64_t position_ = 0;  ///< Care::lines: the current position
  std::int64_t lines_ = 0;      ///< Care::lines: of the current record
  std::uint64_t base_ = 0;      ///< offset of the cursor's bytes
  text::RowCursor cursor_;
  WholeLines whole_lines_;
  std::optional<std::size_t> failed_cell_;
  std::array<Noted, 3> noted_{};
  Care care_;
  LineState state_ = LineState::begin;
  bool done_ = false;
  bool only_last_rows_ = false;   ///< Care::values, but not for the rows before
  bool inside_line_ = false;      ///< the next record does not begin at the beginning of a line
  bool unfinished_line_ = false;  ///< the file ends without a line end
};

}  // namespace quire::sdds
