#include "format/sdds/header_parser.hpp"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "format/sdds/command_fields.hpp"
#include "format/sdds/header_lexer.hpp"
#include "format/sdds/names.hpp"
#include "quire/base/error.hpp"

namespace quire::sdds {
namespace {

constexpr std::size_t deepest_include = 16;
constexpr std::size_t most_includes = 256;
constexpr std::size_t most_fields = 1000;  ///< of one command
constexpr std::size_t most_warnings = 100;
constexpr std::uint64_t longest_portable_line = 1023;  ///< bytes that the reference reads

/// The text of the file itself or of an included file.
struct Source {
  std::string name;  ///< empty for the file itself
  LineReader lines;
};

class HeaderParser {
 public:
  HeaderParser(std::string_view known, bool complete, const IncludedFiles& included, const HeaderOptions& options)
      : known_(known), included_(included), options_(options) {
    sources_.push_back({{}, LineReader(known, complete)});
  }

  [[nodiscard]] HeaderAnswer run();

 private:
  enum class Next : std::uint8_t { line, end, wait };

  [[nodiscard]] Next next_line(Line& line);
  void read_version(const Line& line);
  /// Nothing, or the included file that is needed first.
  std::optional<NeedFile> take_line(const Line& line);
  void take_meta_line(const Line& line);
  std::optional<NeedFile> execute(const Command& command, const Line& line);
  void check_rest(const Command& command, const Line& line);

  void describe(const Command& command);
  void define_parameter(const Command& command);
  void define_array(const Command& command);
  void define_column(const Command& command);
  std::optional<NeedFile> include(const Command& command, const Line& line);
  void end_with_data(const Command& command, const Line& line);

  void read_definition(const CommandFields& fields, Definition& definition, std::unordered_set<std::string>& names);
  [[nodiscard]] std::int64_t field_length(const CommandFields& fields, Type type);
  [[nodiscard]] std::optional<std::string> text(const CommandFields& fields, std::string_view name) const;
  void declare_order(ByteOrder order, std::uint64_t offset, std::uint64_t line);
  void tolerate(std::uint64_t offset, std::uint64_t line, const std::string& message);
  void check_size(const Line& line);

