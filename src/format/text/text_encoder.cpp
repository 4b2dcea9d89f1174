#include "format/text/text_encoder.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <variant>

#include "format/text/token_print.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire {
namespace {

std::size_t scratch_bytes(const std::vector<SourceColumn>& columns) {
  std::size_t sum = 0;
  for (const SourceColumn& column : columns) sum += column.scratch_bytes();
  return sum;
}

kernels::Digits digits_of(TextStyle style) {
  return style == TextStyle::canonical ? kernels::Digits::printf : kernels::Digits::shortest;
}

constexpr std::uint64_t quote_bytes = 2;

/// The assumed size of a number of this type, for plans without data.
std::uint64_t usual_bytes(Type type) {
  switch (type) {
    case Type::float80:
      return 24;
    case Type::float64:
      return 22;
    case Type::float32:
      return 15;
    default:
      return size_of(type);
  }
}

const char* characters(const kernels::Source& source, std::uint64_t i) {
  return reinterpret_cast<const char*>(source.data + static_cast<std::ptrdiff_t>(i) * source.stride);
}

}  // namespace

TextRows::TextRows(const Run& run, std::vector<SourceColumn> columns, std::uint64_t rows, std::uint64_t number)
    : layout_(run.text.value()),
      columns_(std::move(columns)),
      rows_(rows),
      number_(number),
      scratch_(scratch_bytes(columns_)),
      sources_(columns_.size()) {
  const auto lines = static_cast<std::uint64_t>(std::max<std::int64_t>(layout_.lines_per_row, 1));
  const bool has_widths = std::ranges::any_of(layout_.widths, [](std::int64_t width) { return width != 0; });
  if (has_widths || lines > std::max<std::uint64_t>(run.cells.size(), 1)) {
    throw Error(ErrorKind::internal, "rows cannot be written by this layout of text");
  }
  // All lines but the last have this many values; the last one has the rest.
  const std::uint64_t each = run.cells.size() / lines;
  most_fixed_bytes_ = 1;
  for (std::size_t i = 0; i < run.cells.size(); ++i) {
    const Type type = run.cells[i].type;
    const bool ends_line = (i + 1) % each == 0 && (i + 1) / each < lines;
    const bool is_number = type != Type::string && type != Type::character;
    cells_.push_back(
        {type, is_number ? kernels::number_printer(type, digits_of(layout_.style)) : nullptr, ends_line ? '\n' : ' '});
    if (type == Type::string) strings_.push_back(i);
    const std::size_t widest = type == Type::character ? text::widest_character : kernels::widest_number;
    most_fixed_bytes_ += 1 + (type == Type::string ? 0 : widest);
  }
}

std::uint64_t TextRows::bytes() {
  std::uint64_t bytes = checked_multiply(rows_, cells_.size());
  if (layout_.values_per_line == 0) bytes = checked_add(bytes, rows_);
  for (std::size_t cell = 0; cell < cells_.size(); ++cell) bytes = checked_add(bytes, bytes_of_cell(cell));
  return bytes;
}

std::uint64_t TextRows::bytes_of_cell(std::size_t cell) {
  const SourceColumn& column = columns_[cell];
  const Type type = cells_[cell].type;
  std::uint64_t bytes = 0;
  if (type == Type::string) {
    if (std::holds_alternative<std::monostate>(column.view().strings)) return checked_multiply(rows_, quote_bytes);
    for (std::uint64_t row = 0; row < rows_; ++row) {
      const std::string_view text = column.view().text(row);
      if (text::has_zero_byte(text)) {
        throw Error(ErrorKind::unsupported,
                    "the string of row " + std::to_string(number_ + row) + " has a zero byte, which text cannot store")
            .on(column.object());
      }
      bytes = checked_add(bytes, text::string_bytes(text, layout_.style));
    }
    return bytes;
  }
  if (column.view().data == nullptr) return checked_multiply(rows_, usual_bytes(type));
  for (std::uint64_t row = 0; row < rows_;) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(rows_ - row, scratch_.block_rows()));
    const kernels::Source source = column.take(row, count, scratch_.memory(), number_ + row);
    if (type == Type::character) {
      for (std::size_t i = 0; i < count; ++i) {
        bytes += text::character_bytes(*characters(source, i), layout_.style);
      }
    } else {
      bytes = checked_add(bytes, kernels::printed_bytes(type, digits_of(layout_.style), source, count));
    }
    row += count;
  }
  return bytes;
}

std::size_t TextRows::most_bytes(std::uint64_t row) const {
  std::size_t bytes = most_fixed_bytes_;
  for (const std::size_t cell : strings_) bytes += text::most_bytes_of(columns_[cell].view().text(row));
  return bytes;
}

void TextRows::load(std::uint64_t first) {
  block_first_ = first;
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(rows_ - first, scratch_.block_rows()));
  block_end_ = first + count;
  std::byte* scratch = scratch_.memory();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (cells_[i].type == Type::string) continue;
    sources_[i] = columns_[i].take(first, count, scratch, number_ + first);
    scratch += columns_[i].scratch_bytes() * count;
  }
}

char TextRows::separator(std::uint64_t row, char following) const noexcept {
  if (layout_.values_per_line == 0) return following;
  const std::uint64_t value = layout_.first_value + number_ + row + 1;
  return value % layout_.values_per_line == 0 || value == layout_.values ? '\n' : ' ';
}

char* TextRows::print(std::uint64_t row, char* out) {
  if (row >= block_end_) load(row);
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const Cell& cell = cells_[i];
    if (cell.type == Type::string) {
      out = text::print_string(columns_[i].view().text(row), layout_.style, out);
    } else {
      const kernels::Source& source = sources_[i];
      const std::byte* value = source.data + static_cast<std::ptrdiff_t>(row - block_first_) * source.stride;
      out = cell.print != nullptr ? cell.print(value, out)
                                  : text::print_character(*characters(source, row - block_first_), layout_.style, out);
    }
    *out++ = separator(row, cell.following);
  }
  if (layout_.values_per_line == 0) *out++ = '\n';
  return out;
}

void TextRows::release() noexcept {
  scratch_.release();
  block_end_ = 0;
}

std::size_t TextEncoder::encode(std::uint64_t position, std::span<std::byte> out) {
  if (position != position_) throw Error(ErrorKind::internal, "text was requested out of order");
  const auto room = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), length_ - position));
  auto* const begin = reinterpret_cast<char*>(out.data());
  std::size_t done = 0;
  while (done < room) {
    if (carried_ < carry_.size()) {
      const std::size_t count = std::min(room - done, carry_.size() - carried_);
      std::memcpy(begin + done, carry_.data() + carried_, count);
      carried_ += count;
      done += count;
    } else if (row_ == rows_.rows()) {
      break;
    } else if (const std::size_t most = rows_.most_bytes(row_); most <= room - done) {
      done = static_cast<std::size_t>(rows_.print(row_++, begin + done) - begin);
    } else {
      carry_.resize(most);
      carry_.resize(static_cast<std::size_t>(rows_.print(row_++, carry_.data()) - carry_.data()));
      carried_ = 0;
    }
  }
  position_ += done;
  const bool at_end = row_ == rows_.rows() && carried_ == carry_.size();
  if (done < room || (position_ == length_ && !at_end)) {
    throw Error(ErrorKind::usage, "values changed while they were written as text")
        .advise("do not change the arrays until the step is committed");
  }
  if (at_end) rows_.release();
  return done;
}

}  // namespace quire
