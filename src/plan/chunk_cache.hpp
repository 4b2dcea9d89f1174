#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "quire/spi/plan/chunks.hpp"

namespace quire {

/// Cache of unfiltered chunks of one file, kept across requests: a program that reads an array in pieces smaller than
/// its chunks decodes each of them once. The least recently used chunk is dropped first.
///
/// A chunk is identified by its position in the file and by the array that it belongs to, whose extents change when it
/// grows.
class ChunkCache {
 public:
  /// The minimum cost of a chunk, because its bookkeeping needs memory, too.
  static constexpr std::uint64_t least_bytes = 1 << 10;

  /// Never holds more than so many bytes; 0: nothing is kept.
  explicit ChunkCache(std::uint64_t most_bytes) : half_(most_bytes / 2), most_bytes_(most_bytes) {}

  /// Whether a chunk of so many bytes can be kept: not if it is larger than the cache.
  [[nodiscard]] bool takes(std::uint64_t bytes) const noexcept { return cost(bytes) <= most_bytes_; }
  /// The bytes of a chunk in the cache, valid until the next add(); no value if it is not cached. The table of chunks
  /// of `array` is ignored.
  [[nodiscard]] std::optional<std::span<const std::byte>> find(const ChunkedLayout& array, const Chunk& chunk);
  /// Adds a chunk of so many bytes, which `fill` writes into the given memory. If `fill` throws because the chunk is
  /// damaged, nothing is kept.
  template <class Fill>
  [[nodiscard]] std::span<const std::byte> add(std::shared_ptr<const ChunkedLayout> array, const Chunk& chunk,
                                               std::size_t bytes, Fill&& fill) {
    std::vector<std::byte> memory = make_room(chunk, bytes);
    std::forward<Fill>(fill)(std::span(memory));
    return keep(std::move(array), chunk, std::move(memory));
  }
  /// The common layout of the chunks of an array, without its table of chunks: one object for all requests for the same
  /// array, as long as any of its chunks is kept.
  [[nodiscard]] std::shared_ptr<const ChunkedLayout> layout_of(const ChunkedLayout& array);
  /// Reduces the limit to half of its initial value: the other half is for chunks that only the format can read.
  void leave_half();
  /// The bytes in use.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  struct Entry {
    std::shared_ptr<const ChunkedLayout> array;
    Chunk chunk;
    std::vector<std::byte> bytes;
  };
  using Entries = std::list<Entry>;

  [[nodiscard]] static std::uint64_t cost(std::uint64_t bytes) noexcept {
    return bytes < least_bytes ? least_bytes : bytes;
  }
  /// Drops chunks until the new one fits, and returns memory for it: that of a dropped one, if it fits.
  [[nodiscard]] std::vector<std::byte> make_room(const Chunk& chunk, std::size_t bytes);
  [[nodiscard]] std::span<const std::byte> keep(std::shared_ptr<const ChunkedLayout> array, const Chunk& chunk,
                                                std::vector<std::byte> bytes);
  [[nodiscard]] std::vector<std::byte> drop(Entries::iterator entry);

  std::uint64_t half_;
  std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  Entries entries_;  ///< the most recently used one first
  std::unordered_map<std::uint64_t, Entries::iterator> by_offset_;
  std::vector<std::weak_ptr<const ChunkedLayout>> arrays_;  ///< those of the entries, and of current requests
};

/// The common layout of the chunks of an array, without its table of chunks.
[[nodiscard]] std::shared_ptr<const ChunkedLayout> without_table(const ChunkedLayout& array);

}  // namespace quire
