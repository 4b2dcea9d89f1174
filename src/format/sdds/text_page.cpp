#include "format/sdds/text_page.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "format/sdds/text_title.hpp"
#include "format/sdds/text_values.hpp"
#include "format/text/text_decoder.hpp"
#include "kernels/number_text.hpp"
#include "quire/base/error.hpp"
#include "quire/model/selection.hpp"
#include "quire/model/value.hpp"

namespace quire::sdds {
namespace {

constexpr std::size_t most_warnings = 100;
constexpr std::uint64_t largest_rest = 4096;
constexpr std::size_t fewest_columns_of_a_row = 3;

/// Whether a row count is that of an unfinished step. Its first letter may be overwritten already.
[[nodiscard]] bool is_unfinished_count(std::string_view line) noexcept {
  const std::string mark = unfinished_count_line();
  if (line.size() + 1 != mark.size()) return false;
  const std::size_t letter = line.find_first_not_of(' ');
  return letter != std::string_view::npos && line[letter] == 'u' &&
         line.find_first_not_of("unfinished 0123456789", letter) == std::string_view::npos;
}

/// Whether a comment states that the next step is unfinished. It may be partly overwritten by the final comment.
[[nodiscard]] bool is_unfinished_comment(std::string_view line) {
  const std::string before = page_comment_state(false);
  const std::string after = page_comment_state(true);
  if (line.size() < before.size() + 2 || line[before.size()] != ' ') return false;
  if (line.find_first_not_of("0123456789", before.size() + 1) != std::string_view::npos) return false;
  const std::string_view state = line.substr(0, before.size());
  for (std::size_t done = 0; done < before.size(); ++done) {
    if (before[done] != after[done] && state.substr(0, done) == after.substr(0, done) &&
        state.substr(done) == before.substr(done)) {
      return true;
    }
  }
  return false;
}

/// Whether the line has all values of a row of numbers.
[[nodiscard]] bool looks_like_row(const Header& header, std::string_view line) {
  if (header.columns.size() < fewest_columns_of_a_row || header.data.lines_per_row != 1) return false;
  for (const ColumnDefinition& column : header.columns) {
    const auto token = text::next_token(line);
    if (!token) return false;
    if (column.type != Type::string && !read_parameter(column.type, *token).value) return false;
  }
  return true;
}

}  // namespace

TextPage::TextPage(const PageContext& context, std::uint64_t offset)
    : header_(*context.header), context_(context), budget_(context.memory_budget), position_(offset) {
  page_.layout.offset = offset;
}

std::optional<Need> TextPage::advance(const Window& window) {
  window_ = window;
  while (true) {
    bool going_on = true;
    switch (stage_) {
      case Stage::begin:
        going_on = begin();
        break;
      case Stage::header_lines:
        going_on = take_header_lines();
        break;
      case Stage::parameters:
        going_on = take_parameters();
        break;
      case Stage::arrays:
        going_on = take_arrays();
        break;
      case Stage::row_count:
        going_on = take_row_count();
        break;
      case Stage::table:
        going_on = take_table();
        break;
      case Stage::rest:
        going_on = take_rest();
        break;
      case Stage::complete:
      case Stage::no_page:
        return std::nullopt;
    }
    if (!going_on) return need_;
  }
}

std::optional<Page> TextPage::take() {
  if (stage_ != Stage::complete) return std::nullopt;
  return std::move(page_);
}

std::optional<Page> TextPage::salvage() {
  if (!salvageable_) return std::nullopt;
  return std::move(page_);
}

bool TextPage::begin() {
  const bool has_values =
      !header_.columns.empty() || !header_.arrays.empty() ||
      std::any_of(header_.parameters.begin(), header_.parameters.end(),
                  [](const ParameterDefinition& parameter) { return !parameter.fixed_value.has_value(); });
  stage_ = Stage::header_lines;
  if (has_values) return context_.first || (skip_blank_rest() && skip_empty_line());
  // There is exactly one page, and the rest of the file is not read.
  page_.layout.end = context_.file_size;
  stage_ = context_.first ? Stage::complete : Stage::no_page;
  return true;
}

/// Blank lines up to the end of the file are not a page.
bool TextPage::skip_blank_rest() {
  const auto blank = rest_is_blank();
  if (!blank) {
    stage_ = Stage::begin;
    return false;
  }
  if (*blank) stage_ = Stage::no_page;
  return true;
}

/// Skips the blank line that ends the previous page if there are no row counts.
bool TextPage::skip_empty_line() {
  if (stage_ == Stage::no_page || !header_.data.no_row_counts) return true;
  const Fetch fetched = fetch();
  if (fetched == Fetch::more) {
    stage_ = Stage::begin;
    return false;
  }
  if (fetched == Fetch::line && text::is_blank(text::without_comment(line_.text))) position_ += line_.bytes;
  return true;
}

bool TextPage::take_header_lines() {
  while (context_.first && header_lines_ < header_.data.additional_header_lines) {
    const Fetch fetched = fetch();
    if (fetched == Fetch::more) return false;
    if (fetched == Fetch::end) break;
    position_ += line_.bytes;
    ++header_lines_;
  }
  stage_ = Stage::parameters;
  return true;
}

bool TextPage::take_parameters() {
  for (; item_ < header_.parameters.size(); ++item_) {
    const ParameterDefinition& parameter = header_.parameters[item_];
    if (parameter.fixed_value) continue;
    const Fetch fetched = fetch();
    if (fetched == Fetch::more) return false;
    if (fetched == Fetch::end) return ends_before("parameter " + parameter.name);
    take_parameter(parameter);
    use_line();
  }
  item_ = 0;
  stage_ = Stage::arrays;
  return true;
}

void TextPage::take_parameter(const ParameterDefinition& parameter) {
  const std::string object = "parameter " + parameter.name;
  const std::string_view line = text::without_comment(line_.text);
  ParameterText found = read_parameter(parameter.type, line);
  if (!found.value) {
    const std::string type(name(parameter.type));
    throw Error(ErrorKind::bad_file, text::is_blank(line) ? "there is a blank line instead of its value"
                                                          : quoted_begin(line) + " is not a value of type " + type)
        .on(object)
        .at(position_);
  }
  if (!found.tolerance.empty()) warn(object + ": " + found.tolerance, position_);
  budget_.spend(line.size(), object, position_);
  add_parameter(page_, parameter, *std::move(found.value));
}

bool TextPage::take_arrays() {
  for (; item_ < header_.arrays.size(); ++item_) {
    if (!take_array(header_.arrays[item_])) return false;
    if (stage_ == Stage::no_page) return true;
  }
  item_ = 0;
  stage_ = header_.columns.empty() ? Stage::rest : Stage::row_count;
  if (header_.columns.empty()) return true;
  add_table(page_, header_);
  return true;
}

bool TextPage::take_array(const ArrayDefinition& array) {
  if (extents_.empty() && !take_extents(array)) return false;
  if (stage_ == Stage::no_page) return true;
  if (!take_elements(array)) return false;
  extents_.clear();
  walk_.reset();
  return true;
}

bool TextPage::take_extents(const ArrayDefinition& array) {
  const std::string object = "array " + array.name;
  const Fetch fetched = fetch();
  if (fetched == Fetch::more) return false;
  if (fetched == Fetch::end) return ends_before(object);
  if (&array == header_.arrays.data() && text::is_blank(text::without_comment(line_.text)))
    return end_at_blank_line(object);
  if (array.dimensions > line_.text.size()) {
    throw Error(ErrorKind::bad_file, "its line has too few dimensions").on(object).at(position_);
  }
  std::string_view line = text::without_comment(line_.text);
  std::vector<std::uint64_t> extents;
  for (std::uint64_t i = 0; i < array.dimensions; ++i) {
    const std::string_view token = text::next_token(line).value_or(std::string_view());
    std::int64_t extent = 0;
    if (!kernels::parse_number(token.data(), token.data() + token.size(), extent)) {
      throw Error(ErrorKind::bad_file, quoted_begin(token) + " is not a dimension").on(object).at(position_);
    }
    if (extent < 0) {
      throw Error(ErrorKind::bad_file, "negative dimension " + std::to_string(extent)).on(object).at(position_);
    }
    extents.push_back(static_cast<std::uint64_t>(extent));
  }
  elements_ = element_count(extents, object, position_);
  use_line();
  // A value has at least one byte.
  require_room(elements_, 1, context_.file_size - position_, object, position_);
  extents_ = std::move(extents);
  return true;
}

bool TextPage::take_elements(const ArrayDefinition& array) {
  const std::string object = "array " + array.name;
  if (!walk_) {
    Run run;
    run.offset = position_;
    run.cells = {{0, array.type}};
    run.text = TextLayout{.lines_per_row = 0, .widths = {array.field_length}, .strict = context_.strict};
    walk_.emplace(std::move(run), elements_, Care::values, context_.file_size, budget_.left());
  }
  try {
    if (const auto need = walk_->advance(window_)) {
      need_ = *need;
      return false;
    }
  } catch (Error& error) {
    throw error.on(object);
  }
  for (const std::string& tolerance : walk_->tolerances()) {
    std::string what = object;
    warn(what.append(": ").append(tolerance), position_);
  }
  Run run = walk_->found();
  if (is_attribute(array)) {
    if (!take_attribute(array, run)) return false;
  } else {
    add_field(page_, array, extents_, std::move(run));
  }
  position_ = walk_->end();
  return true;
}

bool TextPage::take_attribute(const ArrayDefinition& array, const Run& run) {
  const std::string object = "array " + array.name;
  const std::string_view bytes = bytes_from(run.offset);
  if (bytes.size() < run.bytes) {
    budget_.require(run.bytes, object, position_);
    need_ = {run.offset, run.bytes};
    return false;
  }
  const std::uint64_t each = array.type == Type::string ? sizeof(std::string) : size_of(array.type);
  budget_.spend(run.bytes + run.records * each, object, position_);
  PackedStrings strings;
  std::vector<std::byte> numbers(static_cast<std::size_t>(run.records * size_of(array.type)));
  const View view = array.type == Type::string
                        ? View(strings, run.records)
                        : View(array.type, numbers.data(), run.records, static_cast<std::ptrdiff_t>(each));
  text::TextDecoder decoder(run, {{0, TargetColumn(view, run.cells.front(), {object})}}, {0, run.bytes},
                            {{0, run.records}});
  if (run.records != 0) {
    static_cast<void>(decoder.decode(0, std::as_bytes(std::span(bytes.data(), static_cast<std::size_t>(run.bytes)))));
  }
  if (array.type == Type::string) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < strings.size(); ++i) texts.emplace_back(strings[i]);
    add_attribute(page_, array, Value::texts(extents_, std::move(texts)));
  } else {
    add_attribute(page_, array, Value::numbers(array.type, extents_, numbers));
  }
  return true;
}

