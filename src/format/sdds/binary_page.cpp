#include "format/sdds/binary_page.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "format/sdds/elements.hpp"
#include "quire/base/error.hpp"
#include "quire/model/value.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::sdds {
namespace {

constexpr std::uint64_t wide_count_bytes = 8;

/// The minimum size of a record in the file.
[[nodiscard]] std::uint64_t least_bytes(const std::vector<Cell>& cells) noexcept {
  std::uint64_t bytes = 0;
  for (const Cell& cell : cells) bytes += fixed_bytes(cell.type);
  return bytes;
}

[[nodiscard]] bool has_strings(const std::vector<Cell>& cells) noexcept {
  return std::any_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.type == Type::string; });
}

}  // namespace

BinaryPage::BinaryPage(const PageContext& context, std::uint64_t offset)
    : header_(*context.header),
      file_size_(context.file_size),
      budget_(context.memory_budget),
      order_(header_.order()),
      strict_(context.strict),
      position_(offset) {
  page_.layout.offset = offset;
}

std::optional<Need> BinaryPage::advance(const Window& window) {
  window_ = window;
  while (true) {
    bool going_on = true;
    switch (stage_) {
      case Stage::row_count:
        going_on = take_row_count();
        break;
      case Stage::parameters:
        going_on = take_parameters();
        break;
      case Stage::arrays:
        going_on = take_arrays();
        break;
      case Stage::table:
        going_on = take_table();
        break;
      case Stage::complete:
      case Stage::no_page:
        return std::nullopt;
    }
    if (!going_on) return need_;
  }
}

std::optional<Page> BinaryPage::take() {
  if (stage_ != Stage::complete) return std::nullopt;
  return std::move(page_);
}

std::optional<Page> BinaryPage::salvage() {
  if (!salvageable_) return std::nullopt;
  return std::move(page_);
}

bool BinaryPage::take_row_count() {
  const std::uint64_t offset = position_;
  if (offset >= file_size_ || file_size_ - offset < count_bytes) {
    if (strict_ && offset < file_size_) {
      throw Error(ErrorKind::bad_file, std::to_string(file_size_ - offset) + " stray bytes at the end of the file")
          .at(offset)
          .advise("the reader option strict=false tolerates it");
    }
    stage_ = Stage::no_page;
    return true;
  }
  const std::byte* bytes = peek(count_bytes, "the row count");
  if (bytes == nullptr) return false;
  const auto count = load<std::int32_t>(bytes, order_);
  if (count == wide_count_marker) {
    bytes = peek(count_bytes + wide_count_bytes, "the 64-bit row count");
    if (bytes == nullptr) return false;
    const auto wide = load<std::int64_t>(bytes + count_bytes, order_);
    if (wide < 0) throw Error(ErrorKind::bad_file, "negative row count " + std::to_string(wide)).at(offset);
    rows_ = static_cast<std::uint64_t>(wide);
    position_ += count_bytes + wide_count_bytes;
  } else {
    // Any negative count: the writer may have been killed while it wrote the true count.
    unfinished_ = count < 0;
    if (count == unfinished_count) throw unfinished_step().at(offset);
    if (count < 0) throw Error(ErrorKind::bad_file, "negative row count " + std::to_string(count)).at(offset);
    rows_ = static_cast<std::uint64_t>(count);
    position_ += count_bytes;
  }
  stage_ = Stage::parameters;
  return true;
}

bool BinaryPage::take_parameters() {
  for (; item_ < header_.parameters.size(); ++item_) {
    const ParameterDefinition& parameter = header_.parameters[item_];
    if (parameter.fixed_value) continue;
    const std::string object = "parameter " + parameter.name;
    Value value;
    if (parameter.type == Type::string) {
      auto text = peek_string(object);
      if (!text) return false;
      value = Value(*std::move(text));
    } else {
      const std::size_t size = size_of(parameter.type);
      const std::byte* bytes = peek(size, object);
      if (bytes == nullptr) return false;
      value = Value::numbers(parameter.type, {}, native_elements(parameter.type, order_, {bytes, size}));
      position_ += size;
    }
    add_parameter(page_, parameter, std::move(value));
  }
  item_ = 0;
  stage_ = Stage::arrays;
  return true;
}

