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

/// Produces the bytes of an extent from memory, piece by piece and in order, in a buffer of the transport.
class Encoder {
 public:
  virtual ~Encoder() = default;
  /// Fills `out` from byte `position` of the extent on and returns how many bytes it produced: whole records where
  /// they fit, at least one byte. A transport calls it with increasing positions, each where the last call ended.
  [[nodiscard]] virtual std::size_t encode(std::uint64_t position, std::span<std::byte> out) = 0;
};

/// Consumes the bytes of an extent, piece by piece and in order, and stores their values in memory.
class Decoder {
 public:
  virtual ~Decoder() = default;
  /// Consumes whole records from `in`, which starts at byte `position` of the extent, and returns how many bytes it
  /// used. 0 requests a larger piece. Throws bad_file errors whose offset is relative to the extent.
  [[nodiscard]] virtual std::size_t decode(std::uint64_t position, std::span<const std::byte> in) = 0;
};

/// A run of file bytes to write, and their source: memory or an encoder.
struct WriteExtent {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::variant<const std::byte*, std::shared_ptr<Encoder>> source;
};

/// A run of file bytes to read, and their destination: memory or a decoder.
struct ReadExtent {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::variant<std::byte*, std::shared_ptr<Decoder>> target;
};

/// What one rank writes. `owned` keeps small buffers (headers) alive as long as the plan.
struct WritePlan {
  std::vector<WriteExtent> extents;
  std::vector<std::shared_ptr<const std::vector<std::byte>>> owned;

  /// Adds bytes of the caller, which must outlive the plan.
  void add(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Adds bytes that the plan owns.
  void add(std::uint64_t offset, std::vector<std::byte> bytes);
  void add(std::uint64_t offset, std::uint64_t length, std::shared_ptr<Encoder> encoder);
  [[nodiscard]] std::uint64_t bytes() const noexcept;
};

/// What one rank reads.
struct ReadPlan {
  std::vector<ReadExtent> extents;
  /// Decoded chunks that are kept for later plans; none: every chunk is read.
  std::shared_ptr<ChunkCache> cache{};
  /// This rank has further plans for the same request.
  bool goes_on = false;

  void add(std::uint64_t offset, std::span<std::byte> memory);
  void add(std::uint64_t offset, std::uint64_t length, std::shared_ptr<Decoder> decoder);
  [[nodiscard]] std::uint64_t bytes() const noexcept;
};

/// Sorts by offset and joins extents that are adjacent in the file and in memory. Empty extents are removed.
/// Reads may overlap; writes that overlap are an internal error.
void coalesce(std::vector<WriteExtent>& extents);
void coalesce(WritePlan& plan);
void coalesce(ReadPlan& plan);

/// An extent without its memory, to print and compare.
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

/// One action that publishes a step, in order, by rank 0 alone.
struct PublishWrite {
  std::uint64_t offset = 0;
  std::vector<std::byte> bytes;
};
struct PublishSync {};  ///< earlier writes must be durable before later ones (if durability was requested)
struct PublishResize {
  std::uint64_t size = 0;
};
using PublishAct = std::variant<PublishWrite, PublishSync, PublishResize>;
using Publication = std::vector<PublishAct>;

}  // namespace quire
