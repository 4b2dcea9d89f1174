#include "format/records_columns.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "quire/base/error.hpp"
#include "quire/model/value.hpp"

namespace quire {
namespace {

constexpr std::size_t scratch_limit = 128 << 10;
constexpr std::size_t fewest_rows = 32;
constexpr std::size_t most_rows = 4096;

/// True if the types differ. Throws if values of one type cannot be converted to the other.
bool needs_conversion(Type from, Type to, std::uint64_t text_bytes, const ColumnRules& rules) {
  if (from == Type::string && to == Type::string) return text_bytes != 0;
  if (kernels::same_bytes(from, to)) return false;
  if (kernels::convertible(from, to)) return true;
  throw Error(ErrorKind::type, std::string(name(from)) + " values do not convert to " + std::string(name(to)))
      .on(rules.object);
}

[[noreturn]] void refuse(Type from, const std::byte* value, Type to, const ColumnRules& rules, std::uint64_t row) {
  const Value shown = Value::numbers(from, {}, {value, size_of(from)});
  throw Error(ErrorKind::type, "row " + std::to_string(row) + " holds the " + std::string(name(from)) + " value " +
                                   shown.as_text() + ", which has no equal of type " + std::string(name(to)))
      .on(rules.object)
      .advise("choose another type, or allow loss");
}

}  // namespace

SourceColumn::SourceColumn(const ConstView& view, const Cell& cell, ColumnRules rules)
    : view_(view),
      cell_(cell),
      converts_(needs_conversion(view_.type, cell.type, cell.text_bytes, rules)),
      rules_(std::move(rules)) {}

void SourceColumn::take_texts(std::uint64_t first, std::size_t rows, std::byte* cells, std::uint64_t number,
                              std::uint64_t step) const {
  const auto width = static_cast<std::size_t>(cell_.text_bytes);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::string_view text = view_.text(first + row * step);
    if (put_text(text, cells + row * width, width)) continue;
    const std::string where = "row " + std::to_string(number + row) + " holds a text ";
    if (text.size() <= width) {
      throw Error(ErrorKind::unsupported, where + "with a zero byte, which ends texts of fixed size").on(rules_.object);
    }
    throw Error(ErrorKind::usage, where + "of " + std::to_string(text.size()) + " bytes, the column has " +
                                      std::to_string(width) + " for each")
        .on(rules_.object);
  }
}

kernels::Source SourceColumn::take(std::uint64_t first, std::size_t rows, std::byte* scratch, std::uint64_t number,
                                   std::uint64_t step) const {
  if (converts_ && cell_.type == Type::string) {
    take_texts(first, rows, scratch, number, step);
    return {scratch, static_cast<std::ptrdiff_t>(cell_.text_bytes)};
  }
  const std::byte* values = view_.data + static_cast<std::ptrdiff_t>(first) * view_.stride;
  const std::ptrdiff_t stride = view_.stride * static_cast<std::ptrdiff_t>(step);
  if (!converts_) return {values, stride};
  const auto size = static_cast<std::ptrdiff_t>(size_of(cell_.type));
  if (const auto misfit = kernels::convert(view_.type, values, stride, cell_.type, scratch, size, rows, rules_.loss)) {
    refuse(view_.type, values + static_cast<std::ptrdiff_t>(*misfit) * stride, cell_.type, rules_, number + *misfit);
  }
  return {scratch, size};
}

TargetColumn::TargetColumn(const View& view, const Cell& cell, ColumnRules rules, std::shared_ptr<PaddedTexts> texts,
                           std::uint64_t first_text)
    : view_(view),
      cell_(cell),
      converts_(needs_conversion(cell.type, view.type, cell.text_bytes, rules)),
      rules_(std::move(rules)),
      texts_(std::move(texts)),
      first_text_(first_text) {}

std::byte* TargetColumn::row(std::uint64_t first) const noexcept {
  return view_.data + static_cast<std::ptrdiff_t>(first) * view_.stride;
}

kernels::Target TargetColumn::place(std::uint64_t first, std::byte* scratch, std::uint64_t step) const noexcept {
  if (converts_) return {scratch, static_cast<std::ptrdiff_t>(bytes_of(cell_))};
  return {row(first), view_.stride * static_cast<std::ptrdiff_t>(step)};
}

void TargetColumn::finish(std::uint64_t first, std::size_t rows, const std::byte* scratch, std::uint64_t number,
                          std::uint64_t step) const {
  if (!converts_) return;
  const auto size = static_cast<std::size_t>(bytes_of(cell_));
  if (cell_.type == Type::string) {
    texts_->take(first_text_ + first, rows, scratch, size);
    return;
  }
  if (const auto misfit =
          kernels::convert(cell_.type, scratch, static_cast<std::ptrdiff_t>(size), view_.type, row(first),
                           view_.stride * static_cast<std::ptrdiff_t>(step), rows, rules_.loss)) {
    refuse(cell_.type, scratch + *misfit * size, view_.type, rules_, number + *misfit);
  }
}

Scratch::Scratch(std::size_t bytes_per_row)
    : bytes_per_row_(bytes_per_row), block_rows_(std::numeric_limits<std::size_t>::max()) {
  if (bytes_per_row == 0) return;
  const std::size_t fitting = scratch_limit / bytes_per_row / fewest_rows * fewest_rows;
  block_rows_ = std::clamp(fitting, fewest_rows, most_rows);
}

std::byte* Scratch::memory() {
  if (bytes_per_row_ != 0 && memory_.empty()) memory_.resize(bytes_per_row_ * block_rows_);
  return memory_.data();
}

View part_of(const View& view, std::uint64_t first, std::uint64_t rows) {
  View part = view;
  part.count = rows;
  part.data += static_cast<std::ptrdiff_t>(first) * view.stride;
  return part;
}

}  // namespace quire
