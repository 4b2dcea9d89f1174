#include "format/element_writer.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "format/records.hpp"
#include "format/records_lines.hpp"
#include "format/records_runs.hpp"
#include "quire/base/error.hpp"

namespace quire {

// ---- ElementPieces

ElementPieces::ElementPieces(const SelectionWalk& elements, std::uint64_t places, std::uint64_t bytes)
    : walk_(elements),
      rest_(walk_.next().value_or(Line{})),
      places_(std::max<std::uint64_t>(places, 1)),
      bytes_(std::max<std::uint64_t>(bytes, 1)) {}

std::vector<ElementPiece> ElementPieces::next(PlanRoom& room) {
  std::vector<ElementPiece> pieces;
  while (!is_done()) {
    const ElementPiece piece = cut(room);
    if (piece.elements.count == 0) break;
    skip(piece.elements.count);
    pieces.push_back(piece);
  }
  return pieces;
}

/// The next piece, or nothing if there is no room for it.
ElementPiece ElementPieces::cut(PlanRoom& room) {
  ElementPiece piece{{rest_.first, rest_.step == 1 ? rest_.count : 1}};
  std::uint64_t& count = piece.elements.count;
  piece.is_gathered = count <= room.encoded_from * places_ / bytes_;
  const std::uint64_t extents = places_ * (piece.is_gathered ? 1 : room.encoder_extents);
  if (piece.is_gathered) count = std::min(count, room.bytes / bytes_);
  if (!room.is_used) {
    // A plan accepts at least one element of any size, and long pieces even if their places exceed its limit.
    count = std::max<std::uint64_t>(count, 1);
  } else if (extents > room.extents) {
    count = 0;
  }
  if (count == 0) return piece;
  room.take(extents);
  if (piece.is_gathered) room.bytes -= std::min(room.bytes, count * bytes_);
  return piece;
}

void ElementPieces::skip(std::uint64_t elements) {
  rest_.first += elements * rest_.step;
  rest_.count -= elements;
  if (rest_.count == 0) rest_ = walk_.next().value_or(Line{});
}

// ---- ElementWriter

struct ElementWriter::State {
  Run run;
  LineGatherer values;

  /// The next bytes, if they are the same in memory and in the file; else nothing.
  [[nodiscard]] std::span<const std::byte> ready(std::uint64_t elements, std::size_t bytes) const;
  /// Memory of the plan for the parts that are gathered.
  [[nodiscard]] std::span<std::byte> keep(WritePlan& plan, std::span<const ElementPiece> pieces) const;
};

std::span<const std::byte> ElementWriter::State::ready(std::uint64_t elements, std::size_t bytes) const {
  const ConstView& view = values.columns().front().view();
  const Line& line = values.memory().rest();
  if (line.count < elements) return {};
  const bool is_contiguous = elements == 1 || (view.is_contiguous() && line.step == 1);
  if (!is_ready(run, view.type, is_contiguous)) return {};
  return {view.data + static_cast<std::ptrdiff_t>(line.first) * view.stride, bytes};
}

std::span<std::byte> ElementWriter::State::keep(WritePlan& plan, std::span<const ElementPiece> pieces) const {
  std::uint64_t bytes = 0;
  for (const ElementPiece& piece : pieces) bytes += piece.is_gathered ? piece.elements.count * run.record_bytes : 0;
  auto memory = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes));
  plan.owned.push_back(memory);
  return *memory;
}

ElementWriter::ElementWriter(const Run& run, const ElementSource& source, std::uint64_t elements, bool lossy,
                             std::span<const std::string> objects) {
  if (!is_addressed(run)) throw Error(ErrorKind::internal, "these elements have no fixed places in the file");
  std::vector<SourceColumn> columns =
      source_columns(run, source.views, values_in(source.memory, elements), lossy, objects);
  LineCursor memory = source.order ? LineCursor(source.order) : LineCursor(source.memory, elements);
  const kernels::RecordShape shape(run.record_bytes, cell_shapes(run));
  state_ = std::make_unique<State>(run, LineGatherer(shape, std::move(columns), std::move(memory)));
}

ElementWriter::ElementWriter(ElementWriter&&) noexcept = default;
ElementWriter& ElementWriter::operator=(ElementWriter&&) noexcept = default;
ElementWriter::~ElementWriter() = default;

void ElementWriter::add(WritePlan& plan, std::span<const ElementPiece> pieces) {
  const Run& run = state_->run;
  LineGatherer& values = state_->values;
  std::span<std::byte> free;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto& [elements, is_gathered] = pieces[i];
    check_inside(run, Line{.first = elements.first, .count = elements.count});
    const std::uint64_t offset = run.offset + elements.first * run.record_bytes;
    const auto bytes = static_cast<std::size_t>(elements.count * run.record_bytes);
    if (const auto ready = state_->ready(elements.count, bytes); !ready.empty()) {
      plan.add(offset, ready);
      values.skip(elements.count);
    } else if (is_gathered) {
      if (free.empty()) free = state_->keep(plan, pieces.subspan(i));
      values.gather(elements.first, elements.count, free.data());
      plan.add(offset, std::span<const std::byte>(free.first(bytes)));
      free = free.subspan(bytes);
    } else {
      plan.add(offset, bytes, std::make_shared<GatherEncoder>(values, elements.count, elements.first));
      values.skip(elements.count);
    }
  }
}

}  // namespace quire