bool TextPage::take_row_count() {
  if (!header_.data.no_row_counts) {
    const Fetch fetched = fetch();
    if (fetched == Fetch::more) return false;
    if (fetched == Fetch::end) return ends_before("the row count");
    take_count(line_.text);
    use_line();
  } else if (!touched_ && !context_.first) {
    // An empty page needs at least its blank line.
    const Fetch fetched = fetch();
    if (fetched == Fetch::more) return false;
    if (fetched == Fetch::end) return ends_before("");
  }
  stage_ = Stage::table;
  return true;
}

void TextPage::take_count(std::string_view line) {
  unfinished_ = is_unfinished_count(line);
  if (unfinished_) throw unfinished_step().at(position_);
  std::int64_t count = 0;
  const auto found = kernels::parse_number(line.data(), line.data() + line.size(), count);
  if (!found) {
    throw Error(ErrorKind::bad_file, text::is_blank(line) ? "there is a blank line instead of the row count"
                                                          : quoted_begin(line) + " is not a row count")
        .at(position_);
  }
  if (count < 0) throw Error(ErrorKind::bad_file, "negative row count " + std::to_string(count)).at(position_);
  page_.count = {position_, static_cast<std::uint64_t>(found.end - line.data())};
  count_line_ = std::string(line.substr(0, static_cast<std::size_t>(largest_rest)));
  rows_ = static_cast<std::uint64_t>(count);
  const bool is_integer = found.end == line.data() + line.size() || is_white(*found.end) || *found.end == '!';
  if (is_integer && found.fits) return;
  if (looks_like_row(header_, line)) {
    salvageable_ = true;
    page_.layout.end = position_;
    page_.layout.tables.back().runs = {table_run()};
    throw Error(ErrorKind::bad_file, "the row count is missing: " + quoted_begin(line) + " looks like a row")
        .at(position_)
        .advise("the reader option no_row_counts=true reads files without row counts");
  }
  warn(quoted_begin(line) + " is read as the row count " + std::to_string(count), position_);
}

