#include "format/sdds/header_lexer.hpp"

#include <utility>

#include "quire/base/error.hpp"

namespace quire::sdds {
namespace {

constexpr std::string_view end_mark = "&end";
/// An obsolete command whose fields are ignored.
constexpr std::string_view skipped_command = "associate";

[[nodiscard]] bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

}  // namespace

Error error_at(std::uint64_t offset, std::uint64_t line, const std::string& message) {
  Error error(ErrorKind::bad_file, "line " + std::to_string(line) + ": " + message);
  error.at(offset);
  return error;
}

std::optional<Line> LineReader::next() {
  if (position_ >= known_.size()) return std::nullopt;
  const std::size_t line_feed = known_.find('\n', position_);
  if (line_feed == std::string_view::npos && !complete_) return std::nullopt;

  Line line;
  const std::size_t end = line_feed == std::string_view::npos ? known_.size() : line_feed;
  line.text = known_.substr(position_, end - position_);
  if (line.text.ends_with('\r')) line.text.remove_suffix(1);
  line.offset = position_;
  line.number = ++number_;
  position_ = line_feed == std::string_view::npos ? end : end + 1;
  line.after = position_;
  return line;
}

bool CommandLexer::feed(const Line& line) {
  line_ = line.number;
  if (state_ == State::idle) {
    command_ = Command();
    command_.offset = line.offset;
    command_.line = line.number;
  }
  for (std::size_t i = 0; i < line.text.size(); ++i) {
    offset_ = line.offset + i;
    char c = line.text[i];
    bool literal = false;
    if (is_unquoted()) {
      if (c == '!') break;
      if (line.text.substr(i).starts_with(end_mark) && state_ != State::idle) {
        command_.bytes += end_mark.size();
        command_.rest = line.text.substr(i + end_mark.size());
        end_command();
        return true;
      }
      if (c == '\\' && i + 1 < line.text.size() && line.text[i + 1] == '!') {
        c = line.text[++i];
        literal = true;
      }
    }
    ++command_.bytes;
    take_character(c, literal);
  }
  offset_ = line.offset + line.text.size();
  take_character(' ', false);
  return false;
}

bool CommandLexer::is_unquoted() const noexcept { return state_ != State::quoted && !inner_quote_; }

void CommandLexer::take_character(char c, bool literal) {
  switch (state_) {
    case State::idle:  // the first character is the `&`
      state_ = State::command_name;
      break;
    case State::command_name:
      if (is_blank(c)) {
        end_command_name();
      } else {
        command_.name += c;
      }
      break;
    case State::between:
      if (!is_blank(c) && c != ',') begin_field(c);
      break;
    case State::field_name:
      if (c == '=') {
        state_ = State::before_value;
      } else if (is_blank(c) || c == ',') {
        end_field_name();
      } else {
        field_.name += c;
      }
      break;
    case State::before_equals:
      if (c == '=') {
        state_ = State::before_value;
      } else if (!is_blank(c)) {
        throw error_at(field_.offset, field_.line, "the field " + field_.name + " has no value");
      }
      break;
    case State::before_value:
      if (c == ',') {
        finish_field();
      } else if (c == '"' && !literal) {
        state_ = State::quoted;
      } else if (!is_blank(c)) {
        state_ = State::bare;
        field_.value += c;
      }
      break;
    case State::bare:
      if (is_blank(c) || c == ',') {
        finish_field();
      } else {
        if (c == '"' && !literal) inner_quote_ = !inner_quote_;
        field_.value += c;
      }
      break;
    case State::quoted:
      if (c == '"' && !field_.value.ends_with('\\')) {
        finish_field();
      } else {
        field_.value += c;
      }
      break;
    case State::skipped:
      // The fields are ignored. Quotation marks are tracked only to skip an `&end` within them.
      if (c == '"' && !after_backslash_) inner_quote_ = !inner_quote_;
      after_backslash_ = c == '\\' && !after_backslash_;
      break;
  }
}

void CommandLexer::end_command_name() {
  if (command_.name == "end") throw error_at(command_.offset, line_, "&end without a command before it");
  state_ = command_.name == skipped_command ? State::skipped : State::between;
}

void CommandLexer::begin_field(char c) {
  field_ = CommandField();
  field_.name = c;
  field_.offset = offset_;
  field_.line = line_;
  if (c == '=') throw error_at(offset_, line_, "a value without the name of a field");
  state_ = State::field_name;
}

void CommandLexer::end_field_name() {
  if (field_.name.starts_with('&')) {
    throw error_at(field_.offset, field_.line, field_.name + " inside the command &" + command_.name)
        .advise("the command must be closed by &end first");
  }
  state_ = State::before_equals;
}

void CommandLexer::end_command() {
  if (state_ == State::command_name) end_command_name();
  if (state_ == State::bare) finish_field();
  if (state_ == State::field_name || state_ == State::before_equals) {
    throw error_at(field_.offset, field_.line, "the field " + field_.name + " has no value");
  }
  if (state_ == State::before_value) {
    throw error_at(field_.offset, field_.line, "the field " + field_.name + " has no value before &end");
  }
  inner_quote_ = after_backslash_ = false;
  state_ = State::idle;
}

void CommandLexer::finish_field() {
  command_.fields.push_back(std::move(field_));
  field_ = CommandField();
  inner_quote_ = false;
  state_ = State::between;
}

Command CommandLexer::take() { return std::exchange(command_, Command()); }

void CommandLexer::fail_at_end(std::uint64_t offset) const {
  const std::string where = " in the command &" + command_.name + " that begins at byte " +
                            std::to_string(command_.offset) + " (line " + std::to_string(command_.line) + ")";
  if (state_ == State::quoted) {
    throw error_at(field_.offset, field_.line,
                   "the quotation mark of the field " + field_.name + " is never closed" + where);
  }
  throw error_at(offset, line_, "the header ends without &end" + where);
}

std::size_t find_unquoted(std::string_view line, char wanted) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (!quoted && line[i] == wanted) return i;
    if (!quoted && line[i] == '!') return std::string_view::npos;
    if (line[i] == '\\') {
      ++i;  // neither \" nor \! have a meaning
    } else if (line[i] == '"') {
      quoted = !quoted;
    }
  }
  return std::string_view::npos;
}

}  // namespace quire::sdds