bool BinaryPage::take_arrays() {
  for (; item_ < header_.arrays.size(); ++item_) {
    if (!take_array()) return false;
  }
  item_ = 0;
  stage_ = Stage::table;
  if (!header_.columns.empty()) {
    add_table(page_, header_);
    page_.layout.description.tables.back().rows = rows_;
  } else if (rows_ != 0) {
    page_.layout.description.warnings.push_back(std::to_string(rows_) + " rows are declared, but there are no columns");
  }
  return true;
}

bool BinaryPage::take_array() {
  const ArrayDefinition& array = header_.arrays[item_];
  if (extents_.empty() && !take_extents(array)) return false;
  const bool complete = is_attribute(array) ? take_attribute_elements(array) : take_field_elements(array);
  if (complete) extents_.clear();
  return complete;
}

bool BinaryPage::take_extents(const ArrayDefinition& array) {
  const std::string object = "array " + array.name;
  const std::uint64_t length = count_bytes * array.dimensions;
  require_room(array.dimensions, count_bytes, file_size_ - position_, object, position_);
  const std::byte* bytes = peek(length, object);
  if (bytes == nullptr) return false;
  budget_.spend(length + array.dimensions * sizeof(std::uint64_t), object, position_);
  std::vector<std::uint64_t> extents;
  for (std::uint64_t i = 0; i < array.dimensions; ++i) {
    const auto extent = load<std::int32_t>(bytes + i * count_bytes, order_);
    if (extent < 0) {
      throw Error(ErrorKind::bad_file, "negative dimension " + std::to_string(extent))
          .on(object)
          .at(position_ + i * count_bytes);
    }
    extents.push_back(static_cast<std::uint64_t>(extent));
  }
  elements_ = element_count(extents, object, position_);
  position_ += length;
  extents_ = std::move(extents);
  return true;
}

bool BinaryPage::take_attribute_elements(const ArrayDefinition& array) {
  const std::string object = "array " + array.name;
  require_room(elements_, fixed_bytes(array.type), file_size_ - position_, object, position_);
  Value value;
  if (array.type == Type::string) {
    for (; strings_.size() < elements_;) {
      auto text = peek_string(object);
      if (!text) return false;
      budget_.spend(sizeof(std::string), object, position_);
      strings_.push_back(*std::move(text));
    }
    value = Value::texts(extents_, std::exchange(strings_, {}));
  } else {
    const std::uint64_t length = elements_ * size_of(array.type);
    const std::byte* bytes = peek(length, object);
    if (bytes == nullptr) return false;
    budget_.spend(length, object, position_);
    value = Value::numbers(array.type, extents_,
                           native_elements(array.type, order_, {bytes, static_cast<std::size_t>(length)}));
    position_ += length;
  }
  add_attribute(page_, array, std::move(value));
  return true;
}

bool BinaryPage::take_field_elements(const ArrayDefinition& array) {
  require_room(elements_, fixed_bytes(array.type), file_size_ - position_, "array " + array.name, position_);
  const Run run = run_of(elements_, {{0, array.type}});
  Run found = run;
  if (array.type == Type::string) {
    try {
      if (!walk(run)) return false;
    } catch (Error& error) {
      throw error.on("array " + array.name);
    }
    found = walk_->found();
    position_ = walk_->end();
    walk_.reset();
  } else {
    position_ += run.bytes;
  }
  add_field(page_, array, extents_, std::move(found));
  return true;
}

bool BinaryPage::take_table() {
  if (!header_.columns.empty() && !(header_.data.column_major ? take_columns() : take_rows())) return false;
  finish_table();
  return true;
}

void BinaryPage::finish_table() {
  page_.layout.end = position_;
  const std::uint64_t rest = file_size_ - position_;
  if (rest != 0 && rest < count_bytes && !page_.cut && !strict_) {
    page_.layout.description.warnings.push_back(std::to_string(rest) + " stray bytes at byte " +
                                                std::to_string(position_) + ", the end of the file, are ignored");
  }
  stage_ = Stage::complete;
}

