#include "transport/write_pieces.hpp"

#include <algorithm>
#include <memory>
#include <variant>

#include "base/stopwatch.hpp"
#include "kernels/copy.hpp"
#include "quire/spi/base/checked.hpp"
#include "transport/alignment.hpp"

namespace quire {
namespace {

/// Of one writev() call; Linux allows up to 1024.
constexpr std::size_t most_places = 64;

/// True if the bytes of this extent can be written directly from memory.
bool goes_straight(const WriteExtent& extent, std::size_t from) {
  const std::byte* memory = ready_memory(extent);
  return memory != nullptr && extent.length >= from && !stalls(extent.offset, reinterpret_cast<std::uintptr_t>(memory));
}

}  // namespace

WritePieces::WritePieces(const WritePlan& plan, const TransportLimits& limits, Gather gather,
                         TransportCounters& counters)
    : extents_(plan.extents), limits_(limits), watched_piece_(limits.piece), counters_(counters) {
  coalesce(extents_);
  // Calls that several ranks make together, or for each other, stay large.
  const bool is_alone = gather == Gather::shared || gather == Gather::places;
  if (is_alone) watched_piece_ = std::min(limits.piece, WatchedSource::at_once);
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    add_to_segments(i, gather != Gather::all && goes_straight(extents_[i], limits_.direct_from));
  }
  if (gather == Gather::shared || gather == Gather::places) send_lone_straight();
  if (gather == Gather::places) send_places_straight();
  if (!segments_.empty()) extent_ = segments_.front().first_extent;
}

/// An extent that shares its call with no other is not copied, however small it is.
void WritePieces::send_lone_straight() {
  for (Segment& segment : segments_) {
    const WriteExtent& extent = extents_[segment.first_extent];
    const bool is_lone = extent.length == segment.length;
    if (is_lone && goes_straight(extent, 0)) segment.direct = true;
  }
}

/// Extents that one call can write from several places are not copied: a copy costs as much as the system's own. Small
/// extents are cheaper to copy.
void WritePieces::send_places_straight() {
  for (Segment& segment : segments_) {
    if (segment.direct || segment.length > std::min(limits_.piece, limits_.staging)) continue;
    std::size_t places = 0;
    bool straight = true;
    for (std::uint64_t length = 0; straight && length < segment.length; ++places) {
      const WriteExtent& extent = extents_[segment.first_extent + places];
      straight = places < most_places && goes_straight(extent, 0);
      length += extent.length;
    }
    if (!straight || segment.length < places * page_bytes) continue;
    segment.direct = true;
    segment.places = places;
  }
}

void WritePieces::add_to_segments(std::size_t index, bool direct) {
  const WriteExtent& extent = extents_[index];
  if (!direct && !segments_.empty()) {
    Segment& last = segments_.back();
    if (!last.direct && last.offset + last.length == extent.offset) {
      last.length += extent.length;
      return;
    }
  }
  segments_.push_back({extent.offset, extent.length, index, direct, watched_source(extent) != nullptr});
}

Cut WritePieces::cut(const Segment& segment) const noexcept {
  if (!segment.direct) return {segment.offset, segment.length, limits_.staging, false};
  return {segment.offset, segment.length, segment.watched ? watched_piece_ : limits_.piece, true};
}

std::uint64_t WritePieces::count() const noexcept {
  std::uint64_t sum = 0;
  for (const Segment& segment : segments_) sum += segment.places > 1 ? 1 : cut(segment).count();
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
  report_copied();
  if (!advance()) return std::nullopt;
  return make(buffer, (segments_[segment_].offset + done_) % page_bytes);
}

bool WritePieces::advance() noexcept {
  while (segment_ < segments_.size() && done_ == segments_[segment_].length) {
    done_ = 0;
    position_ = 0;
    ++segment_;
    if (segment_ < segments_.size()) extent_ = segments_[segment_].first_extent;
  }
  return segment_ < segments_.size();
}

WritePiece WritePieces::make(std::span<std::byte> buffer, std::size_t begin) {
  const Segment& segment = segments_[segment_];
  if (segment.places > 1) return make_of_places(segment);
  const auto length = static_cast<std::size_t>(cut(segment).piece(done_));
  WritePiece piece{segment.offset + done_, {}, {}};
  if (segment.direct) {
    const WriteExtent& extent = extents_[segment.first_extent];
    piece.bytes = {ready_memory(extent) + done_, length};
    watch(extent, done_ + length);
  } else {
    const auto out = buffer.subspan(begin, length);
    fill(out);
    piece.bytes = out;
  }
  done_ += length;
  return piece;
}

