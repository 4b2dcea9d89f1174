#include "kernels/delimited.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

#include "kernels/number_print.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/model/dispatch.hpp"

namespace quire::kernels {
namespace {

constexpr std::size_t longest_number = 64;
constexpr std::size_t most_shown = 40;

[[nodiscard]] bool is_blank(char byte) noexcept { return byte == ' ' || byte == '\t'; }

[[nodiscard]] std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

/// Parses all of `text` as a number, as from_chars does, but also with a plus sign.
template <class Number>
[[nodiscard]] std::optional<Number> plain_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  Number number{};
  std::string terminated;
  if constexpr (std::is_same_v<Number, long double>) {
    // For these types the standard library reads to a zero after the text.
    terminated = text;
    text = terminated;
  }
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || text.empty()) return std::nullopt;
  return number;
}

/// The same with the exponents of Fortran: 1.5D+03.
template <class Number>
[[nodiscard]] std::optional<Number> number_of(std::string_view text) {
  if (auto number = plain_number<Number>(text)) return number;
  if constexpr (std::is_floating_point_v<Number>) {
    const std::size_t exponent = text.find_first_of("Dd");
    if (exponent == std::string_view::npos || text.size() > longest_number) return std::nullopt;
    std::array<char, longest_number> copy;
    std::ranges::copy(text, copy.begin());
    copy[exponent] = 'e';
    return plain_number<Number>({copy.data(), text.size()});
  }
  return std::nullopt;
}

[[nodiscard]] bool is_integer(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, [](char byte) { return byte >= '0' && byte <= '9'; });
}

[[nodiscard]] std::uint8_t kind_of(std::string_view text) {
  if (text.empty()) return empty_cells;
  if (is_integer(text)) return plain_number<std::int64_t>(text) ? integer_cells : wide_cells;
  return number_of<double>(text) ? real_cells : text_cells;
}

[[noreturn]] void refuse(std::uint64_t line, std::string_view text, std::string_view what) {
  std::string shown(text.substr(0, most_shown));
  if (shown.size() < text.size()) shown += "...";
  throw Error(ErrorKind::type, "line " + std::to_string(line) + ": \"" + shown + "\" is not " + std::string(what));
}

[[noreturn]] void refuse_line(std::uint64_t line, const std::string& what) {
  throw Error(ErrorKind::bad_file, "line " + std::to_string(line) + " " + what);
}

/// Appends text without the doubling of quotes.
void append_undoubled(std::string_view text, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '"') ++i;
  }
}

}  // namespace

DelimitedBlock::DelimitedBlock(Dialect dialect) : dialect_(std::move(dialect)) {
  for (const char mark : {dialect_.delimiter, dialect_.comment}) {
    if (mark == '"' || mark == '\n' || mark == '\r') {
      throw Error(ErrorKind::usage, "a delimiter or comment character must not be a quote or a line end");
    }
  }
}

std::size_t DelimitedBlock::split(std::string_view text, bool is_last, std::size_t columns, std::uint64_t first_line) {
  if (text.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorKind::unsupported, "a row has more than 4 GiB, or a quote is not terminated");
  }
  text_ = text;
  cells_.clear();
  lines_.clear();
  columns_ = columns;
  line_ = first_line;
  std::size_t position = 0;
  while (position < text.size()) {
    const Line line = skip_line(position, is_last);
    if (line == Line::skipped) continue;
    if (line == Line::incomplete || !take_row(position, is_last)) break;
  }
  return position;
}

/// Skips a blank line or a comment.
DelimitedBlock::Line DelimitedBlock::skip_line(std::size_t& position, bool is_last) {
  std::size_t at = position;
  while (at < text_.size() && (is_blank(text_[at]) || text_[at] == '\r') && text_[at] != dialect_.delimiter) ++at;
  if (dialect_.delimiter == ' ') {
    while (at < text_.size() && (is_blank(text_[at]) || text_[at] == '\r')) ++at;
  }
  const bool is_comment = at < text_.size() && dialect_.comment != '\0' && text_[at] == dialect_.comment;
  if (at < text_.size() && text_[at] != '\n' && !is_comment) return Line::row;
  const std::size_t end = text_.find('\n', at);
  if (end == std::string_view::npos && !is_last) return Line::incomplete;
  position = end == std::string_view::npos ? text_.size() : end + 1;
  ++line_;
  return Line::skipped;
}

