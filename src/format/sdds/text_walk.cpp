#include "format/sdds/text_walk.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/characters.hpp"
#include "format/sdds/record_walk.hpp"
#include "format/sdds/text_values.hpp"

namespace quire::sdds {
namespace {

using text::Progress;

[[nodiscard]] std::string_view bytes_from(const Window& window, std::uint64_t offset) {
  if (offset < window.offset || offset - window.offset > window.bytes.size()) return {};
  const auto bytes = window.bytes.subspan(static_cast<std::size_t>(offset - window.offset));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

TextWalk::TextWalk(Run run, std::optional<std::uint64_t> records, Care care, std::uint64_t file_size,
                   std::uint64_t budget)
    : run_(std::move(run)),
      records_(records),
      file_size_(file_size),
      budget_(budget),
      cells_(text::cells_of(run_)),
      record_begin_(run_.offset),
      last_begin_(run_.offset),
      end_(run_.offset),
      position_(run_.offset),
      cursor_(run_.text->lines_per_row),
      whole_lines_{.records = 0, .end = run_.offset},
      care_(run_.text->lines_per_row == 0 ? Care::values : care) {
  run_.marks.every = 1;
}

std::optional<Need> TextWalk::advance(const Window& window) {
  while (!done_ && !has_all()) {
    try {
      const auto need = care_ == Care::lines ? scan_lines(window) : check_rows(window);
      if (need) return need;
    } catch (const Error& error) {
      // Rows before the checked ones may be bad, too.
      if (!only_last_rows_ || error.kind() != ErrorKind::bad_file) throw;
      look_carefully_from(0);
    }
  }
  return std::nullopt;
}

void TextWalk::mark() {
  auto& marks = run_.marks;
  if (record_ != marks.offsets.size() * marks.every) return;
  if (marks.offsets.size() == most_marks) {
    for (std::size_t i = 0; i < most_marks / 2; ++i) marks.offsets[i] = marks.offsets[2 * i];
    marks.offsets.resize(most_marks / 2);
    marks.every *= 2;
    if (record_ != marks.offsets.size() * marks.every) return;
  }
  marks.offsets.push_back(record_begin_);
}

void TextWalk::count_record(std::uint64_t next) {
  ++record_;
  last_begin_ = std::exchange(record_begin_, next);
  end_ = next;
}

std::optional<Need> TextWalk::scan_lines(const Window& window) {
  while (care_ == Care::lines && !done_ && !has_all()) {
    if (state_ == LineState::begin && lines_ == 0) mark();
    if (position_ == file_size_) {
      if (state_ == LineState::begin) {
        look_carefully();
      } else {
        end_line(state_, position_);
        // A line without an end may be cut.
        if (has_all()) look_carefully_from((record_ - 1) / run_.marks.every);
      }
      continue;
    }
    const std::string_view bytes = bytes_from(window, position_);
    if (bytes.empty()) return Need{position_, 1};
    position_ += scan_line(bytes);
  }
  return std::nullopt;
}

/// Searches the end of the current line and returns the number of bytes up to it.
std::size_t TextWalk::scan_line(std::string_view bytes) {
  std::size_t at = 0;
  if (state_ == LineState::begin) state_ = bytes.front() == '!' ? LineState::comment : LineState::blank;
  if (state_ == LineState::blank) {
    while (at < bytes.size() && bytes[at] != '\n' && is_white(bytes[at])) ++at;
    if (at == bytes.size()) return at;
    if (bytes[at] != '\n') state_ = bytes[at] == '!' ? LineState::blank_comment : LineState::data;
  }
  const auto* end = static_cast<const char*>(std::memchr(bytes.data() + at, '\n', bytes.size() - at));
  if (end == nullptr) return bytes.size();
  const auto used = static_cast<std::size_t>(end - bytes.data()) + 1;
  end_line(state_, position_ + used);
  return used;
}

void TextWalk::end_line(LineState state, std::uint64_t next) {
  state_ = LineState::begin;
  if (state == LineState::comment) return;
  if (state != LineState::data) {
    look_carefully();
  } else if (++lines_ == run_.text->lines_per_row) {
    lines_ = 0;
    count_record(next);
  }
}

/// Checks values at the end of the lines. Without a row count, only the last record may be incomplete; with one, all
/// values must be checked to find the number of good records.
void TextWalk::look_carefully() {
  const std::uint64_t every = run_.marks.every;
  look_carefully_from(records_ || record_ == 0 ? 0 : (record_ - 1) / every);
}

void TextWalk::look_carefully_from(std::uint64_t mark) {
  auto& marks = run_.marks;
  care_ = Care::values;
  only_last_rows_ = mark != 0;
  record_ = mark * marks.every;
  record_begin_ = mark == 0 ? run_.offset : marks.offsets.at(static_cast<std::size_t>(mark));
  marks.offsets.resize(static_cast<std::size_t>(mark));
  if (mark == 0) marks.every = 1;
  last_begin_ = end_ = record_begin_;
}

std::optional<Need> TextWalk::check_rows(const Window& window) {
  base_ = record_begin_;
  const std::string_view bytes = bytes_from(window, base_);
  if (bytes.empty() && base_ != file_size_) return Need{base_, 1};
  const bool complete = base_ + bytes.size() == file_size_;
  unfinished_line_ = complete && !bytes.empty() && bytes.back() != '\n';
  cursor_.start(bytes, complete, inside_line_);
  while (!has_all()) {
    mark();
    const auto noted = noted_;
    const Progress progress = check_row();
    if (progress == Progress::more || (progress != Progress::done && !ends_with(progress))) {
      noted_ = noted;
      const std::uint64_t seen = base_ + bytes.size() - record_begin_;
      if (seen > budget_) {
        throw Error(ErrorKind::memory, "a line is longer than the memory budget allows")
            .at(record_begin_)
            .advise("raise the memory budget: quire.open(..., memory_budget=)");
      }
      return Need{record_begin_, std::min(2 * seen + 1, file_size_ - record_begin_)};
    }
    if (done_) return std::nullopt;
    inside_line_ = cursor_.inside_line();
    count_record(base_ + cursor_.position());
    line_end_ = base_ + cursor_.next();
    const bool is_cut = unfinished_line_ && line_end_ == file_size_;
    if (!inside_line_ && !is_cut) whole_lines_ = {.records = record_, .end = record_begin_};
  }
  end_ = base_ + cursor_.next();
  return std::nullopt;
}

Progress TextWalk::check_row() {
  cursor_.begin_row();
  alignas(16) std::array<std::byte, 16> number;
  text::FoundNumber found;
  std::string_view characters;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const bool is_text = cells_[i].type == Type::string || cells_[i].type == Type::character;
    const Progress progress =
        is_text ? cursor_.take_text(cells_[i], characters) : cursor_.take_number(cells_[i], number.data(), found);
    if (progress != Progress::done) return progress;
    if (!is_text) check_number(i, found);
  }
  if (!cursor_.is_spent()) fail("a record has fewer lines than the header states", place());
  if (run_.text->lines_per_row != 0 && cursor_.has_surplus()) note(Tolerance::surplus, place());
  return Progress::done;
}

void TextWalk::check_number(std::size_t cell, const text::FoundNumber& found) {
  if (found.number && found.is_whole() && found.number.fits) return;
  const std::string type(name(cells_[cell].type));
  const std::string shown = quoted_begin(found.text);
  const std::string where = "record " + std::to_string(record_) + ": ";
  const bool strict = run_.text->strict;
  if (!found.number || strict) failed_cell_ = cell;
  const std::uint64_t offset = base_ + cursor_.place_of(found.text);
  if (!found.number) fail(where + shown + " is not a value of type " + type, offset);
  if (!found.is_whole()) {
    if (strict) fail(where + shown + " has text after the value of type " + type, offset);
    note(Tolerance::partial, offset);
  }
  if (!found.number.fits) {
    if (strict) fail(where + "an integer is outside of the range of type " + type, offset);
    note(Tolerance::range, offset);
  }
}

/// Ends the table at an incomplete record, or fails. False: more bytes are needed.
bool TextWalk::ends_with(Progress progress) {
  const std::string record = "record " + std::to_string(record_);
  if (!records_) {
    // An incomplete record at the end is dropped if nothing follows it.
    if (progress == Progress::spent) {
      const std::uint64_t offset = place();
      progress = cursor_.next_line();
      if (progress == Progress::more) return false;
      if (progress == Progress::done) fail(record + " has too few values", offset);
    }
    end_table(base_ + (progress == Progress::blank ? cursor_.line_begin() : cursor_.next()));
    return true;
  }
  if (progress == Progress::blank) fail("there is a blank line instead of values of " + record, place());
  if (progress == Progress::spent) fail(record + " has too few values", place());
  fail("the file ends before values of " + record, file_size_);
}

void TextWalk::end_table(std::uint64_t end) {
  done_ = true;
  end_ = end;
}

/// Whether line ends are white space, and some values are fields of fixed width.
bool TextWalk::has_fields() const noexcept {
  return run_.text->lines_per_row == 0 && std::ranges::any_of(run_.text->widths, [](auto width) { return width != 0; });
}

void TextWalk::fail(const std::string& what, std::uint64_t offset) {
  // Blanks are a field only if something follows on their line: records before the damage in its line cannot be kept
  // without it.
  if (has_fields()) {
    record_ = whole_lines_.records;
    record_begin_ = end_ = whole_lines_.end;
    inside_line_ = false;
    throw Error(ErrorKind::bad_file, what).at(offset);
  }
  // A line without an end that lacks values may be cut inside its last value.
  if (unfinished_line_ && offset == file_size_ && record_ != 0 && record_begin_ == file_size_) {
    --record_;
    record_begin_ = end_ = last_begin_;
  }
  throw Error(ErrorKind::bad_file, what).at(offset);
}

void TextWalk::note(Tolerance tolerance, std::uint64_t offset) {
  Noted& noted = noted_.at(static_cast<std::size_t>(tolerance));
  if (noted.count++ == 0) noted.first = offset;
}

std::vector<std::string> TextWalk::tolerances() const {
  static constexpr std::array<const char*, 3> meaning{
      "values with text after the number, which is ignored",
      "integers outside of the range of their type, which are truncated",
      "lines with more values than columns, which are ignored"};
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < noted_.size(); ++i) {
    if (noted_[i].count == 0) continue;
    sentences.push_back(std::to_string(noted_[i].count) + " " + meaning[i] + ": the first at byte " +
                        std::to_string(noted_[i].first));
  }
  return sentences;
}

Run TextWalk::found() const {
  // Blanks are a field of fixed width if something follows on their line.
  return walked_part(run_, record_, inside_line_ && has_fields() ? line_end_ : record_begin_);
}

}  // namespace quire::sdds
