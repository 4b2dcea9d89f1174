#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "format/text/tokens.hpp"
#include "kernels/number_text.hpp"
#include "quire/spi/plan/record.hpp"

namespace quire::text {

/// One value of a record: a token, or a field of fixed width.
struct TextCell {
  Type type = Type::float64;
  std::int64_t width = 0;  ///< 0: a token; negative: white space around the field is dropped
};

/// The cells of a run that is text, in file order.
[[nodiscard]] std::vector<TextCell> cells_of(const Run& run);

/// The result of searching the next value of a record.
enum class Progress : std::uint8_t {
  done,
  more,   ///< the bytes end inside the record: decode it again from its beginning when more bytes are available
  blank,  ///< a blank line instead of a line with values; the cursor is after it
  end,    ///< the data end instead of a value
  spent,  ///< no lines of the record are left
};

/// A parsed number.
struct FoundNumber {
  kernels::NumberText number;
  std::string_view text;  ///< the whole token or field, if the number is not all of it

  [[nodiscard]] bool is_whole() const noexcept { return text.empty(); }
};

/// Splits lines of text into the values of records, strictly in order (specs/sdds.md sections 3.1, 3.4 to 3.6).
class RowCursor {
 public:
  /// With `lines_per_row` 0, line ends are white space.
  explicit RowCursor(std::int64_t lines_per_row) : lines_per_row_(lines_per_row) {}

  /// Continues at the beginning of a record. `complete`: the data end after these bytes. `inside_line`: the record does
  /// not begin at the beginning of a line.
  void start(std::string_view bytes, bool complete, bool inside_line) noexcept;

  /// Begins the next record.
  void begin_row() noexcept {
    lines_ = 0;
    if (lines_per_row_ != 0) rest_ = end_;
  }
  /// Reads the next token of the line if it is a plain number; otherwise the cursor does not move.
  [[nodiscard]] bool take_plain(double& number) {
    const char* at = rest_;
    while (at != end_ && is_white(*at)) ++at;
    const auto found = kernels::parse_number(at, end_, number);
    if (!found || (found.end != end_ && !is_white(*found.end))) return false;
    rest_ = found.end;
    return true;
  }
  /// Reads a number and stores it at `out`. `found` contains the token if the number is only a part of it.
  [[nodiscard]] Progress take_number(const TextCell& cell, std::byte* out, FoundNumber& found);
  /// Reads a string or character; escapes are not replaced.
  [[nodiscard]] Progress take_text(const TextCell& cell, std::string_view& text);
  [[nodiscard]] Progress skip(const TextCell& cell);
  /// Skips the remaining lines of the record.
  [[nodiscard]] Progress drop_lines();

  /// Whether all lines of the record are used.
  [[nodiscard]] bool is_spent() const noexcept { return lines_per_row_ == 0 || lines_ == lines_per_row_; }
  /// Whether something else follows on the last line.
  [[nodiscard]] bool has_surplus() const noexcept { return !is_blank({rest_, static_cast<std::size_t>(end_ - rest_)}); }
  /// Reads the next line; `done` if it has values.
  [[nodiscard]] Progress next_line();

  /// The position after the last record, and after its line unless the next record may begin in the same line.
  [[nodiscard]] std::size_t position() const noexcept {
    return inside_line() ? static_cast<std::size_t>(rest_ - bytes_.data()) : next_;
  }
  [[nodiscard]] bool inside_line() const noexcept { return lines_per_row_ == 0 && has_surplus(); }
  /// The current position, for messages.
  [[nodiscard]] std::size_t place() const noexcept {
    return rest_ == nullptr ? next_ : static_cast<std::size_t>(rest_ - bytes_.data());
  }
  /// The position of a text; the current position if it is null.
  [[nodiscard]] std::size_t place_of(std::string_view text) const noexcept {
    return text.data() == nullptr ? place() : static_cast<std::size_t>(text.data() - bytes_.data());
  }
  /// The beginning of the next line.
  [[nodiscard]] std::size_t next() const noexcept { return next_; }
  /// The beginning of the current line.
  [[nodiscard]] std::size_t line_begin() const noexcept { return line_begin_; }

 private:
  /// Goes to the next line if nothing is left in this one for the cell.
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
  bool inside_line_ = false;  ///< the next line is the rest of a line
  std::size_t next_ = 0;      ///< beginning of the next line
  std::size_t line_begin_ = 0;
  std::int64_t lines_ = 0;  ///< of the record
  const char* rest_ = nullptr;
  const char* end_ = nullptr;  ///< of the current line, without its comment
};

inline Progress RowCursor::take_number(const TextCell& cell, std::byte* out, FoundNumber& found) {
  if (const Progress progress = prepare(cell); progress != Progress::done) return progress;
  if (cell.width == 0) {
    // Almost all tokens are plain numbers.
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