/// Parses the cells of one row; false, with nothing consumed, if it is incomplete.
bool DelimitedBlock::take_row(std::size_t& position, bool is_last) {
  const std::size_t first_cell = cells_.size();
  const std::uint64_t first_line = line_;
  const bool has_runs = dialect_.delimiter == ' ';
  const auto give_up = [&] {
    cells_.resize(first_cell);
    line_ = first_line;
    return false;
  };
  std::size_t at = position;
  while (true) {
    std::size_t begin = at;
    while (begin < text_.size() && is_blank(text_[begin]) && (has_runs || text_[begin] != dialect_.delimiter)) ++begin;
    if (has_runs) {
      at = begin;
      // Blanks at the end of a row are not a cell.
      if (at < text_.size() && (text_[at] == '\n' || text_[at] == '\r') && cells_.size() > first_cell) {
        if (text_[at] == '\r') ++at;
        if (at < text_.size() && text_[at] == '\n') break;
      }
      if (at == text_.size()) break;
    }
    if (begin < text_.size() && text_[begin] == '"') {
      at = begin;
      if (!take_quoted(at, is_last)) return give_up();
    } else {
      take_plain(at);
    }
    if (at == text_.size() || text_[at] == '\n') break;
    ++at;  // the delimiter
  }
  if (at == text_.size() && !is_last) return give_up();
  finish_row(first_cell, first_line);
  position = std::min(at + 1, text_.size());
  ++line_;
  return true;
}

/// Parses a cell up to the delimiter or the end of the line.
void DelimitedBlock::take_plain(std::size_t& position) {
  std::size_t end = position;
  const bool has_runs = dialect_.delimiter == ' ';
  while (end < text_.size() && text_[end] != '\n' && text_[end] != dialect_.delimiter &&
         !(has_runs && text_[end] == '\t')) {
    ++end;
  }
  std::size_t stop = end;
  if (stop > position && text_[stop - 1] == '\r' && (end == text_.size() || text_[end] == '\n')) --stop;
  cells_.push_back({static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(stop - position), false, false});
  position = end;
}

/// Parses a cell in quotes; false if the closing quote is not there yet.
bool DelimitedBlock::take_quoted(std::size_t& position, bool is_last) {
  const std::uint64_t line = line_;
  Cell cell{static_cast<std::uint32_t>(position + 1), 0, true, false};
  std::size_t at = position + 1;
  while (true) {
    at = text_.find('"', at);
    if (at == std::string_view::npos) {
      if (is_last) refuse_line(line, "has a quote without its end");
      return false;
    }
    if (at + 1 == text_.size() || text_[at + 1] != '"') break;
    cell.has_doubled_quotes = true;
    at += 2;
  }
  if (at + 1 == text_.size() && !is_last) return false;  // perhaps a doubled quote
  cell.length = static_cast<std::uint32_t>(at - cell.first);
  line_ += static_cast<std::uint64_t>(std::ranges::count(bytes_of(cell), '\n'));
  ++at;
  while (at < text_.size() && text_[at] != dialect_.delimiter && (is_blank(text_[at]) || text_[at] == '\r')) ++at;
  if (at < text_.size() && text_[at] != dialect_.delimiter && text_[at] != '\n') {
    refuse_line(line_, "has text after a quote");
  }
  cells_.push_back(cell);
  position = at;
  return true;
}

void DelimitedBlock::finish_row(std::size_t first_cell, std::uint64_t line) {
  std::size_t count = cells_.size() - first_cell;
  if (columns_ == 0) columns_ = count;
  if (count == columns_ + 1 && cells_.back().length == 0 && !cells_.back().is_quoted) {
    cells_.pop_back();
    --count;
  }
  if (count != columns_) {
    refuse_line(line, "has " + std::to_string(count) + (count == 1 ? " cell" : " cells") + " instead of " +
                          std::to_string(columns_));
  }
  lines_.push_back(line);
}

void DelimitedBlock::classify(std::span<std::uint8_t> kinds) const {
  for (std::size_t column = 0; column < columns_; ++column) {
    std::uint8_t found = kinds[column];
    for (std::size_t row = 0; row < rows() && (found & text_cells) == 0; ++row) {
      found |= kind_of(number_text(row, column));
    }
    kinds[column] = found;
  }
}

std::string_view DelimitedBlock::number_text(std::size_t row, std::size_t column) const {
  const std::string_view text = trimmed(bytes_of(cell(row, column)));
  return std::ranges::find(dialect_.missing, text) == dialect_.missing.end() ? text : std::string_view{};
}