WritePiece WritePieces::make_of_places(const Segment& segment) {
  WritePiece piece{segment.offset, {}, {}};
  for (const WriteExtent& extent : std::span(extents_).subspan(segment.first_extent, segment.places)) {
    piece.places.emplace_back(ready_memory(extent), static_cast<std::size_t>(extent.length));
    watch(extent, extent.length);
  }
  done_ = segment.length;
  return piece;
}

/// A piece that is written directly is copied before the next one is made.
void WritePieces::watch(const WriteExtent& extent, std::uint64_t end) {
  if (const WatchedSource* watched = watched_source(extent)) watched_.emplace_back(watched, end);
}

void WritePieces::report_copied() {
  if (watched_.empty()) return;
  const Stopwatch stopwatch(counters_.encode_seconds);
  for (const auto& [watched, end] : watched_) watched->report(end);
  watched_.clear();
}

/// A piece of a page or more is placed at its file offset modulo a page; small ones are packed.
std::optional<std::size_t> WritePieces::Fill::place(std::uint64_t offset, std::uint64_t length, bool direct,
                                                    std::size_t bytes) const noexcept {
  if (pieces == 0) return static_cast<std::size_t>(offset % page_bytes);
  if (direct || pieces == batch_pieces) return std::nullopt;
  std::size_t begin = used;
  if (length >= page_bytes) begin = static_cast<std::size_t>(round_up(used, page_bytes) + offset % page_bytes);
  return begin + length <= bytes ? std::optional(begin) : std::nullopt;
}

void WritePieces::Fill::add(std::size_t begin, std::uint64_t length, bool direct, std::size_t bytes) noexcept {
  // Pieces that are written directly from memory are large, and are not joined.
  used = direct ? bytes : begin + static_cast<std::size_t>(length);
  ++pieces;
}

std::size_t WritePieces::batch_bytes() const noexcept {
  std::uint64_t staged = 0;
  for (const Segment& segment : segments_) staged += segment.direct ? 0 : segment.length;
  const std::uint64_t together = std::min<std::uint64_t>(page_bytes + staged, limits_.staging);
  return std::max(buffer_bytes(), staged == 0 ? 0 : static_cast<std::size_t>(together));
}

WritePieces::Batches WritePieces::batches() const noexcept {
  const std::size_t bytes = batch_bytes();
  Batches batches;
  Fill filled;
  for (const Segment& segment : segments_) {
    for (std::uint64_t done = 0; done < segment.length;) {
      const std::uint64_t length = cut(segment).piece(done);
      auto begin = filled.place(segment.offset + done, length, segment.direct, bytes);
      if (!begin || filled.pieces == 0) {
        ++batches.count;
        filled = {};
        begin = filled.place(segment.offset + done, length, segment.direct, bytes);
      }
      filled.add(*begin, length, segment.direct, bytes);
      batches.most_pieces = std::max<std::uint64_t>(batches.most_pieces, filled.pieces);
      done += length;
    }
  }
  return batches;
}

std::vector<WritePiece> WritePieces::next_batch(std::span<std::byte> buffer) {
  report_copied();
  const std::size_t bytes = batch_bytes();
  std::vector<WritePiece> batch;
  for (Fill filled; advance();) {
    const Segment& segment = segments_[segment_];
    const std::uint64_t length = cut(segment).piece(done_);
    const auto begin = filled.place(segment.offset + done_, length, segment.direct, bytes);
    if (!begin) break;
    batch.push_back(make(buffer, *begin));
    filled.add(*begin, length, segment.direct, bytes);
  }
  return batch;
}

/// Encodes the next bytes of a staged segment.
void WritePieces::fill(std::span<std::byte> out) {
  const Stopwatch stopwatch(counters_.encode_seconds);
  while (!out.empty()) {
    const WriteExtent& extent = extents_[extent_];
    auto length = static_cast<std::size_t>(std::min<std::uint64_t>(extent.length - position_, out.size()));
    if (const std::byte* memory = ready_memory(extent)) {
      kernels::copy_bytes(out.data(), memory + position_, length);
      if (const WatchedSource* watched = watched_source(extent)) watched->report(position_ + length);
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
    throw Error(ErrorKind::internal,
                "an encoder made " + std::to_string(made) + " bytes instead of up to " + std::to_string(out.size()))
        .at(extent.offset + position_);
  }
  return made;
}

}  // namespace quire
