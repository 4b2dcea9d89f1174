#include "transport/write_pieces.hpp"

#include <algorithm>
#include <memory>
#include <variant>

#include "base/stopwatch.hpp"
#include "quire/kernels/copy.hpp"
#include "transport/alignment.hpp"

namespace quire {
namespace {

const std::byte* ready_memory(const WriteExtent& extent) {
  const auto* memory = std::get_if<const std::byte*>(&extent.source);
  return memory != nullptr ? *memory : nullptr;
}

/// True if the operating system may take the bytes of this extent from where they lie.
bool goes_straight(const WriteExtent& extent, std::size_t from) {
  const std::byte* memory = ready_memory(extent);
  return memory != nullptr && extent.length >= from && !stalls(extent.offset, reinterpret_cast<std::uintptr_t>(memory));
}

}  // namespace

WritePieces::WritePieces(const WritePlan& plan, const TransportLimits& limits, Gather gather,
                         TransportCounters& counters)
    : plan_(plan), limits_(limits), counters_(counters) {
  coalesce(plan_);
  for (std::size_t i = 0; i < plan_.extents.size(); ++i) {
    add_to_segments(i, gather == Gather::small && goes_straight(plan_.extents[i], limits_.direct_from));
  }
  if (!segments_.empty()) extent_ = segments_.front().first_extent;
}

void WritePieces::add_to_segments(std::size_t index, bool direct) {
  const WriteExtent& extent = plan_.extents[index];
  if (!direct && !segments_.empty()) {
    Segment& last = segments_.back();
    if (!last.direct && last.offset + last.length == extent.offset) {
      last.length += extent.length;
      return;
    }
  }
  segments_.push_back({extent.offset, extent.length, index, direct});
}

Cut WritePieces::cut(const Segment& segment) const noexcept {
  return {segment.offset, segment.length, segment.direct ? limits_.piece : limits_.staging, segment.direct};
}

std::uint64_t WritePieces::count() const noexcept {
  std::uint64_t sum = 0;
  for (const Segment& segment : segments_) sum += cut(segment).count();
  return sum;
}

std::size_t WritePieces::buffer_bytes() const noexcept {
  std::uint64_t most = 0;
  for (const Segment& segment : segments_) {
    if (segment.direct) continue;
    most = std::max(most, std::min<std::uint64_t>(segment.offset % page_bytes + segment.length, limits_.staging));
  }
  return static_cast<std::size_t>(most);
}

std::optional<WritePiece> WritePieces::next(std::span<std::byte> buffer) {
  while (segment_ < segments_.size() && done_ == segments_[segment_].length) {
    done_ = 0;
    position_ = 0;
    ++segment_;
    if (segment_ < segments_.size()) extent_ = segments_[segment_].first_extent;
  }
  if (segment_ == segments_.size()) return std::nullopt;

  const Segment& segment = segments_[segment_];
  const auto length = static_cast<std::size_t>(cut(segment).piece(done_));
  WritePiece piece{segment.offset + done_, {}};
  if (segment.direct) {
    piece.bytes = {ready_memory(plan_.extents[segment.first_extent]) + done_, length};
  } else {
    const auto out = buffer.subspan(piece.offset % page_bytes, length);
    fill(out);
    piece.bytes = out;
  }
  done_ += length;
  return piece;
}

/// Makes the next bytes of a staged segment.
void WritePieces::fill(std::span<std::byte> out) {
  const Stopwatch stopwatch(counters_.encode_seconds);
  while (!out.empty()) {
    const WriteExtent& extent = plan_.extents[extent_];
    auto length = static_cast<std::size_t>(std::min<std::uint64_t>(extent.length - position_, out.size()));
    if (const std::byte* memory = ready_memory(extent)) {
      kernels::copy_bytes(out.data(), memory + position_, length);
    } else {
      length = encode(extent, *std::get<std::shared_ptr<Encoder>>(extent.source), out.first(length));
    }
    out = out.subspan(length);
    position_ += length;
    if (position_ == extent.length) {
      position_ = 0;
      ++extent_;
    }
  }
}

std::size_t WritePieces::encode(const WriteExtent& extent, Encoder& encoder, std::span<std::byte> out) {
  const std::size_t made = encoder.encode(position_, out);
  if (made == 0 || made > out.size()) {
    throw Error(ErrorKind::internal, "an encoder made " + std::to_string(made) + " bytes where up to " +
                                         std::to_string(out.size()) + " were asked for")
        .at(extent.offset + position_);
  }
  return made;
}

}  // namespace quire