std::vector<std::uint64_t> DelimitedBlock::text_bytes(std::size_t column) const {
  std::vector<std::uint64_t> lengths(rows());
  for (std::size_t row = 0; row < rows(); ++row) {
    const Cell& one = cell(row, column);
    lengths[row] = one.length;
    if (one.has_doubled_quotes) {
      lengths[row] -= static_cast<std::uint64_t>(std::ranges::count(bytes_of(one), '"')) / 2;
    }
  }
  return lengths;
}

void DelimitedBlock::texts(std::size_t column, PackedStrings& texts) const {
  std::string undoubled;
  for (std::size_t row = 0; row < rows(); ++row) {
    const Cell& one = cell(row, column);
    if (one.has_doubled_quotes) {
      undoubled.clear();
      append_undoubled(bytes_of(one), undoubled);
      texts.push_back(undoubled);
    } else {
      texts.push_back(bytes_of(one));
    }
  }
}

template <class Number>
void DelimitedBlock::numbers(std::size_t column, const View& out) const {
  for (std::size_t row = 0; row < rows(); ++row) {
    const std::string_view text = number_text(row, column);
    std::optional<Number> number = number_of<Number>(text);
    if constexpr (std::is_floating_point_v<Number>) {
      if (text.empty()) number = std::numeric_limits<Number>::quiet_NaN();
    }
    if (!number) refuse(lines_[row], trimmed(bytes_of(cell(row, column))), name(out.type));
    std::memcpy(out.data + static_cast<std::ptrdiff_t>(row) * out.stride, &*number, sizeof(Number));
  }
}

void DelimitedBlock::characters(std::size_t column, const View& out) const {
  for (std::size_t row = 0; row < rows(); ++row) {
    const std::string_view text = bytes_of(cell(row, column));
    if (text.size() > 1) refuse(lines_[row], text, "one character");
    out.data[static_cast<std::ptrdiff_t>(row) * out.stride] = static_cast<std::byte>(text.empty() ? '\0' : text[0]);
  }
}

void DelimitedBlock::values(std::size_t column, const View& out) const {
  if (out.type == Type::character) return characters(column, out);
  visit_type(out.type, [&]<class Number>(std::type_identity<Number>) { numbers<Number>(column, out); });
}

namespace {

/// Appends the values of one column one at a time.
class CellPrinter {
 public:
  CellPrinter(const ConstView& column, std::string_view delimiter) : column_(column), delimiter_(delimiter) {
    if (column.type != Type::string && column.type != Type::character) {
      print_ = number_printer(column.type, Digits::shortest);
      is_real_ = column.type == Type::float32 || column.type == Type::float64 || column.type == Type::float80;
    }
  }

  void append(std::uint64_t row, std::string& out) const {
    const std::byte* value = column_.data + static_cast<std::ptrdiff_t>(row) * column_.stride;
    if (column_.type == Type::string) return append_text(column_.text(row), out);
    if (column_.type == Type::character) return append_text({reinterpret_cast<const char*>(value), 1}, out);
    std::array<char, widest_number + 2> text;
    char* end = print_(value, text.data());
    if (is_real_ &&
        std::all_of(text.data(), end, [](char byte) { return byte == '-' || (byte >= '0' && byte <= '9'); })) {
      *end++ = '.';
      *end++ = '0';
    }
    out.append(text.data(), end);
  }

 private:
  void append_text(std::string_view text, std::string& out) const {
    const bool is_plain = !text.empty() && text.find_first_of("\"\n\r") == std::string_view::npos &&
                          text.find(delimiter_) == std::string_view::npos;
    if (is_plain) {
      out += text;
      return;
    }
    out += '"';
    for (const char byte : text) {
      out += byte;
      if (byte == '"') out += byte;
    }
    out += '"';
  }

  const ConstView& column_;
  std::string_view delimiter_;
  NumberPrinter print_ = nullptr;
  bool is_real_ = false;
};

}  // namespace

void append_rows(std::span<const ConstView> columns, std::string_view delimiter, std::string& out) {
  std::vector<CellPrinter> printers;
  for (const ConstView& column : columns) printers.emplace_back(column, delimiter);
  const std::uint64_t rows = columns.empty() ? 0 : columns[0].count;
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < printers.size(); ++i) {
      if (i > 0) out += delimiter;
      printers[i].append(row, out);
    }
    out += '\n';
  }
}

}  // namespace quire::kernels
