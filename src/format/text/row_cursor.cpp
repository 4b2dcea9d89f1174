#include "format/text/row_cursor.hpp"

#include "quire/base/error.hpp"

namespace quire::text {

std::vector<TextCell> cells_of(const Run& run) {
  const auto& widths = run.text->widths;
  if (!widths.empty() && widths.size() != run.cells.size()) {
    throw Error(ErrorKind::internal, "the widths of a run of text do not match its cells");
  }
  std::vector<TextCell> cells;
  for (std::size_t i = 0; i < run.cells.size(); ++i) {
    cells.push_back({run.cells[i].type, widths.empty() ? 0 : widths[i]});
  }
  return cells;
}

void RowCursor::start(std::string_view bytes, bool complete, bool inside_line) noexcept {
  bytes_ = bytes;
  complete_ = complete;
  inside_line_ = inside_line;
  next_ = 0;
  lines_ = 0;
  rest_ = end_ = bytes.data();
}

Progress RowCursor::next_line() {
  while (true) {
    if (next_ == bytes_.size()) return complete_ ? Progress::end : Progress::more;
    const auto line = first_line(bytes_.substr(next_), complete_);
    if (!line) return Progress::more;
    line_begin_ = next_;
    next_ += line->bytes;
    const bool is_rest = inside_line_;
    inside_line_ = false;
    if (line->is_comment() && !is_rest) continue;
    const std::string_view text = without_comment(line->text);
    rest_ = text.data();
    end_ = rest_ + text.size();
    if (!is_blank(text)) return Progress::done;
    if (!is_rest) return Progress::blank;
  }
}

Progress RowCursor::refill(const TextCell& cell) {
  if (lines_per_row_ != 0 && lines_ == lines_per_row_) {
    // Blanks up to the end of the line are a string of fixed width.
    const bool is_field = cell.width != 0 && cell.type == Type::string && rest_ != end_;
    return is_field ? Progress::done : Progress::spent;
  }
  const Progress progress = next_line();
  if (progress != Progress::done) return progress;
  ++lines_;
  if (cell.width == 0) {
    while (is_white(*rest_)) ++rest_;
  }
  return Progress::done;
}

std::string_view RowCursor::cut(const TextCell& cell) {
  std::string_view line(rest_, static_cast<std::size_t>(end_ - rest_));
  const std::string_view text =
      cell.width != 0 ? next_field(line, cell.width) : next_token(line).value_or(std::string_view());
  rest_ = line.data();
  return text;
}

Progress RowCursor::take_text(const TextCell& cell, std::string_view& text) {
  const Progress progress = prepare(cell);
  if (progress == Progress::done) text = cut(cell);
  return progress;
}

Progress RowCursor::skip(const TextCell& cell) {
  const Progress progress = prepare(cell);
  if (progress != Progress::done) return progress;
  if (cell.width == 0) {
    const char* at = rest_;
    while (at != end_ && !is_white(*at) && *at != '"' && *at != '\\') ++at;
    if (at == end_ || is_white(*at)) {
      rest_ = at;
      return Progress::done;
    }
  }
  static_cast<void>(cut(cell));
  return Progress::done;
}

Progress RowCursor::drop_lines() {
  while (!is_spent()) {
    const Progress progress = next_line();
    if (progress != Progress::done) return progress;
    ++lines_;
  }
  return Progress::done;
}

}  // namespace quire::text
