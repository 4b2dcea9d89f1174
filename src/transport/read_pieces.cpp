#include "transport/read_pieces.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <variant>

#include "base/stopwatch.hpp"
#include "kernels/copy.hpp"
#include "quire/spi/base/checked.hpp"
#include "transport/alignment.hpp"

namespace quire {
namespace {

std::byte* ready_memory(const ReadExtent& extent) {
  const auto* memory = std::get_if<std::byte*>(&extent.target);
  return memory != nullptr ? *memory : nullptr;
}

/// Passes bytes that begin at `position` of the extent to its destination and returns how many it used.
std::size_t use(const ReadExtent& extent, std::uint64_t position, std::span<const std::byte> in) {
  if (std::byte* memory = ready_memory(extent)) {
    kernels::copy_bytes(memory + position, in.data(), in.size());
    return in.size();
  }
  Decoder& decoder = *std::get<std::shared_ptr<Decoder>>(extent.target);
  std::size_t used = 0;
  try {
    // A decoder may stop early; only 0 requests more bytes.
    while (used < in.size()) {
      const std::size_t step = decoder.decode(position + used, in.subspan(used));
      if (step > in.size() - used) throw Error(ErrorKind::internal, "a decoder used more bytes than it was given");
      if (step == 0) break;
      used += step;
    }
  } catch (Error& error) {
    // Decoders report positions relative to their extent.
    error.at(extent.offset + error.offset().value_or(position + used));
    throw;
  }
  return used;
}

Error ends_inside_record(const ReadExtent& extent, std::uint64_t position) {
  return Error(ErrorKind::bad_file, "the data end inside a record").at(extent.offset + position);
}

}  // namespace

ReadPieces::ReadPieces(const ReadPlan& plan, const TransportLimits& limits, Staging& staging,
                       TransportCounters& counters)
    : plan_(plan), limits_(limits), staging_(staging), counters_(counters) {
  coalesce(plan_);
  for (std::size_t i = 0; i < plan_.extents.size(); ++i) {
    const ReadExtent& extent = plan_.extents[i];
    static_cast<void>(checked_add(extent.offset, extent.length));
    const Manner how = manner(extent);
    if (how == Manner::together && join_last(extent)) continue;
    segments_.push_back({extent.offset, extent.length, i, 1, how});
  }
}

ReadPieces::Manner ReadPieces::manner(const ReadExtent& extent) const {
  const std::byte* memory = ready_memory(extent);
  if (extent.length < limits_.direct_from && extent.offset % page_bytes + extent.length <= limits_.staging) {
    return Manner::together;
  }
  return memory != nullptr && !stalls(reinterpret_cast<std::uintptr_t>(memory), extent.offset) ? Manner::direct
                                                                                               : Manner::stream;
}

/// Adds a small extent to the last segment if that has small extents, is near, and fits the buffer.
bool ReadPieces::join_last(const ReadExtent& extent) {
  if (segments_.empty() || segments_.back().manner != Manner::together) return false;
  Segment& last = segments_.back();
  if (extent.offset > last.offset + last.length + limits_.gap) return false;
  const std::uint64_t length = std::max(last.length, extent.offset + extent.length - last.offset);
  if (last.offset % page_bytes + length > limits_.staging) return false;
  last.length = length;
  ++last.extents;
  return true;
}

Cut ReadPieces::cut(const Segment& segment) const noexcept {
  const bool direct = segment.manner == Manner::direct;
  return {segment.offset, segment.length, direct ? limits_.piece : limits_.staging, direct};
}

std::uint64_t ReadPieces::count() const noexcept {
  std::uint64_t sum = 0;
  for (const Segment& segment : segments_) sum += cut(segment).count();
  return sum;
}

std::optional<ReadPiece> ReadPieces::next() {
  if (segment_ < segments_.size() && done_ == segments_[segment_].length) {
    done_ = 0;
    ++segment_;
  }
  if (segment_ == segments_.size()) return std::nullopt;

  const Segment& segment = segments_[segment_];
  const auto length = static_cast<std::size_t>(cut(segment).piece(done_));
  piece_.offset = segment.offset + done_;
  if (segment.manner == Manner::direct) {
    piece_.memory = {ready_memory(plan_.extents[segment.first_extent]) + done_, length};
  } else {
    piece_.memory = place(segment, piece_.offset, length);
  }
  return piece_;
}

/// A place in the staging buffer that equals the file offset modulo a page, directly after the carried tail.
std::span<std::byte> ReadPieces::place(const Segment& segment, std::uint64_t offset, std::size_t length) {
  const std::size_t inside_page = offset % page_bytes;
  if (carry_.empty()) {
    const std::uint64_t most = std::min<std::uint64_t>(inside_page + (segment.length - done_), limits_.staging);
    return staging_.provide(static_cast<std::size_t>(most)).subspan(inside_page, length);
  }
  std::size_t begin = static_cast<std::size_t>(round_up(carry_.size(), page_bytes)) + inside_page;
  const auto buffer = staging_.keep(carry_, begin - carry_.size(), begin + length);
  carry_ = buffer.subspan(begin - carry_.size(), carry_.size());
  return buffer.subspan(begin, length);
}

void ReadPieces::take(std::size_t read) {
  if (read < piece_.memory.size()) {
    throw Error(ErrorKind::bad_file, "the file ends before the expected data").at(piece_.offset + read);
  }
  const Segment& segment = segments_[segment_];
  done_ += read;
  if (segment.manner == Manner::direct) return;
  const Stopwatch stopwatch(counters_.encode_seconds);
  if (segment.manner == Manner::together) {
    distribute(segment);
  } else {
    continue_stream(segment);
  }
}

void ReadPieces::distribute(const Segment& segment) {
  for (const ReadExtent& extent : std::span(plan_.extents).subspan(segment.first_extent, segment.extents)) {
    const auto in =
        std::span<const std::byte>(piece_.memory)
            .subspan(static_cast<std::size_t>(extent.offset - segment.offset), static_cast<std::size_t>(extent.length));
    const std::size_t used = use(extent, 0, in);
    if (used < in.size()) throw ends_inside_record(extent, used);
  }
}

void ReadPieces::continue_stream(const Segment& segment) {
  const ReadExtent& extent = plan_.extents[segment.first_extent];
  const std::span<std::byte> in(piece_.memory.data() - carry_.size(), carry_.size() + piece_.memory.size());
  const std::uint64_t position = done_ - in.size();
  const std::size_t used = use(extent, position, in);
  carry_ = in.subspan(used);
  if (carry_.size() > limits_.largest_record) {
    throw Error(ErrorKind::memory, "a record is larger than " + std::to_string(limits_.largest_record) + " bytes")
        .at(extent.offset + position + used);
  }
  if (done_ < segment.length) return;
  if (!carry_.empty()) throw ends_inside_record(extent, position + used);
}

}  // namespace quire
