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
#include "quire/plan/record.hpp"

namespace quire::sdds {

/// What a walk looks at.
enum class Care : std::uint8_t {
  lines,   ///< only where lines end; not for records that do not end with their lines
  values,  ///< every value, as those who read them will
};

/// Steps over the records of a run that are lines of text and remembers where every so many of them begin.
class TextWalk {
 public:
  /// `run` has offset, cells and text; records, marks and bytes are found. `records` are announced; nothing: up to a
  /// blank line or the end of the data. `budget` bounds a line (of several, those of one record).
  TextWalk(Run run, std::optional<std::uint64_t> records, Care care, std::uint64_t file_size, std::uint64_t budget);

  /// Goes on with the bytes of the window. Nothing: all records are found. Throws bad_file errors for values that are
  /// none and for records that are missing, and memory errors.
  [[nodiscard]] std::optional<Need> advance(const Window& window);

  /// The run with the complete records found so far.
  [[nodiscard]] Run found() const;
  /// Behind the last line that belongs to the records; a blank line that ends them stands there.
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  /// The cell whose value made advance() throw, if it was one.
  [[nodiscard]] std::optional<std::size_t> failed_cell() const noexcept { return failed_cell_; }
  /// What careful looking found that is no plain value but is read all the same, in sentences.
  [[nodiscard]] std::vector<std::string> tolerances() const;

 private:
  enum class LineState : std::uint8_t { begin, blank, comment, blank_comment, data };
  enum class Tolerance : std::uint8_t { partial, range, surplus };
  struct Noted {
    std::uint64_t count = 0;
    std::uint64_t first = 0;
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
  [[noreturn]] void fail(const std::string& what, std::uint64_t offset);
  void note(Tolerance tolerance, std::uint64_t offset);
  [[nodiscard]] std::uint64_t place() const noexcept { return base_ + cursor_.place(); }

  Run run_;
  std::optional<std::uint64_t> records_;
  std::uint64_t file_size_;
  std::uint64_t budget_;
  std::vector<text::TextCell> cells_;
  std::uint64_t record_ = 0;        ///< complete ones
  std::uint64_t record_begin_ = 0;  ///< of the next one
  std::uint64_t last_begin_ = 0;    ///< of the last complete one
  std::uint64_t end_ = 0;
  std::uint64_t position_ = 0;  ///< Care::lines: how far it has looked
  std::int64_t lines_ = 0;      ///< Care::lines: of the record at hand
  std::uint64_t base_ = 0;      ///< offset of the bytes that the cursor looks at
  text::RowCursor cursor_;
  std::optional<std::size_t> failed_cell_;
  std::array<Noted, 3> noted_{};
  Care care_;
  LineState state_ = LineState::begin;
  bool done_ = false;
  bool only_last_rows_ = false;   ///< Care::values, but not for the rows in front
  bool inside_line_ = false;      ///< the next record does not begin at the beginning of a line
  bool unfinished_line_ = false;  ///< the file ends without a line end
};

}  // namespace quire::sdds
