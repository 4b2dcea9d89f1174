#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace quire {

class ChunkCache;

/// Makes the bytes of an extent from memory, piece by piece and in order, into a buffer that the transport provides.
class Encoder {
 public:
  virtual ~Encoder() = default;
  /// Fills `out` from byte `position` of the extent on and returns how many bytes it made: whole records where
  /// they fit, at least one byte. A transport calls with increasing positions, each where the last call ended.
  [[nodiscard]] virtual std::size_t encode(std::uint64_t position, std::span<std::byte> out) = 0;
};

/// Takes the bytes of an extent, piece by piece and in order, and puts their values into memory.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Takes whole records from `in`, which starts at byte `position` of the extent, and returns how many bytes it
  /// used. 0 asks for a larger piece. Throws bad_file errors whose offset is relative to the extent.
  [[nodiscard]] virtual std::size_t decode(std::uint64_t position, std::span<const std::byte> in) = 0;
};

/// A run of file bytes to write, and where they come from: ready in memory, or made by an encoder.
struct WriteExtent {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::variant<const std::byte*, std::shared_ptr<Encoder>> source;
};

/// A run of file bytes to read, and where they go: as they are into memory, or through a decoder.
struct ReadExtent {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::variant<std::byte*, std::shared_ptr<Decoder>> target;
};

/// What one rank writes. `owned` keeps small ready-made bytes (headers) alive as long as the plan.
struct WritePlan {
  std::vector<WriteExtent> extents;
  std::vector<std::shared_ptr<const std::vector<std::byte>>> owned;

  /// Adds ready bytes of the caller, which must outlive the plan.
  void add(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Adds bytes that the plan keeps.
  void add(std::uint64_t offset, std::vector<std::byte> bytes);
  void add(std::uint64_t offset, std::uint64_t length, std::shared_ptr<Encoder> encoder);
  [[nodiscard]] std::uint64_t bytes() const noexcept;
};

/// What one rank reads.
struct ReadPlan {
  std::vector<ReadExtent> extents;
  /// Where chunks are found that were decoded before, and kept for later plans; none: every chunk is read.
  std::shared_ptr<ChunkCache> cache{};
  /// This rank has further plans for the same request.
  bool goes_on = false;

  void add(std::uint64_t offset, std::span<std::byte> memory);
  void add(std::uint64_t offset, std::uint64_t length, std::shared_ptr<Decoder> decoder);
  [[nodiscard]] std::uint64_t bytes() const noexcept;
};

/// Sorts by offset and joins neighbouring extents whose memory neighbours too. Empty extents go.
/// Reads may repeat bytes; writes that overlap are an internal error.
void coalesce(std::vector<WriteExtent>& extents);
void coalesce(WritePlan& plan);
void coalesce(ReadPlan& plan);

/// An extent without its memory, for printing and comparing.
struct Extent {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  [[nodiscard]] bool operator==(const Extent&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    a(offset, length);
  }
};
[[nodiscard]] std::vector<Extent> extents_of(const WritePlan& plan);
[[nodiscard]] std::vector<Extent> extents_of(const ReadPlan& plan);

/// One act of making a step visible, in order, by rank 0 alone.
struct PublishWrite {
  std::uint64_t offset = 0;
  std::vector<std::byte> bytes;
};
struct PublishSync {};  ///< what was written so far must be durable before what follows (if durability was asked for)
struct PublishResize {
  std::uint64_t size = 0;
};
using PublishAct = std::variant<PublishWrite, PublishSync, PublishResize>;
using Publication = std::vector<PublishAct>;

}  // namespace quire
