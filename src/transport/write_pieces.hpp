#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "quire/spi/plan/plan.hpp"
#include "quire/spi/plan/watched_source.hpp"
#include "quire/spi/transport/transport.hpp"
#include "transport/cut.hpp"

namespace quire {

/// The bytes of one write call.
struct WritePiece {
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes;
  std::vector<std::span<const std::byte>> places{};  ///< several places in memory, used instead of `bytes`
};

/// Which bytes may be written directly from the caller's memory.
enum class Gather : std::uint8_t {
  places,  ///< as the next one, but neighbours of some pages directly as well, from many places; only for next()
  shared,  ///< ready extents directly; misaligned and encoded ones, and small neighbours, through the buffer
  small,   ///< small ready extents directly as well: pieces of other ranks may be their neighbours
  all,     ///< everything through the buffer
};

/// Splits a plan, which must outlive it, into pieces, one at a time.
///
/// Extents that are adjacent in the file share pieces. Staged pieces are built in the caller's buffer at the position
/// that equals the file offset modulo a page, and every piece but the last of a run ends on a page.
class WritePieces {
 public:
  WritePieces(const WritePlan& plan, const TransportLimits& limits, Gather gather, TransportCounters& counters);

  /// The number of pieces: known before the first one is built, independent of encoders.
  [[nodiscard]] std::uint64_t count() const noexcept;
  /// The buffer size for next(): 0 if everything is written directly from memory.
  [[nodiscard]] std::size_t buffer_bytes() const noexcept;
  /// The next piece, or no value after the last. `buffer` begins on a page; the piece may refer to it.
  [[nodiscard]] std::optional<WritePiece> next(std::span<std::byte> buffer);

  /// The maximum number of pieces of a batch.
  static constexpr std::size_t batch_pieces = 4096;
  struct Batches {
    std::uint64_t count = 0;
    std::uint64_t most_pieces = 0;  ///< in any of them
  };
  /// The batches of next_batch(): small pieces share the buffer, a large one is a batch of its own.
  [[nodiscard]] Batches batches() const noexcept;
  /// The buffer size for next_batch().
  [[nodiscard]] std::size_t batch_bytes() const noexcept;
  /// The next pieces, as many as fit the buffer, in the order of their offsets; empty after the last.
  [[nodiscard]] std::vector<WritePiece> next_batch(std::span<std::byte> buffer);

 private:
  /// Extents that are consecutive in the file and are written in the same way.
  struct Segment {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::size_t first_extent = 0;
    bool direct = false;
    bool watched = false;
    std::size_t places = 1;  ///< of a direct one: the number of places in memory; several form one piece
  };
  /// The fill level of the buffer of a batch.
  struct Fill {
    std::size_t used = 0;
    std::size_t pieces = 0;
    /// The position of the next piece in a buffer of `bytes`, if it fits the batch.
    [[nodiscard]] std::optional<std::size_t> place(std::uint64_t offset, std::uint64_t length, bool direct,
                                                   std::size_t bytes) const noexcept;
    void add(std::size_t begin, std::uint64_t length, bool direct, std::size_t bytes) noexcept;
  };
  [[nodiscard]] Cut cut(const Segment& segment) const noexcept;
  /// Moves to a segment with remaining bytes; false after the last.
  [[nodiscard]] bool advance() noexcept;
  [[nodiscard]] WritePiece make(std::span<std::byte> buffer, std::size_t begin);
  void add_to_segments(std::size_t extent, bool direct);
  void send_lone_straight();
  void send_places_straight();
  [[nodiscard]] WritePiece make_of_places(const Segment& segment);
  void watch(const WriteExtent& extent, std::uint64_t end);
  void report_copied();
  void fill(std::span<std::byte> out);
  [[nodiscard]] std::size_t encode(const WriteExtent& extent, Encoder& encoder, std::span<std::byte> out);

  std::vector<WriteExtent> extents_;  ///< of a plan that lives longer
  TransportLimits limits_;
  std::size_t watched_piece_;
  TransportCounters& counters_;
  std::vector<Segment> segments_;
  std::size_t segment_ = 0;     ///< the current one
  std::uint64_t done_ = 0;      ///< bytes of it that are already in pieces
  std::size_t extent_ = 0;      ///< of a staged segment: the current extent
  std::uint64_t position_ = 0;  ///< inside that extent
  /// Sources of the last pieces, which are not copied yet, with the ends of these in their extents.
  std::vector<std::pair<const WatchedSource*, std::uint64_t>> watched_;
};

}  // namespace quire
