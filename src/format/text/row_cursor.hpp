#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "format/text/tokens.hpp"
#include "quire/kernels/number_text.hpp"
#include "quire/plan/record.hpp"

namespace quire::text {

/// One value of a record: a token, or a field of fixed width.
struct TextCell {
  Type type = Type::float64;
  std::int64_t width = 0;  ///< 0: a token; negative: white space around the field is dropped
};

/// The cells of a run that is text, in file order.
[[nodiscard]] std::vector<TextCell> cells_of(const Run& run);

/// What came of looking for the next value of a record.
enum class Progress : std::uint8_t {
  done,
  more,   ///< the bytes end inside the record: it must be begun again when more are there
  blank,  ///< a blank line, now behind the cursor, where a line with values is due
  end,    ///< the data end where a value is due
  spent,  ///< the lines of the record are used up
};

/// A number as it was found.
struct FoundNumber {
  kernels::NumberText number;
  std::string_view text;  ///< the whole token or field, if the number is not all of it

  [[nodiscard]] bool is_whole() const noexcept { return text.empty(); }
};

/// Cuts lines of text into the values of records, strictly one after another (specs/sdds.md sections 3.1, 3.4 to 3.6).
class RowCursor {
 public:
  /// With `lines_per_row` 0 line ends mean nothing.
  explicit RowCursor(std::int64_t lines_per_row) : lines_per_row_(lines_per_row) {}

  /// Goes on at the beginning of a record. `complete`: the data end behind the bytes. `inside_line`: the record does
  /// not begin at the beginning of a line.
  void start(std::string_view bytes, bool complete, bool inside_line) noexcept;

  /// From here on values of the next record are taken.
  void begin_row() noexcept {
    lines_ = 0;
    if (lines_per_row_ != 0) rest_ = end_;
  }
  /// The next token of the line, if it is a plain number; otherwise nothing is taken.
  [[nodiscard]] bool take_plain(double& number) {
    const char* at = rest_;
    while (at != end_ && is_white(*at)) ++at;
    const auto found = kernels::parse_number(at, end_, number);
    if (!found || (found.end != end_ && !is_white(*found.end))) return false;
    rest_ = found.end;
    return true;
  }
  /// A number, written to `out` if there is one; `found` says how much of its text it is.
  [[nodiscard]] Progress take_number(const TextCell& cell, std::byte* out, FoundNumber& found);
  /// A string or character, escapes not yet replaced.
  [[nodiscard]] Progress take_text(const TextCell& cell, std::string_view& text);
  [[nodiscard]] Progress skip(const TextCell& cell);
  /// The lines of the record that were not looked at.
  [[nodiscard]] Progress drop_lines();

  /// Whether the record has taken all of its lines.
  [[nodiscard]] bool is_spent() const noexcept { return lines_per_row_ == 0 || lines_ == lines_per_row_; }
  /// Whether something else follows on the last line.
  [[nodiscard]] bool has_surplus() const noexcept { return !is_blank({rest_, static_cast<std::size_t>(end_ - rest_)}); }
  /// What follows the lines that were looked at: done for a line with values.
  [[nodiscard]] Progress next_line();

  /// Behind the last record: with its whole line, unless the next record may begin there.
  [[nodiscard]] std::size_t position() const noexcept {
    return inside_line() ? static_cast<std::size_t>(rest_ - bytes_.data()) : next_;
  }
  [[nodiscard]] bool inside_line() const noexcept { return lines_per_row_ == 0 && has_surplus(); }
  /// The place that was looked at last, for messages.
  [[nodiscard]] std::size_t place() const noexcept {
    return rest_ == nullptr ? next_ : static_cast<std::size_t>(rest_ - bytes_.data());
  }
  /// Where a text that was found begins, if it is one.
  [[nodiscard]] std::size_t place_of(std::string_view text) const noexcept {
    return text.data() == nullptr ? place() : static_cast<std::size_t>(text.data() - bytes_.data());
  }
  /// Behind the lines that were looked at.
  [[nodiscard]] std::size_t next() const noexcept { return next_; }
  /// Where the line that was looked at last begins.
  [[nodiscard]] std::size_t line_begin() const noexcept { return line_begin_; }

 private:
  /// Makes sure that the line has something left for the cell; the next line otherwise.
  [[nodiscard]] Progress prepare(const TextCell& cell) {
    const char* at = rest_;
    while (at != end_ && is_white(*at)) ++at;
    if (at == end_) return refill(cell);
    if (cell.width == 0) rest_ = at;
    return Progress::done;
  }
  [[nodiscard]] Progress refill(const TextCell& cell);
  [[nodiscard]] std::string_view cut(const TextCell& cell);
  [[nodiscard]] kernels::NumberText parse(Type type, const char* first, const char* last, std::byte* out) const {
    if (type != Type::float64) return kernels::parse_number(type, first, last, out);
    double number = 0;
    const auto found = kernels::parse_number(first, last, number);
    std::memcpy(out, &number, sizeof number);
    return found;
  }

  std::int64_t lines_per_row_;
  std::string_view bytes_;
  bool complete_ = false;
  bool inside_line_ = false;  ///< the next line is the rest of one
  std::size_t next_ = 0;      ///< behind the line at hand
  std::size_t line_begin_ = 0;
  std::int64_t lines_ = 0;  ///< of the record
  const char* rest_ = nullptr;
  const char* end_ = nullptr;  ///< of the line at hand, without its comment
};

inline Progress RowCursor::take_number(const TextCell& cell, std::byte* out, FoundNumber& found) {
  if (const Progress progress = prepare(cell); progress != Progress::done) return progress;
  if (cell.width == 0) {
    // Nearly every token is a number and nothing else.
    found.number = parse(cell.type, rest_, end_, out);
    if (found.number && (found.number.end == end_ || is_white(*found.number.end))) {
      found.text = {};
      rest_ = found.number.end;
      return Progress::done;
    }
  }
  const std::string_view text = cut(cell);
  found.number = parse(cell.type, text.data(), text.data() + text.size(), out);
  const bool whole = found.number && is_blank({found.number.end,
                                               static_cast<std::size_t>(text.data() + text.size() - found.number.end)});
  found.text = whole ? std::string_view() : text;
  return Progress::done;
}

}  // namespace quire::text
