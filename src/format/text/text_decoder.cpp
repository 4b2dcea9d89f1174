#include "format/text/text_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "quire/base/error.hpp"

namespace quire::text {
namespace {

[[nodiscard]] std::size_t scratch_bytes(const std::vector<WantedColumn>& columns) {
  std::size_t bytes = 0;
  for (const WantedColumn& column : columns) bytes += column.target.scratch_bytes();
  return bytes;
}

[[nodiscard]] PackedStrings* strings_of(const WantedColumn& column) {
  return column.target.view().type == Type::string ? column.target.view().strings : nullptr;
}

}  // namespace

TextDecoder::TextDecoder(const Run& run, std::vector<WantedColumn> columns, VariableExtent extent,
                         std::vector<Slice> slices)
    : columns_(std::move(columns)),
      extent_(extent),
      slices_(std::move(slices)),
      stream_(run.text->lines_per_row == 0),
      strict_(run.text->strict),
      cursor_(run.text->lines_per_row),
      inside_line_(stream_),
      record_(extent.first),
      scratch_(scratch_bytes(columns_)),
      targets_(columns_.size()) {
  std::size_t next = 0;
  for (const TextCell& cell : cells_of(run)) {
    CellPlan plan{cell, next, next, false};
    while (plan.last < columns_.size() && columns_[plan.last].cell == cells_.size()) ++plan.last;
    next = plan.last;
    plan.is_plain = cell.type == Type::float64 && cell.width == 0 && plan.last == plan.first + 1;
    cells_.push_back(plan);
  }
  // Cells after the last wanted column are skipped with their line.
  if (!stream_) cells_.resize(columns_.back().cell + 1);
}

std::size_t TextDecoder::decode(std::uint64_t position, std::span<const std::byte> in) {
  if (finished()) return in.size();
  if (known_texts_.empty()) {
    for (const WantedColumn& column : columns_) {
      const PackedStrings* strings = strings_of(column);
      known_texts_.push_back(strings == nullptr ? 0 : strings->size());
    }
  }
  position_ = position;
  const bool complete = position + in.size() >= extent_.length;
  cursor_.start({reinterpret_cast<const char*>(in.data()), in.size()}, complete, inside_line_);
  std::size_t used = 0;
  begin_block();
  while (!finished()) {
    const Progress progress = record_ < slices_[next_slice_].first ? skip_row() : take_row();
    if (progress == Progress::more) {
      forget_row();
      break;
    }
    if (progress != Progress::done) fail(progress);
    used = cursor_.position();
    inside_line_ = cursor_.inside_line();
    count_row();
  }
  finish_block();
  if (!finished()) return used;
  scratch_.release();
  return in.size();  // the rest is after the wanted rows
}

Progress TextDecoder::take_row() {
  cursor_.begin_row();
  for (const CellPlan& plan : cells_) {
    if (double number = 0; plan.is_plain && cursor_.take_plain(number)) {
      std::memcpy(place_of(plan.first), &number, sizeof number);
      continue;
    }
    Progress progress = take(plan);
    // Where line ends are white space, so are blank lines: the size of the table is known already.
    while (stream_ && progress == Progress::blank) progress = take(plan);
    if (progress != Progress::done) return progress;
  }
  return stream_ ? Progress::done : cursor_.drop_lines();
}

Progress TextDecoder::take(const CellPlan& plan) {
  if (plan.first == plan.last) return cursor_.skip(plan.cell);
  return plan.cell.type == Type::string || plan.cell.type == Type::character ? take_text(plan) : take_number(plan);
}

Progress TextDecoder::take_number(const CellPlan& plan) {
  FoundNumber found;
  std::byte* out = place_of(plan.first);
  const Progress progress = cursor_.take_number(plan.cell, out, found);
  if (progress != Progress::done) return progress;
  if (!found.number) refuse(plan, found.text, "is not a value");
  if (strict_ && !found.is_whole()) refuse(plan, found.text, "has text after the value");
  if (strict_ && !found.number.fits) refuse(plan, found.text, "an integer is outside of the range");
  for (std::size_t column = plan.first + 1; column < plan.last; ++column) {
    std::memcpy(place_of(column), out, size_of(plan.cell.type));
  }
  return progress;
}

Progress TextDecoder::take_text(const CellPlan& plan) {
  std::string_view text;
  const Progress progress = cursor_.take_text(plan.cell, text);
  if (progress != Progress::done) return progress;
  std::string plain;
  if (text.find_first_of(std::string_view("\\\0", 2)) != std::string_view::npos) {
    plain = unescaped(text);
    text = plain;
  }
  for (std::size_t column = plan.first; column < plan.last; ++column) {
    if (plan.cell.type == Type::character) {
      *place_of(column) = static_cast<std::byte>(text.empty() ? '\0' : text.front());
    } else {
      strings_of(columns_[column])->push_back(text);
    }
  }
  return progress;
}

Progress TextDecoder::skip_row() {
  cursor_.begin_row();
  if (!stream_) return cursor_.drop_lines();
  for (const CellPlan& plan : cells_) {
    Progress progress = cursor_.skip(plan.cell);
    while (progress == Progress::blank) progress = cursor_.skip(plan.cell);
    if (progress != Progress::done) return progress;
  }
  return Progress::done;
}

void TextDecoder::count_row() {
  const bool wanted = record_ >= slices_[next_slice_].first;
  ++record_;
  if (!wanted) return;
  ++delivered_;
  ++block_rows_;
  const bool slice_ends = record_ == slices_[next_slice_].end();
  if (slice_ends || block_rows_ == scratch_.block_rows()) {
    finish_block();
    begin_block();
  }
  if (slice_ends) ++next_slice_;
}

void TextDecoder::begin_block() {
  std::byte* scratch = scratch_.memory();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const TargetColumn& target = columns_[i].target;
    if (target.view().type == Type::string) continue;
    targets_[i] = target.place(delivered_, scratch);
    if (target.scratch_bytes() != 0) scratch += target.scratch_bytes() * scratch_.block_rows();
  }
}

