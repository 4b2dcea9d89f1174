#include "format/records_variable.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire {
namespace {

constexpr std::size_t count_bytes = 4;
constexpr std::size_t widest_cell = 16;
constexpr std::uint64_t longest_string = std::numeric_limits<std::int32_t>::max();

/// Accepts consecutive bytes, leaves out the first `skip`, and keeps what fits into `out`.
class PartWriter {
 public:
  PartWriter(std::span<std::byte> out, std::uint64_t skip) : out_(out), skip_(skip) {}
  void put(std::span<const std::byte> bytes) {
    const auto skipped = static_cast<std::size_t>(std::min<std::uint64_t>(skip_, bytes.size()));
    skip_ -= skipped;
    const std::size_t count = std::min(bytes.size() - skipped, out_.size() - done_);
    if (count != 0) std::memcpy(out_.data() + done_, bytes.data() + skipped, count);
    done_ += count;
  }
  [[nodiscard]] std::size_t done() const noexcept { return done_; }

 private:
  std::span<std::byte> out_;
  std::uint64_t skip_;
  std::size_t done_ = 0;
};

}  // namespace

VariableShape::VariableShape(const Run& run) : order(run.order) {
  index.reserve(run.cells.size());
  for (std::size_t cell = 0; cell < run.cells.size(); ++cell) {
    const Type type = run.cells[cell].type;
    if (type == Type::string) {
      index.push_back(strings.size());
      strings.push_back({cell, tail});
      tail = 0;
    } else {
      index.push_back(fixed.size());
      fixed.push_back({cell, strings.size(), {tail, size_of(type), kernels::code_for(type, order)}});
      tail += size_of(type);
    }
  }
}

std::uint64_t VariableShape::least_bytes() const noexcept {
  std::uint64_t bytes = tail;
  for (const StringCell& text : strings) bytes += text.gap + count_bytes;
  return bytes;
}

AnchorBlock::AnchorBlock(std::size_t anchors)
    : anchors_(anchors), most_records_(std::clamp<std::size_t>((std::size_t{1} << 14) / anchors, 1, 256)) {}

void AnchorBlock::prepare() {
  if (!positions_.empty()) return;
  positions_.resize(anchors_ * most_records_);
  scratch_.resize(widest_cell * most_records_);
}

void AnchorBlock::release() noexcept {
  positions_ = {};
  scratch_ = {};
}

std::uint64_t variable_bytes(const VariableShape& shape, std::span<const SourceColumn> columns, std::uint64_t rows) {
  std::uint64_t bytes = checked_multiply(shape.least_bytes(), rows);
  for (const auto& text : shape.strings) {
    const ConstView& view = columns[text.cell].view();
    for (std::uint64_t row = 0; row < rows; ++row) {
      const std::size_t size = view.text(row).size();
      if (size > longest_string) {
        throw Error(ErrorKind::unsupported, "the string of row " + std::to_string(row) + " has " +
                                                std::to_string(size) + " bytes; a cell holds at most 2147483647");
      }
      bytes = checked_add(bytes, size);
    }
  }
  return bytes;
}

VariableEncoder::VariableEncoder(VariableShape shape, std::vector<SourceColumn> columns, std::uint64_t rows,
                                 std::uint64_t number)
    : shape_(std::move(shape)),
      columns_(std::move(columns)),
      rows_(rows),
      number_(number),
      anchors_(shape_.strings.size() + 1) {}

std::size_t VariableEncoder::encode(std::uint64_t position, std::span<std::byte> out) {
  if (position != position_) throw Error(ErrorKind::internal, "records with strings were requested out of order");
  anchors_.prepare();
  std::size_t done = inside_ != 0 ? encode_part(out) : 0;
  while (inside_ == 0 && row_ < rows_) {
    const Fitting fitting = fit(out.size() - done);
    if (fitting.records == 0) break;
    encode_block(fitting.records, out.data() + done);
    row_ += fitting.records;
    done += fitting.bytes;
  }
  if (done == 0) done = encode_part(out);
  if (row_ == rows_) anchors_.release();
  position_ += done;
  return done;
}

VariableEncoder::Fitting VariableEncoder::fit(std::size_t room) {
  Fitting fitting;
  const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(anchors_.most_records(), rows_ - row_));
  std::size_t end = 0;
  for (std::size_t record = 0; record < most; ++record) {
    anchors_.at(0, record) = end;
    for (std::size_t i = 0; i < shape_.strings.size(); ++i) {
      const auto& text = shape_.strings[i];
      end += text.gap + count_bytes + columns_[text.cell].view().text(row_ + record).size();
      anchors_.at(i + 1, record) = end;
    }
    end += shape_.tail;
    if (end > room) break;
    fitting = {record + 1, end};
  }
  return fitting;
}

void VariableEncoder::encode_block(std::size_t records, std::byte* out) {
  for (const auto& fixed : shape_.fixed) {
    const auto source = columns_[fixed.cell].take(row_, records, anchors_.scratch(), number_ + row_);
    kernels::pack_at(fixed.shape, source, anchors_.records(fixed.anchor, 0, records), out);
  }
  for (std::size_t i = 0; i < shape_.strings.size(); ++i) {
    const auto& text = shape_.strings[i];
    const ConstView& view = columns_[text.cell].view();
    for (std::size_t record = 0; record < records; ++record) {
      const std::string_view value = view.text(row_ + record);
      std::byte* to = out + anchors_.at(i, record) + text.gap;
      store(to, static_cast<std::int32_t>(value.size()), shape_.order);
      std::ranges::copy(std::as_bytes(std::span(value)), to + count_bytes);
    }
  }
}