bool TextPage::take_table() {
  try {
    if (!walk_table()) return false;
  } catch (Error& error) {
    if (const auto cell = walk_->failed_cell()) error.on("column " + header_.columns[*cell].name);
    end_table_early(std::move(error));
    return true;
  }
  for (const std::string& tolerance : walk_->tolerances()) {
    page_.layout.description.warnings.push_back(tolerance);
  }
  stage_ = Stage::rest;
  return true;
}

bool TextPage::walk_table() {
  if (!walk_) {
    const bool careful = context_.careful || header_.data.fixed_row_count;
    const auto records = header_.data.no_row_counts ? std::nullopt : std::optional(rows_);
    walk_.emplace(table_run(), records, careful ? Care::values : Care::lines, context_.file_size, budget_.left());
  }
  if (const auto need = walk_->advance(window_)) {
    need_ = *need;
    return false;
  }
  Run run = walk_->found();
  position_ = walk_->end();
  page_.layout.description.tables.back().rows = run.records;
  page_.layout.tables.back().runs = {std::move(run)};
  return true;
}

/// The table before its rows are known.
Run TextPage::table_run() const {
  Run run;
  run.offset = position_;
  run.text = TextLayout{.lines_per_row = header_.data.lines_per_row, .widths = {}, .strict = context_.strict};
  for (std::size_t i = 0; i < header_.columns.size(); ++i) {
    run.cells.push_back({i, header_.columns[i].type});
    run.text->widths.push_back(header_.columns[i].field_length);
  }
  return run;
}

