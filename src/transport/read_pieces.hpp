#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "quire/spi/plan/plan.hpp"
#include "quire/spi/transport/transport.hpp"
#include "transport/cut.hpp"
#include "transport/staging.hpp"

namespace quire {

/// The extent of one read call, and its destination.
struct ReadPiece {
  std::uint64_t offset = 0;
  std::span<std::byte> memory;
};

/// Splits a plan into pieces to be read, one at a time, and passes the bytes to their destinations.
///
/// Large ready extents are read directly into their destination. Large decoded extents stream through the staging
/// buffer; the unused tail of a piece is copied in front of the next one. Small extents near each other are read
/// together.
class ReadPieces {
 public:
  ReadPieces(const ReadPlan& plan, const TransportLimits& limits, Staging& staging, TransportCounters& counters);

  /// The number of pieces: known before the first one is read, independent of decoders.
  [[nodiscard]] std::uint64_t count() const noexcept;
  /// The next piece, or no value after the last. take() must be called for each before the next one is requested.
  [[nodiscard]] std::optional<ReadPiece> next();
  /// Consumes the piece, of which `read` bytes were read. Throws a bad_file error if these are too few.
  void take(std::size_t read);

 private:
  enum class Manner : std::uint8_t { direct, stream, together };
  /// One large extent, or several small ones that fit into the buffer together.
  struct Segment {
    std::uint64_t offset = 0;
    std::uint64_t length = 0;
    std::size_t first_extent = 0;
    std::size_t extents = 1;
    Manner manner = Manner::direct;
  };
  [[nodiscard]] Manner manner(const ReadExtent& extent) const;
  [[nodiscard]] bool join_last(const ReadExtent& extent);
  [[nodiscard]] Cut cut(const Segment& segment) const noexcept;
  [[nodiscard]] std::span<std::byte> place(const Segment& segment, std::uint64_t offset, std::size_t length);
  void distribute(const Segment& segment);
  void continue_stream(const Segment& segment);

  ReadPlan plan_;
  TransportLimits limits_;
  Staging& staging_;
  TransportCounters& counters_;
  std::vector<Segment> segments_;
  std::size_t segment_ = 0;     ///< the current one
  std::uint64_t done_ = 0;      ///< bytes of it that were read
  ReadPiece piece_;             ///< returned by next() and not yet taken
  std::span<std::byte> carry_;  ///< read, but not yet used by the decoder of a stream
};

}  // namespace quire