std::size_t VariableEncoder::encode_part(std::span<std::byte> out) {
  PartWriter writer(out, inside_);
  std::array<std::byte, widest_cell> bytes{};
  for (std::size_t cell = 0; cell < columns_.size(); ++cell) {
    const ConstView& view = columns_[cell].view();
    if (view.type == Type::string) {
      const std::string_view value = view.text(row_);
      store(bytes.data(), static_cast<std::int32_t>(value.size()), shape_.order);
      writer.put(std::span(bytes).first(count_bytes));
      writer.put(std::as_bytes(std::span(value)));
    } else {
      kernels::CellShape shape = shape_.fixed[shape_.index[cell]].shape;
      shape.offset = 0;
      constexpr std::array<std::uint64_t, 1> here{0};
      kernels::pack_at(shape, columns_[cell].take(row_, 1, anchors_.scratch(), number_ + row_), here, bytes.data());
      writer.put(std::span(bytes).first(shape.size));
    }
  }
  inside_ += writer.done();
  if (inside_ == record_bytes(row_)) {
    inside_ = 0;
    ++row_;
  }
  return writer.done();
}

std::uint64_t VariableEncoder::record_bytes(std::uint64_t row) const {
  std::uint64_t bytes = shape_.least_bytes();
  for (const auto& text : shape_.strings) bytes += columns_[text.cell].view().text(row).size();
  return bytes;
}

VariableDecoder::VariableDecoder(VariableShape shape, std::vector<WantedColumn> columns, VariableExtent extent,
                                 std::vector<Slice> slices)
    : shape_(std::move(shape)),
      columns_(std::move(columns)),
      extent_(extent),
      slices_(std::move(slices)),
      anchors_(shape_.strings.size() + 1),
      record_(extent.first) {}

std::size_t VariableDecoder::decode(std::uint64_t position, std::span<const std::byte> in) {
  anchors_.prepare();
  std::size_t used = 0;
  while (!finished()) {
    std::size_t records = 0;
    std::size_t next = used;
    const auto most = std::min<std::uint64_t>(anchors_.most_records(), slices_.back().end() - record_);
    while (records < most && find_record(position, in, next, records)) {
      ++records;
      used = next;
    }
    if (records == 0) {
      if (position + in.size() >= extent_.length) {
        throw Error(ErrorKind::bad_file, "record " + std::to_string(record_) + " is cut short").at(position + used);
      }
      return used;
    }
    deliver(in, records);
    record_ += records;
  }
  anchors_.release();
  return in.size();  // the rest is after the wanted rows
}

bool VariableDecoder::find_record(std::uint64_t position, std::span<const std::byte> in, std::size_t& at,
                                  std::size_t record) {
  std::uint64_t end = at;
  anchors_.at(0, record) = end;
  for (std::size_t i = 0; i < shape_.strings.size(); ++i) {
    const std::uint64_t count_at = end + shape_.strings[i].gap;
    if (count_at + count_bytes > in.size()) return false;
    const auto size = load<std::int32_t>(in.data() + count_at, shape_.order);
    end = count_at + count_bytes + static_cast<std::uint32_t>(size);
    if (size < 0 || position + end > extent_.length) {
      throw Error(ErrorKind::bad_file, "a string of " + std::to_string(size) + " bytes does not fit the " +
                                           std::to_string(extent_.length - position - count_at - count_bytes) +
                                           " bytes after its count")
          .at(position + count_at);
    }
    anchors_.at(i + 1, record) = end;
  }
  end += shape_.tail;
  if (end > in.size()) return false;
  at = static_cast<std::size_t>(end);
  return true;
}

void VariableDecoder::deliver(std::span<const std::byte> in, std::size_t records) {
  const std::uint64_t block_end = record_ + records;
  while (!finished()) {
    const Slice& slice = slices_[next_slice_];
    const std::uint64_t first = std::max(slice.first, record_);
    const std::uint64_t end = std::min(slice.end(), block_end);
    if (first < end) {
      deliver_rows(in, static_cast<std::size_t>(first - record_), static_cast<std::size_t>(end - first));
      delivered_ += end - first;
    }
    if (slice.end() > block_end) return;
    ++next_slice_;
  }
}

void VariableDecoder::deliver_rows(std::span<const std::byte> in, std::size_t first, std::size_t records) {
  for (const WantedColumn& wanted : columns_) {
    if (wanted.target.view().type == Type::string) {
      deliver_strings(wanted, in, first, records);
    } else {
      deliver_fixed(wanted, in, first, records);
    }
  }
}

void VariableDecoder::deliver_fixed(const WantedColumn& wanted, std::span<const std::byte> in, std::size_t first,
                                    std::size_t records) {
  const auto& fixed = shape_.fixed[shape_.index[wanted.cell]];
  const auto target = wanted.target.place(delivered_, anchors_.scratch());
  kernels::unpack_at(fixed.shape, target, anchors_.records(fixed.anchor, first, records), in.data());
  wanted.target.finish(delivered_, records, anchors_.scratch(), record_ + first);
}

void VariableDecoder::deliver_strings(const WantedColumn& wanted, std::span<const std::byte> in, std::size_t first,
                                      std::size_t records) {
  const std::size_t i = shape_.index[wanted.cell];
  PackedStrings& strings = *wanted.target.view().strings;
  for (std::size_t record = first; record < first + records; ++record) {
    const std::uint64_t begin = anchors_.at(i, record) + shape_.strings[i].gap + count_bytes;
    const auto size = static_cast<std::size_t>(anchors_.at(i + 1, record) - begin);
    strings.push_back({reinterpret_cast<const char*>(in.data()) + begin, size});
  }
}

}  // namespace quire
