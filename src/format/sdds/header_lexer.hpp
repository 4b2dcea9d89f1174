#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quire/base/error.hpp"

namespace quire::sdds {

/// A bad_file error at a place in a header.
[[nodiscard]] Error error_at(std::uint64_t offset, std::uint64_t line, const std::string& message);

/// A line of a header text.
struct Line {
  std::string_view text;     ///< without the line end
  std::uint64_t number = 0;  ///< counted from 1
  std::uint64_t offset = 0;  ///< of its first byte
  std::uint64_t after = 0;   ///< the offset after the line end
};

/// Splits a text into lines (LF or CRLF). Only its first bytes may be known.
class LineReader {
 public:
  /// `complete`: no bytes follow the known ones.
  LineReader(std::string_view known, bool complete) : known_(known), complete_(complete) {}

  /// The next line, or nothing at the end of the known bytes.
  [[nodiscard]] std::optional<Line> next();
  /// After next() returned nothing: true if the text ends here, false if more bytes are needed.
  [[nodiscard]] bool at_end() const noexcept { return complete_; }
  [[nodiscard]] std::uint64_t offset() const noexcept { return position_; }
  [[nodiscard]] std::uint64_t line_number() const noexcept { return number_; }

 private:
  std::string_view known_;
  bool complete_;
  std::size_t position_ = 0;
  std::uint64_t number_ = 0;
};

/// One `name = value` of a command.
struct CommandField {
  std::string name;
  std::string value;  ///< as written, without the enclosing quotation marks
  std::uint64_t offset = 0;
  std::uint64_t line = 0;
};

/// A namelist: `&name field, field ... &end`.
struct Command {
  std::string name;
  std::vector<CommandField> fields;
  std::uint64_t offset = 0;
  std::uint64_t line = 0;
  std::string_view rest;    ///< the text after `&end` on its line
  std::uint64_t bytes = 0;  ///< of all its lines together, without comments
};

/// Collects a command from its lines. A state machine over characters: the meaning of comments, quotation marks and
/// line ends depends on the current value (specs/sdds.md sections 2.2 and 2.3).
class CommandLexer {
 public:
  /// Processes the next line of the command; the first one begins with its `&`. True if `&end` was found.
  /// Throws bad_file errors with byte offsets.
  [[nodiscard]] bool feed(const Line& line);
  /// Whether a command has begun and not ended.
  [[nodiscard]] bool is_open() const noexcept { return state_ != State::idle; }
  /// The command that feed() has completed.
  [[nodiscard]] Command take();
  /// The error for a text that ends inside the command.
  [[noreturn]] void fail_at_end(std::uint64_t offset) const;

 private:
  enum class State : std::uint8_t {
    idle,
    command_name,
    between,
    field_name,
    before_equals,
    before_value,
    bare,
    quoted,
    skipped
  };

  void take_character(char c, bool literal);
  void end_command_name();
  void end_field_name();
  /// Ends the command at `&end`.
  void end_command();
  void begin_field(char c);
  void finish_field();
  /// Whether the current character is outside quotation marks.
  [[nodiscard]] bool is_unquoted() const noexcept;

  State state_ = State::idle;
  Command command_;
  CommandField field_;
  bool inner_quote_ = false;  ///< inside quotation marks within a bare value or a skipped command
  bool after_backslash_ = false;
  std::uint64_t offset_ = 0;  ///< of the current character
  std::uint64_t line_ = 0;
};

/// The position of the first `wanted` character outside quotation marks and comments.
[[nodiscard]] std::size_t find_unquoted(std::string_view line, char wanted);

}  // namespace quire::sdds