void TextPage::end_table_early(Error reason) {
  if (reason.kind() != ErrorKind::bad_file) throw reason;
  Run found = walk_->found();
  const std::uint64_t complete = found.records;
  position_ = walk_->end();
  page_.layout.description.tables.back().rows = complete;
  page_.layout.tables.back().runs = {std::move(found)};
  page_.layout.end = position_;
  page_.cut = true;
  Error error = header_.data.no_row_counts ? reason : missing_rows(rows_, complete, reason);
  page_.layout.description.warnings.push_back(error.message());
  // A row count may be ahead of the rows.
  if (header_.data.fixed_row_count && !header_.data.no_row_counts) {
    if (!is_unfinished_row(reason.offset().value_or(position_))) {
      ending_ = error.message() + ": the rest is not read (byte " + std::to_string(position_) + ")";
    }
    stage_ = Stage::complete;
    return;
  }
  salvageable_ = true;
  if (!reason.object().empty()) error.on(reason.object());
  if (!header_.data.no_row_counts && looks_like_row(header_, count_line_)) {
    error.advise("the line of the row count looks like a row: no_row_counts=true reads files without row counts");
  }
  throw error.at(reason.offset().value_or(position_));
}

bool TextPage::take_rest() {
  page_.layout.end = position_;
  if (position_ == context_.file_size && position_ > page_.layout.offset) {
    const std::string_view last = bytes_from(position_ - 1);
    if (last.empty()) {
      need_ = {position_ - 1, 1};
      return false;
    }
    if (last.front() != '\n') warn("the last line has no line end: its last value may be cut", position_);
    stage_ = Stage::complete;
    return true;
  }
  const auto blank = rest_is_blank();
  if (!blank) return false;
  stage_ = Stage::complete;
  if (!*blank) return true;
  // Without row counts one blank line ends a page.
  const std::string_view rest = bytes_from(position_);
  const bool ends_page = header_.data.no_row_counts && text::first_line(rest, true)->bytes == rest.size();
  if (!ends_page) warn("the blank lines at the end of the file are ignored", position_);
  return true;
}

