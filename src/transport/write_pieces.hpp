#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "quire/plan/plan.hpp"
#include "quire/transport/transport.hpp"
#include "transport/cut.hpp"

namespace quire {

/// Bytes for one call of the operating system.
struct WritePiece {
  std::uint64_t offset = 0;
  std::span<const std::byte> bytes;
  std::vector<std::span<const std::byte>> places{};  ///< where they lie instead, if not in one
};

/// Which bytes may be written straight from the caller's memory.
enum class Gather : std::uint8_t {
  places,  ///< as the next one, but neighbours of some pages go straight as well, from many places; only for next()
  shared,  ///< ready extents go straight; misaligned and encoded ones, and small neighbours, through the buffer
  small,   ///< small ready extents as well: pieces of other ranks may be their neighbours
  all,     ///< everything goes through the buffer
};

/// Turns a plan, which outlives it, into pieces, one at a time.
///
/// Extents that neighbour in the file share pieces. Staged pieces are built in the caller's buffer at the place that
/// equals the file offset modulo a page, and every piece but the last of a run ends on a page.
class WritePieces {
 public:
  WritePieces(const WritePlan& plan, const TransportLimits& limits, Gather gather, TransportCounters& counters);

  /// How many pieces there are: known before the first one is made, whatever the encoders do.
  [[nodiscard]] std::uint64_t count() const noexcept;
  /// What next() needs: 0 if everything goes straight from memory.
  [[nodiscard]] std::size_t buffer_bytes() const noexcept;
  /// The next piece, or nothing behind the last. `buffer` begins on a page; the piece may lie in it.
  [[nodiscard]] std::optional<WritePiece> next(std::span<std::byte> buffer);

  /// Pieces of one batch at most.
  static constexpr std::size_t batch_pieces = 4096;
  struct Batches {
    std::uint64_t count = 0;
    std::uint64_t most_pieces = 0;  ///< in any of them
  };
  /// What next_batch() makes: small pieces lie together in the buffer, a large one makes a batch of its own.
  [[nodiscard]] Batches batches() const noexcept;
  /// What next_batch() needs.
  [[nodiscard]] std::size_t batch_bytes() const noexcept;
  /// The next pieces, as many as the buffer takes, in the order of their offsets; none behind the last.
  [[nodiscard]] std::vector<WritePiece> next_batch(std::span<std::byte> buffer);

 private:
  /// Extents that follow each other in the file and go to it in the same manner.
  struct Segment {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::size_t first_extent = 0;
    bool direct = false;
    std::size_t places = 1;  ///< of a direct one: where its bytes lie, and one piece if these are several
  };
  /// How full the buffer of a batch is.
  struct Fill {
    std::size_t used = 0;
    std::size_t pieces = 0;
    /// Where the next piece begins in a buffer of `bytes`, if the batch takes it.
    [[nodiscard]] std::optional<std::size_t> place(std::uint64_t offset, std::uint64_t length, bool direct,
                                                   std::size_t bytes) const noexcept;
    void add(std::size_t begin, std::uint64_t length, bool direct, std::size_t bytes) noexcept;
  };
  [[nodiscard]] Cut cut(const Segment& segment) const noexcept;
  /// Goes on to a segment with bytes that are in no piece yet; false behind the last.
  [[nodiscard]] bool advance() noexcept;
  [[nodiscard]] WritePiece make(std::span<std::byte> buffer, std::size_t begin);
  void add_to_segments(std::size_t extent, bool direct);
  void send_lone_straight();
  void send_places_straight();
  [[nodiscard]] WritePiece make_of_places(const Segment& segment);
  void fill(std::span<std::byte> out);
  [[nodiscard]] std::size_t encode(const WriteExtent& extent, Encoder& encoder, std::span<std::byte> out);

  std::vector<WriteExtent> extents_;  ///< of a plan that lives longer
  TransportLimits limits_;
  TransportCounters& counters_;
  std::vector<Segment> segments_;
  std::size_t segment_ = 0;     ///< the current one
  std::uint64_t done_ = 0;      ///< bytes of it that are already in pieces
  std::size_t extent_ = 0;      ///< of a staged segment: the extent that goes on
  std::uint64_t position_ = 0;  ///< inside that extent
};

}  // namespace quire
