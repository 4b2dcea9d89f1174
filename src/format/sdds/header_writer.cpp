#include "format/sdds/header_writer.hpp"

#include <algorithm>
#include <optional>

#include "format/sdds/names.hpp"
#include "quire/base/error.hpp"

namespace quire::sdds {
namespace {

constexpr std::size_t longest_canonical_command = 1023;

[[nodiscard]] bool needs_quotes(std::string_view value, bool canonical = false) {
  // The reference quotes for the first seven; a bare `!` begins a comment and a bare `&` may belong to an `&end`.
  if (value.empty() || value.find_first_of(" ,*$\t\n\b!") != std::string_view::npos) return true;
  return canonical ? value.find("&end") != std::string_view::npos
                   : value.find_first_of("&\r\v\f") != std::string_view::npos;
}

[[nodiscard]] std::string escaped_quotes(std::string_view value) {
  std::string result;
  for (const char c : value) {
    // A mark that is escaped already was read from a file: another backslash would be added with every copy.
    if (c == '"' && !result.ends_with('\\')) result += '\\';
    result += c;
  }
  return result;
}

/// Composes one command.
class CommandText {
 public:
  CommandText(std::string_view command, bool canonical)
      : canonical_(canonical), command_(command), text_("&" + command_ + ' ') {}

  CommandText& add(std::string_view field, std::string_view value) {
    const std::string fault = text_fault(value);
    if (!fault.empty()) {
      throw Error(ErrorKind::unsupported, "the " + std::string(field) + " cannot be written into a header: " + fault)
          .on(object());
    }
    if (field == "name") name_ = value;
    const std::string_view quote = needs_quotes(value, canonical_) ? "\"" : "";
    const std::string inner = !canonical_ && keeps_quotes(value) ? std::string(value) : escaped_quotes(value);
    text_.append(field).append("=").append(quote).append(inner).append(quote).append(", ");
    return *this;
  }
  CommandText& add(std::string_view field, const std::optional<std::string>& value) {
    return value ? add(field, std::string_view(*value)) : *this;
  }
  /// Leaves out values of blanks alone, as the reference does.
  CommandText& add_if_visible(std::string_view field, const std::optional<std::string>& value) {
    return value && value->find_first_not_of(" \t\r\n\v\f") != std::string::npos ? add(field, std::string_view(*value))
                                                                                 : *this;
  }
  [[nodiscard]] std::string end(std::string_view before_end = {}) {
    text_.append(before_end).append("&end\n");
    if (canonical_ && text_.size() - 1 > longest_canonical_command) {
      throw Error(ErrorKind::unsupported, "its definition has " + std::to_string(text_.size() - 1) +
                                              " bytes, but the reference reads no more than 1023")
          .on(object())
          .advise("shorten its texts, or omit the option canonical");
    }
    return text_;
  }

 private:
  [[nodiscard]] std::string object() const { return name_.empty() ? command_ : command_ + ' ' + name_; }

  bool canonical_;
  std::string command_;
  std::string name_;
  std::string text_;
};

void add_texts(CommandText& command, const Definition& definition) {
  command.add("name", std::string_view(definition.name))
      .add_if_visible("symbol", definition.symbol)
      .add_if_visible("units", definition.units)
      .add_if_visible("description", definition.description)
      .add_if_visible("format_string", definition.format_string);
}

[[nodiscard]] std::string parameter_command(const ParameterDefinition& parameter, bool canonical) {
  CommandText command("parameter", canonical);
  add_texts(command, parameter);
  return command.add("type", file_name(parameter.type)).add("fixed_value", parameter.fixed_value).end();
}

[[nodiscard]] std::string array_command(const ArrayDefinition& array, bool canonical) {
  CommandText command("array", canonical);
  add_texts(command, array);
  command.add_if_visible("group_name", array.group_name).add("type", file_name(array.type));
  if (array.dimensions != 1) command.add("dimensions", std::string_view(std::to_string(array.dimensions)));
  return command.end(" ");
}

[[nodiscard]] std::string column_command(const ColumnDefinition& column, bool canonical) {
  CommandText command("column", canonical);
  add_texts(command, column);
  return command.add("type", file_name(column.type)).end(" ");
}

[[nodiscard]] std::string_view order_name(const Header& header) {
  return header.order() == ByteOrder::little ? "little" : "big";
}

[[nodiscard]] std::string data_command(const Header& header, int version, bool canonical) {
  const DataCommand& data = header.data;
  const bool binary = data.mode == Mode::binary;
  const bool has_new_fields = version >= 3;
  CommandText command("data", canonical);
  command.add("mode", std::string_view(binary ? "binary" : "ascii"));
  if (data.lines_per_row > 1 || data.lines_per_row == 0)
    command.add("lines_per_row", std::string_view(std::to_string(data.lines_per_row)));
  if (data.no_row_counts) command.add("no_row_counts", std::string_view("1"));
  if (has_new_fields && binary) command.add("endian", order_name(header));
  if (has_new_fields && binary && data.column_major) command.add("column_major_order", std::string_view("1"));
  if (has_new_fields && data.fixed_row_count) command.add("fixed_row_count", std::string_view("1"));
  return command.end();
}

/// The commands of a header, one string each.
[[nodiscard]] std::vector<std::string> commands_of(const Header& header, int version, bool canonical) {
  std::vector<std::string> commands;
  if (header.text || header.contents) {
    CommandText command("description", canonical);
    commands.push_back(command.add("text", header.text).add("contents", header.contents).end());
  }
  for (const ParameterDefinition& parameter : header.parameters) {
    commands.push_back(parameter_command(parameter, canonical));
  }
  for (const ArrayDefinition& array : header.arrays) commands.push_back(array_command(array, canonical));
  for (const ColumnDefinition& column : header.columns) commands.push_back(column_command(column, canonical));
  commands.push_back(data_command(header, version, canonical));
  return commands;
}

}  // namespace

int lowest_version(const Header& header) {
  int version = header.data.column_major && header.data.mode == Mode::binary ? 3 : 1;
  for (const auto& parameter : header.parameters) version = std::max(version, version_of(parameter.type));
  for (const auto& array : header.arrays) version = std::max(version, version_of(array.type));
  for (const auto& column : header.columns) version = std::max(version, version_of(column.type));
  return version;
}

std::string write_header(const Header& header, const HeaderStyle& style) {
  const int version = style.version == 0 ? lowest_version(header) : style.version;
  std::string text = "SDDS" + std::to_string(version) + '\n';
  if (version < 3) {
    if (header.data.mode == Mode::binary) text.append("!# ").append(order_name(header)).append("-endian\n");
    if (header.data.fixed_row_count) text += "!# fixed-rowcount\n";
  }
  for (const std::string& command : commands_of(header, version, style.canonical)) text += command;
  return text;
}

void lengthen(std::string& header, std::size_t blanks) { header.insert(header.rfind("&end"), blanks, ' '); }

std::string text_fault(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return "it contains a zero byte";
  if (text.find('\n') != std::string_view::npos) return "it has more than one line";
  if (text.ends_with('\\') && needs_quotes(text)) return "it ends with a backslash and needs quotation marks";
  return {};
}

bool keeps_quotes(std::string_view text) {
  if (needs_quotes(text) || text.front() == '"') return text.find('"') == std::string_view::npos;
  // An unpaired mark would hide the end of the command.
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) inside = !inside;
  }
  return !inside;
}

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::size_t longest_command(const Header& header) {
  std::size_t longest = 0;
  for (const std::string& command : commands_of(header, lowest_version(header), false))
    longest = std::max(longest, command.size() - 1);
  return longest;
}

}  // namespace quire::sdds