void TextDecoder::finish_block() {
  const std::byte* scratch = scratch_.memory();
  const std::size_t rows = std::exchange(block_rows_, 0);
  for (const WantedColumn& column : columns_) {
    const TargetColumn& target = column.target;
    if (target.scratch_bytes() == 0) continue;
    target.finish(delivered_ - rows, rows, scratch, record_ - rows);
    scratch += target.scratch_bytes() * scratch_.block_rows();
  }
}

void TextDecoder::forget_row() {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    PackedStrings* strings = strings_of(columns_[i]);
    if (strings == nullptr) continue;
    strings->offsets.resize(known_texts_[i] + static_cast<std::size_t>(delivered_) + 1);
    strings->bytes.resize(static_cast<std::size_t>(strings->offsets.back()));
  }
}

void TextDecoder::fail(Progress progress) const {
  const std::string row = "row " + std::to_string(record_);
  std::string what = row + " has too few values";
  if (progress == Progress::blank) what = "there is a blank line instead of " + row;
  if (progress == Progress::end) what = "the data end before " + row;
  throw Error(ErrorKind::bad_file, what).at(position_ + cursor_.place());
}

void TextDecoder::refuse(const CellPlan& plan, std::string_view text, const char* why) const {
  constexpr std::size_t shown = 40;
  const std::string type(name(plan.cell.type));
  std::string what = "row " + std::to_string(record_) + ": ";
  if (!text.empty()) what += "\"" + std::string(text.substr(0, shown)) + "\" ";
  throw Error(ErrorKind::bad_file, what + why + " of type " + type)
      .on(columns_[plan.first].target.object())
      .at(position_ + cursor_.place_of(text));
}

}  // namespace quire::text