  std::string_view known_;
  const IncludedFiles& included_;
  const HeaderOptions& options_;
  std::vector<Source> sources_;
  std::size_t includes_ = 0;
  std::uint64_t after_include_ = 0;  ///< in the file itself, after the line of the outermost `&include`
  CommandLexer lexer_;
  Header header_;
  bool done_ = false;
  std::unordered_set<std::string> parameter_names_;
  std::unordered_set<std::string> array_names_;
  std::unordered_set<std::string> column_names_;
};

HeaderAnswer HeaderParser::run() {
  Line line;
  while (!done_) {
    try {
      const Next next = next_line(line);
      if (next == Next::wait) {
        if (known_.size() >= options_.largest_header) {
          throw error_at(known_.size(), line.number,
                         "the header has no &data command within its first " + std::to_string(known_.size()) + " bytes")
              .advise("if the header is really that long, raise the memory budget: quire.open(..., memory_budget=)");
        }
        return Need{known_.size(), 1};
      }
      if (next == Next::end) {
        throw error_at(sources_.back().lines.offset(), sources_.back().lines.line_number(),
                       "the header ends without a &data command");
      }
      if (sources_.size() == 1 && line.number == 1) {
        read_version(line);
      } else if (auto need = take_line(line)) {
        return *std::move(need);
      }
    } catch (Error& error) {
      if (!sources_.back().name.empty()) error.on("included file " + sources_.back().name);
      throw;
    }
  }
  return std::move(header_);
}

HeaderParser::Next HeaderParser::next_line(Line& line) {
  while (true) {
    LineReader& lines = sources_.back().lines;
    if (auto found = lines.next()) {
      line = *found;
      check_size(line);
      return Next::line;
    }
    if (!lines.at_end()) return Next::wait;
    if (lexer_.is_open()) lexer_.fail_at_end(lines.offset());
    if (sources_.size() == 1) return Next::end;
    sources_.pop_back();
  }
}

void HeaderParser::check_size(const Line& line) {
  if (sources_.size() == 1 && line.after > options_.largest_header) {
    throw error_at(line.offset, line.number,
                   "the header is longer than " + std::to_string(options_.largest_header) + " bytes")
        .advise("raise the memory budget: quire.open(..., memory_budget=)");
  }
}

void HeaderParser::read_version(const Line& line) {
  if (!has_magic(line.text)) throw error_at(0, 1, "the file does not begin with SDDS");
  const std::string_view rest = line.text.substr(4);
  const auto version = leading_integer(rest);
  if (!version) throw error_at(4, 1, "no version number follows SDDS");
  if (*version < 1 || *version > 5) {
    throw error_at(4, 1, "version " + std::to_string(*version) + " is unknown (known are 1 to 5)");
  }
  header_.version = static_cast<int>(*version);
  if (rest != std::to_string(*version)) tolerate(4, 1, "the version is not a single digit");
}

std::optional<NeedFile> HeaderParser::take_line(const Line& line) {
  if (line.text.starts_with('!')) {
    if (line.text.starts_with("!#")) take_meta_line(line);
    return std::nullopt;
  }
  if (line.text.size() > longest_portable_line) {
    tolerate(line.offset, line.number, "the line is longer than the 1023 bytes that other programs read");
  }
  Line part = line;
  if (!lexer_.is_open()) {
    const std::size_t ampersand = find_unquoted(line.text, '&');
    if (ampersand == std::string_view::npos) {
      // The format ignores such lines. Empty ones are not reported.
      if (line.text.find_first_not_of(" \t\r") != std::string_view::npos &&
          find_unquoted(line.text, '!') == std::string_view::npos) {
        tolerate(line.offset, line.number, "the line belongs to no command and is ignored");
      }
      return std::nullopt;
    }
    if (line.text.substr(0, ampersand).find_first_not_of(" \t") != std::string_view::npos) {
      throw error_at(line.offset, line.number, "there is text before the & of a command");
    }
    if (ampersand != 0) tolerate(line.offset, line.number, "there are blanks before the & of a command");
    part.text.remove_prefix(ampersand);
    part.offset += ampersand;
  }
  if (!lexer_.feed(part)) return std::nullopt;
  return execute(lexer_.take(), line);
}

void HeaderParser::take_meta_line(const Line& line) {
  std::string_view rest = line.text.substr(2);
  while (true) {
    const std::size_t first = rest.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return;
    rest.remove_prefix(first);
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t\r"));
    rest.remove_prefix(word.size());
    if (word == "big-endian") declare_order(ByteOrder::big, line.offset, line.number);
    if (word == "little-endian") declare_order(ByteOrder::little, line.offset, line.number);
    if (word == "fixed-rowcount") header_.data.fixed_row_count = true;
  }
}

void HeaderParser::declare_order(ByteOrder order, std::uint64_t offset, std::uint64_t line) {
  if (header_.declared_order && *header_.declared_order != order) {
    throw error_at(offset, line, "both byte orders are declared");
  }
  header_.declared_order = order;
}

std::optional<NeedFile> HeaderParser::execute(const Command& command, const Line& line) {
  if (command.fields.size() > most_fields) {
    throw error_at(command.offset, command.line, "the command has more than a thousand fields");
  }
  if (command.bytes > longest_portable_line && line.text.size() <= longest_portable_line) {
    tolerate(command.offset, command.line, "the command is longer than the 1023 bytes that other programs read");
  }
  check_rest(command, line);
  if (command.name == "description") {
    describe(command);
  } else if (command.name == "parameter") {
    define_parameter(command);
  } else if (command.name == "array") {
    define_array(command);
  } else if (command.name == "column") {
    define_column(command);
  } else if (command.name == "include") {
    return include(command, line);
  } else if (command.name == "data") {
    end_with_data(command, line);
  } else if (command.name != "associate") {
    throw error_at(command.offset, command.line, "the command &" + command.name + " is unknown");
  }
  return std::nullopt;
}

void HeaderParser::check_rest(const Command& command, const Line& line) {
  if (find_unquoted(command.rest, '&') == std::string_view::npos) return;
  tolerate(line.offset, line.number, "a second command on the same line is ignored");
}

void HeaderParser::describe(const Command& command) {
  const CommandFields fields(command, {"text", "contents"});
  header_.text = text(fields, "text");
  header_.contents = text(fields, "contents");
}

void HeaderParser::define_parameter(const Command& command) {
  const CommandFields fields(command,
                             {"name", "symbol", "units", "description", "format_string", "type", "fixed_value"});
  ParameterDefinition definition;
  read_definition(fields, definition, parameter_names_);
  definition.fixed_value = text(fields, "fixed_value");
  header_.parameters.push_back(std::move(definition));
}

void HeaderParser::define_array(const Command& command) {
  const CommandFields fields(command, {"name", "symbol", "units", "description", "format_string", "group_name", "type",
                                       "field_length", "dimensions"});
  ArrayDefinition definition;
  read_definition(fields, definition, array_names_);
  definition.group_name = text(fields, "group_name");
  definition.field_length = field_length(fields, definition.type);
  const std::int64_t dimensions = fields.integer("dimensions", 1);
  if (dimensions < 1) {
    const CommandField& field = fields.required("dimensions");
    throw error_at(field.offset, field.line, "the array " + definition.name + " has no dimension");
  }
  definition.dimensions = static_cast<std::uint64_t>(dimensions);
  header_.arrays.push_back(std::move(definition));
}

void HeaderParser::define_column(const Command& command) {
  const CommandFields fields(command,
                             {"name", "symbol", "units", "description", "format_string", "type", "field_length"});
  ColumnDefinition definition;
  read_definition(fields, definition, column_names_);
  definition.field_length = field_length(fields, definition.type);
  header_.columns.push_back(std::move(definition));
}

void HeaderParser::read_definition(const CommandFields& fields, Definition& definition,
                                   std::unordered_set<std::string>& names) {
  const CommandField& name = fields.required("name");
  definition.name = name.value;
  if (!is_valid_name(name.value)) {
    const std::string message = "\"" + name.value + "\" is not a valid name";
    if (!options_.any_names) {
      throw error_at(name.offset, name.line, message).advise("the reader option any_names accepts it");
    }
    tolerate(name.offset, name.line, message);
  }
  if (!names.insert(name.value).second) {
    throw error_at(name.offset, name.line, "\"" + name.value + "\" is defined twice");
  }

  const CommandField& type = fields.required("type");
  const auto known_type = type_of_file_name(type.value);
  if (!known_type)
    throw error_at(type.offset, type.line, "the type \"" + type.value + "\" of " + name.value + " is unknown");
  definition.type = *known_type;
  if (version_of(*known_type) > header_.version) {
    tolerate(type.offset, type.line, "the type " + type.value + " belongs to a later version of the format");
  }

  definition.symbol = text(fields, "symbol");
  definition.units = text(fields, "units");
  definition.description = text(fields, "description");
  definition.format_string = text(fields, "format_string");
  if (const CommandField* format = fields.find("format_string")) {
    const std::string fault = format_string_fault(format->value, definition.type);
    if (!fault.empty()) {
      tolerate(format->offset, format->line,
               "the format_string \"" + format->value + "\" of " + name.value + " is not usable: " + fault);
    }
  }
}

std::int64_t HeaderParser::field_length(const CommandFields& fields, Type type) {
  const std::int64_t length = fields.integer("field_length", 0);
  if (length < 0 && type != Type::string) {
    const CommandField& field = fields.required("field_length");
    throw error_at(field.offset, field.line, "a negative field_length is for strings only");
  }
  return length;
}

std::optional<NeedFile> HeaderParser::include(const Command& command, const Line& line) {
  const CommandFields fields(command, {"filename"});
  const CommandField& name = fields.required("filename");
  const auto found = included_.find(name.value);
  if (found == included_.end()) return NeedFile{name.value, command.offset, command.line};
  const bool cycle = std::any_of(sources_.begin(), sources_.end(),
                                 [&name](const Source& source) { return source.name == name.value; });
  if (cycle) throw error_at(command.offset, command.line, "the file " + name.value + " includes itself");
  if (sources_.size() > deepest_include || ++includes_ > most_includes) {
    throw error_at(command.offset, command.line, "too many files are included");
  }
  if (sources_.size() == 1) after_include_ = line.after;
  sources_.push_back({name.value, LineReader(found->second, true)});
  return std::nullopt;
}

void HeaderParser::end_with_data(const Command& command, const Line& line) {
  const CommandFields fields(command, {"mode", "lines_per_row", "no_row_counts", "fixed_row_count",
                                       "additional_header_lines", "column_major_order", "endian"});
  DataCommand& data = header_.data;
  const CommandField& mode = fields.required("mode");
  if (mode.value != "ascii" && mode.value != "binary") {
    throw error_at(mode.offset, mode.line, "the mode \"" + mode.value + "\" is unknown (ascii or binary)");
  }
  data.mode = mode.value == "ascii" ? Mode::ascii : Mode::binary;
  data.lines_per_row = fields.integer("lines_per_row", 1);
  if (data.lines_per_row < 0 && data.mode == Mode::ascii) {
    const CommandField& field = fields.required("lines_per_row");
    throw error_at(field.offset, field.line, "lines_per_row is negative");
  }
  data.no_row_counts = fields.integer("no_row_counts", 0) != 0;
  data.fixed_row_count = data.fixed_row_count || fields.integer("fixed_row_count", 0) != 0;
  data.additional_header_lines = fields.integer("additional_header_lines", 0);
  data.column_major = fields.integer("column_major_order", 0) != 0;
  if (const CommandField* endian = fields.find("endian")) {
    if (endian->value != "big" && endian->value != "little") {
      throw error_at(endian->offset, endian->line,
                     "the byte order \"" + endian->value + "\" is unknown (big or little)");
    }
    const ByteOrder order = endian->value == "big" ? ByteOrder::big : ByteOrder::little;
    if (data.mode == Mode::ascii && header_.declared_order.value_or(order) != order) {
      tolerate(endian->offset, endian->line, "both byte orders are declared, which is ignored for text");
    } else {
      declare_order(order, endian->offset, endian->line);
    }
  }
  header_.data_offset = sources_.size() == 1 ? line.after : after_include_;
  done_ = true;
}

std::optional<std::string> HeaderParser::text(const CommandFields& fields, std::string_view name) const {
  auto value = fields.text(name);
  if (!value || !options_.unescape_quotes) return value;
  for (std::size_t at = value->find("\\\""); at != std::string::npos; at = value->find("\\\"", at + 1)) {
    value->erase(at, 1);
  }
  return value;
}

void HeaderParser::tolerate(std::uint64_t offset, std::uint64_t line, const std::string& message) {
  if (options_.strict) {
    throw error_at(offset, line, message).advise("the reader option strict=false tolerates it");
  }
  if (header_.warnings.size() < most_warnings) {
    header_.warnings.push_back("line " + std::to_string(line) + " (byte " + std::to_string(offset) + "): " + message);
  }
}

}  // namespace

HeaderAnswer parse_header(std::string_view known, bool complete, const IncludedFiles& included,
                          const HeaderOptions& options) {
  if (complete && known.empty()) throw error_at(0, 1, "the file is empty");
  return HeaderParser(known, complete, included, options).run();
}

bool has_magic(std::string_view head) noexcept { return head.starts_with("SDDS"); }

}  // namespace quire::sdds