/// Whether only white space is left up to the end of the file, and it cannot be the beginning of a page. Nothing if
/// more bytes are needed.
std::optional<bool> TextPage::rest_is_blank() {
  const std::uint64_t rest = context_.file_size - position_;
  if (rest == 0 || rest > largest_rest || context_.strict || may_begin_blank()) return false;
  const std::string_view bytes = bytes_from(position_);
  if (bytes.size() < rest) {
    need_ = {position_, rest};
    return std::nullopt;
  }
  return text::is_blank(bytes);
}

TextPage::Fetch TextPage::fetch() {
  while (position_ < context_.file_size) {
    const std::string_view bytes = bytes_from(position_);
    const bool complete = position_ + bytes.size() == context_.file_size;
    const auto line = bytes.empty() ? std::nullopt : text::first_line(bytes, complete);
    if (!line) {
      budget_.require(bytes.size(), "", position_);
      need_ = {position_, std::min<std::uint64_t>(2 * bytes.size() + 1, context_.file_size - position_)};
      return Fetch::more;
    }
    if (!line->is_comment()) {
      line_ = *line;
      return Fetch::line;
    }
    unfinished_ = !touched_ && is_unfinished_comment(line->text);
    if (unfinished_) throw unfinished_step().at(position_);
    position_ += line->bytes;
  }
  return Fetch::end;
}

void TextPage::use_line() {
  position_ += line_.bytes;
  touched_ = true;
}

bool TextPage::ends_before(const std::string& what) {
  if (touched_) throw Error(ErrorKind::bad_file, "the file ends before " + what).at(position_);
  stage_ = Stage::no_page;
  return true;
}

/// Whether a row that is bad at this offset is unfinished: its line has no end, or it has zeros where nothing was
/// written yet.
bool TextPage::is_unfinished_row(std::uint64_t offset) const {
  const std::string_view rest = bytes_from(offset);
  const std::string_view line = rest.substr(0, rest.find('\n'));
  return line.size() == rest.size() || line.find('\0') != std::string_view::npos;
}

/// Ends the data at a blank line before the first array, as the format requires.
bool TextPage::end_at_blank_line(const std::string& expected) {
  const std::string what = "the data end at a blank line instead of " + expected;
  if (context_.strict) {
    throw Error(ErrorKind::bad_file, what).at(position_).advise("the reader option strict=false tolerates it");
  }
  ending_ = what + ": the rest is not read (byte " + std::to_string(position_) + ")";
  stage_ = Stage::no_page;
  return true;
}

bool TextPage::may_begin_blank() const noexcept {
  for (const ParameterDefinition& parameter : header_.parameters) {
    if (!parameter.fixed_value) return parameter.type == Type::string;
  }
  return header_.arrays.empty() && header_.data.no_row_counts;
}

void TextPage::warn(const std::string& what, std::uint64_t offset) {
  const std::string place = " (byte " + std::to_string(offset) + ")";
  if (context_.strict) {
    throw Error(ErrorKind::bad_file, what).at(offset).advise("the reader option strict=false tolerates it");
  }
  auto& warnings = page_.layout.description.warnings;
  if (warnings.size() < most_warnings) warnings.push_back(what + place);
}

std::string_view TextPage::bytes_from(std::uint64_t offset) const {
  if (offset < window_.offset || offset - window_.offset > window_.bytes.size()) return {};
  const auto bytes = window_.bytes.subspan(static_cast<std::size_t>(offset - window_.offset));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace quire::sdds
