#include "format/records_lines.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace quire {
namespace {

template <class Column>
std::size_t scratch_bytes(const std::vector<Column>& columns) {
  std::size_t sum = 0;
  for (const Column& column : columns) sum += column.scratch_bytes();
  return sum;
}

}  // namespace

// ---- LineCursor

LineCursor::LineCursor(const MemorySelection& memory, std::uint64_t values)
    : rest_{.first = 0, .step = 1, .count = values} {
  if (memory.is_packed()) return;
  walk_.emplace(memory.extents, memory.selection);
  rest_ = walk_->next().value_or(Line{});
}

void LineCursor::skip(std::uint64_t elements) {
  while (elements > 0 && rest_.count > 0) {
    const std::uint64_t some = std::min(elements, rest_.count);
    rest_.first += some * rest_.step;
    rest_.count -= some;
    elements -= some;
    if (rest_.count == 0) advance();
  }
}

void LineCursor::advance() {
  if (walk_) rest_ = walk_->next().value_or(Line{});
  if (!order_) return;
  rest_ = {};
  if (next_ == order_->size()) return;
  rest_.first = (*order_)[next_];
  while (next_ < order_->size() && (*order_)[next_] == rest_.first + rest_.count) {
    ++next_;
    ++rest_.count;
  }
}

// ---- LineGatherer

LineGatherer::LineGatherer(kernels::RecordShape shape, std::vector<SourceColumn> columns, LineCursor memory)
    : shape_(std::move(shape)),
      columns_(std::move(columns)),
      sources_(columns_.size()),
      memory_(std::move(memory)),
      scratch_(scratch_bytes(columns_)) {}

void LineGatherer::gather(std::uint64_t number, std::uint64_t elements, std::byte* out) {
  for (std::uint64_t done = 0; done < elements;) {
    const Line& line = memory_.rest();
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>({elements - done, line.count, scratch_.block_rows()}));
    std::byte* scratch = scratch_.memory();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      sources_[i] = columns_[i].take(line.first, count, scratch, number + done, line.step);
      scratch += columns_[i].scratch_bytes() * count;
    }
    kernels::pack(shape_, sources_, count, out + done * shape_.record_bytes());
    memory_.skip(count);
    done += count;
  }
}

// ---- GatherEncoder

GatherEncoder::GatherEncoder(LineGatherer values, std::uint64_t elements, std::uint64_t number)
    : values_(std::move(values)), elements_(elements), number_(number) {}

std::size_t GatherEncoder::encode(std::uint64_t position, std::span<std::byte> out) {
  const std::size_t record = values_.shape().record_bytes();
  const auto inside = static_cast<std::size_t>(position % record);
  std::uint64_t element = position / record;
  std::size_t done = 0;
  if (inside != 0 || out.size() < record) {
    // A record that began in the previous piece has been read from memory already.
    if (inside == 0) {
      carry_.resize(record);
      values_.gather(number_ + element, 1, carry_.data());
    }
    done = std::min(out.size(), record - inside);
    std::memcpy(out.data(), carry_.data() + inside, done);
    ++element;
  }
  const std::uint64_t whole = std::min<std::uint64_t>((out.size() - done) / record, elements_ - element);
  values_.gather(number_ + element, whole, out.data() + done);
  if (element + whole == elements_) values_.release();
  return done + static_cast<std::size_t>(whole) * record;
}

// ---- LineDecoder

LineDecoder::LineDecoder(LineCells cells, std::vector<TargetColumn> columns, LineCursor file, LineCursor memory,
                         std::uint64_t elements)
    : cells_(std::move(cells)),
      columns_(std::move(columns)),
      targets_(columns_.size()),
      file_(std::move(file)),
      memory_(std::move(memory)),
      begin_(file_.rest().first),
      left_(elements),
      scratch_(scratch_bytes(columns_)) {}

std::size_t LineDecoder::decode(std::uint64_t position, std::span<const std::byte> in) {
  const std::uint64_t first = begin_ + position / cells_.record_bytes;
  const std::uint64_t end = first + in.size() / cells_.record_bytes;
  while (left_ > 0 && file_.rest().first < end) {
    Line line = file_.rest();
    line.count = std::min({line.count, (end - line.first - 1) / line.step + 1, memory_.rest().count, left_,
                           static_cast<std::uint64_t>(scratch_.block_rows())});
    take(line, memory_.rest(), in.data() + (line.first - first) * cells_.record_bytes);
    file_.skip(line.count);
    memory_.skip(line.count);
    left_ -= line.count;
  }
  if (left_ == 0) scratch_.release();
  return static_cast<std::size_t>(end - first) * cells_.record_bytes;
}

const kernels::RecordShape& LineDecoder::shape_for(std::uint64_t step) {
  if (step == 1) {
    if (!single_) single_.emplace(cells_.record_bytes, cells_.shapes);
    return *single_;
  }
  if (!strided_ || step_ != step) {
    strided_.emplace(cells_.record_bytes * static_cast<std::size_t>(step), cells_.shapes);
    step_ = step;
  }
  return *strided_;
}

/// Stores the elements at `in` in the same number of elements in memory.
void LineDecoder::take(const Line& file, const Line& memory, const std::byte* in) {
  const auto rows = static_cast<std::size_t>(file.count);
  std::byte* scratch = scratch_.memory();
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    targets_[i] = columns_[i].place(memory.first, scratch, memory.step);
    scratch += columns_[i].scratch_bytes() * rows;
  }
  // The gap after the last element may be missing, so that element is stored as a record of its own length.
  const std::size_t strided = file.step == 1 ? 0 : rows - 1;
  if (strided != 0) {
    kernels::unpack(shape_for(file.step), targets_, strided, in);
    in += strided * static_cast<std::size_t>(file.step) * cells_.record_bytes;
    for (kernels::Target& target : targets_) target.data += static_cast<std::ptrdiff_t>(strided) * target.stride;
  }
  kernels::unpack(shape_for(1), targets_, rows - strided, in);
  scratch = scratch_.memory();
  for (const TargetColumn& column : columns_) {
    column.finish(memory.first, rows, scratch, file.first, memory.step);
    scratch += column.scratch_bytes() * rows;
  }
}

}  // namespace quire