bool BinaryPage::take_rows() {
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < header_.columns.size(); ++i) cells.push_back({i, header_.columns[i].type});
  Run run = run_of(0, std::move(cells));
  run.records = rows_;
  if (has_strings(run.cells)) {
    try {
      if (!walk(run)) return false;
    } catch (const Error& error) {
      end_rows_early(walk_->found(), error);
      return true;
    }
    position_ = walk_->end();
    page_.layout.tables.back().runs = {walk_->found()};
    walk_.reset();
    return true;
  }
  run.records = std::min(rows_, (file_size_ - position_) / run.record_bytes);
  run.bytes = run.records * run.record_bytes;
  if (run.records < rows_) {
    const std::uint64_t cut = position_ + run.bytes;
    end_rows_early(std::move(run), Error(ErrorKind::bad_file, "the file ends").at(cut));
    return true;
  }
  position_ += run.bytes;
  page_.layout.tables.back().runs = {std::move(run)};
  return true;
}

void BinaryPage::end_rows_early(Run found, const Error& reason) {
  const std::uint64_t complete = found.records;
  position_ = found.offset + found.bytes;
  page_.layout.description.tables.back().rows = complete;
  page_.layout.end = position_;
  page_.layout.tables.back().runs = {std::move(found)};
  Error error = missing_rows(rows_, complete, reason);
  page_.cut = true;
  page_.layout.description.warnings.push_back(error.message());
  if (header_.data.fixed_row_count) return;
  salvageable_ = true;
  error.at(reason.offset().value_or(position_));
  const std::uint64_t swapped = __builtin_bswap32(static_cast<std::uint32_t>(rows_));
  if (!header_.declared_order && rows_ > 0xffff && swapped < rows_) {
    error.advise("the file declares no byte order: it may differ from that of this machine");
  }
  throw error;
}

bool BinaryPage::take_columns() {
  for (; item_ < header_.columns.size(); ++item_) {
    const ColumnDefinition& column = header_.columns[item_];
    require_room(rows_, fixed_bytes(column.type), file_size_ - position_, "column " + column.name, position_);
    const Run run = run_of(rows_, {{item_, column.type}});
    if (column.type != Type::string) {
      page_.layout.tables.back().runs.push_back(run);
      position_ += run.bytes;
      continue;
    }
    try {
      if (!walk(run)) return false;
    } catch (Error& error) {
      throw error.on("column " + column.name);
    }
    position_ = walk_->end();
    page_.layout.tables.back().runs.push_back(walk_->found());
    walk_.reset();
  }
  return true;
}

bool BinaryPage::walk(const Run& run) {
  if (!walk_) walk_.emplace(run, file_size_);
  const auto need = walk_->advance(window_);
  if (!need) return true;
  need_ = *need;
  return false;
}

Run BinaryPage::run_of(std::uint64_t records, std::vector<Cell> cells) const {
  Run run;
  run.offset = position_;
  run.records = records;
  run.order = order_;
  run.cells = std::move(cells);
  if (!has_strings(run.cells)) {
    run.record_bytes = least_bytes(run.cells);
    run.bytes = checked_multiply(records, run.record_bytes);
  }
  return run;
}

const std::byte* BinaryPage::peek(std::uint64_t length, const std::string& object) {
  if (length > file_size_ - position_) {
    throw Error(ErrorKind::bad_file, "the file ends inside this: " + std::to_string(length) + " bytes are needed, " +
                                         std::to_string(file_size_ - position_) + " are left")
        .on(object)
        .at(position_);
  }
  if (position_ >= window_.offset && position_ + length <= window_.offset + window_.bytes.size()) {
    return window_.bytes.data() + (position_ - window_.offset);
  }
  budget_.require(length, object, position_);
  need_ = {position_, length};
  return nullptr;
}

std::optional<std::string> BinaryPage::peek_string(const std::string& object) {
  const std::byte* bytes = peek(length_bytes, object);
  if (bytes == nullptr) return std::nullopt;
  const auto length = load<std::int32_t>(bytes, order_);
  if (length < 0) {
    throw Error(ErrorKind::bad_file, "negative string length " + std::to_string(length)).on(object).at(position_);
  }
  const auto size = static_cast<std::size_t>(length);
  bytes = peek(length_bytes + size, object);
  if (bytes == nullptr) return std::nullopt;
  budget_.spend(size, object, position_);
  position_ += length_bytes + size;
  return std::string(reinterpret_cast<const char*>(bytes) + length_bytes, size);
}

}  // namespace quire::sdds
