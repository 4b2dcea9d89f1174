#include "format/records_fixed.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace quire {
namespace {

/// Columns of this many bytes in total do not fit into the caches of a core. Scratch always does.
constexpr std::uint64_t streamed_from = 32 << 20;

template <class Columns>
kernels::Stores stores_for(const kernels::RecordShape& shape, const Columns& columns, std::uint64_t rows) {
  const bool is_large = rows >= streamed_from / shape.record_bytes();
  const bool is_direct = std::ranges::all_of(columns, [](const auto& column) { return column.scratch_bytes() == 0; });
  return is_large && is_direct ? kernels::Stores::streamed : kernels::Stores::cached;
}

template <class Columns>
std::size_t scratch_bytes(const Columns& columns) {
  std::size_t sum = 0;
  for (const auto& column : columns) sum += column.scratch_bytes();
  return sum;
}

}  // namespace

FixedEncoder::FixedEncoder(kernels::RecordShape shape, std::vector<SourceColumn> columns, std::uint64_t rows,
                           std::uint64_t number)
    : shape_(std::move(shape)),
      columns_(std::move(columns)),
      sources_(columns_.size()),
      rows_(rows),
      number_(number),
      scratch_(scratch_bytes(columns_)) {}

std::size_t FixedEncoder::encode(std::uint64_t position, std::span<std::byte> out) {
  const std::size_t record = shape_.record_bytes();
  std::uint64_t row = position / record;
  const auto inside = static_cast<std::size_t>(position % record);
  std::size_t done = 0;
  if (inside != 0 || out.size() < record) {
    carry_.resize(record);
    encode_rows(row, 1, carry_.data());
    done = std::min(out.size(), record - inside);
    std::memcpy(out.data(), carry_.data() + inside, done);
    ++row;
  }
  const auto rows = static_cast<std::size_t>(std::min<std::uint64_t>((out.size() - done) / record, rows_ - row));
  encode_rows(row, rows, out.data() + done);
  if (row + rows == rows_) scratch_.release();
  return done + rows * record;
}

void FixedEncoder::encode_rows(std::uint64_t first, std::size_t rows, std::byte* out) {
  for (std::size_t row = 0; row < rows;) {
    const std::size_t count = std::min(rows - row, scratch_.block_rows());
    std::byte* scratch = scratch_.memory();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      sources_[i] = columns_[i].take(first + row, count, scratch, number_ + first + row);
      scratch += columns_[i].scratch_bytes() * count;
    }
    kernels::pack(shape_, sources_, count, out + row * shape_.record_bytes());
    row += count;
  }
}

RecordSink::RecordSink(kernels::RecordShape shape, std::vector<TargetColumn> columns, std::uint64_t rows)
    : shape_(std::move(shape)),
      columns_(std::move(columns)),
      targets_(columns_.size()),
      scratch_(scratch_bytes(columns_)),
      stores_(stores_for(shape_, columns_, rows)) {}

void RecordSink::take(std::uint64_t first, std::size_t rows, const std::byte* in, std::uint64_t number) {
  for (std::size_t row = 0; row < rows;) {
    const std::size_t count = std::min(rows - row, scratch_.block_rows());
    std::byte* scratch = scratch_.memory();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      targets_[i] = columns_[i].place(first + row, scratch);
      scratch += columns_[i].scratch_bytes() * count;
    }
    kernels::unpack(shape_, targets_, count, in + row * shape_.record_bytes(), stores_);
    scratch = scratch_.memory();
    for (const TargetColumn& column : columns_) {
      column.finish(first + row, count, scratch, number + row);
      scratch += column.scratch_bytes() * count;
    }
    row += count;
  }
}

FixedDecoder::FixedDecoder(kernels::RecordShape shape, std::vector<TargetColumn> columns, std::uint64_t rows,
                           std::uint64_t number)
    : sink_(std::move(shape), std::move(columns), rows), rows_(rows), number_(number) {}

std::size_t FixedDecoder::decode(std::uint64_t position, std::span<const std::byte> in) {
  const std::size_t record = sink_.shape().record_bytes();
  const std::uint64_t first = position / record;
  const auto rows = static_cast<std::size_t>(std::min<std::uint64_t>(in.size() / record, rows_ - first));
  sink_.take(first, rows, in.data(), number_ + first);
  if (first + rows == rows_) sink_.release();
  return rows * record;
}

}  // namespace quire
