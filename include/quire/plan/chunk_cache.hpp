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

#include "quire/plan/chunks.hpp"

namespace quire {

/// Chunks of one file as they are without their filters, kept from one request to the next: who reads an array in
/// pieces smaller than its chunks finds each of them decoded. What was not used for the longest time goes first.
///
/// A chunk is found again by where it stands in the file and by the array that it belongs to, whose extents change when
/// it grows.
class ChunkCache {
 public:
  /// Small chunks count for so many bytes: what is known of each of them takes memory, too.
  static constexpr std::uint64_t least_bytes = 1 << 10;

  /// Never holds more than so many bytes; 0: nothing is kept.
  explicit ChunkCache(std::uint64_t most_bytes) : half_(most_bytes / 2), most_bytes_(most_bytes) {}

  /// Whether a chunk of so many bytes is kept: one that is larger than all there may be is not.
  [[nodiscard]] bool takes(std::uint64_t bytes) const noexcept { return cost(bytes) <= most_bytes_; }
  /// The bytes of a chunk that is kept, until the next add(); nothing if it is not. Of `array` its table of chunks does
  /// not matter.
  [[nodiscard]] std::optional<std::span<const std::byte>> find(const ChunkedLayout& array, const Chunk& chunk);
  /// Keeps a chunk of so many bytes, which `fill` writes into the memory that it is given. Of one that cannot be
  /// filled, for it is damaged, nothing is kept.
  template <class Fill>
  [[nodiscard]] std::span<const std::byte> add(std::shared_ptr<const ChunkedLayout> array, const Chunk& chunk,
                                               std::size_t bytes, Fill&& fill) {
    std::vector<std::byte> memory = make_room(chunk, bytes);
    std::forward<Fill>(fill)(std::span(memory));
    return keep(std::move(array), chunk, std::move(memory));
  }
  /// What the chunks of an array have in common, without its table of them: one for all that ask for the same array, as
  /// long as any of its chunks is kept.
  [[nodiscard]] std::shared_ptr<const ChunkedLayout> layout_of(const ChunkedLayout& array);
  /// From now on no more than half of what was allowed at first is held: what only the format can read takes the rest.
  void leave_half();
  /// What is held at present.
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
  /// Drops what stands in the way of a chunk, and gives memory for it: that of one that was dropped, if it fits.
  [[nodiscard]] std::vector<std::byte> make_room(const Chunk& chunk, std::size_t bytes);
  [[nodiscard]] std::span<const std::byte> keep(std::shared_ptr<const ChunkedLayout> array, const Chunk& chunk,
                                                std::vector<std::byte> bytes);
  [[nodiscard]] std::vector<std::byte> drop(Entries::iterator entry);

  std::uint64_t half_;
  std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
  Entries entries_;  ///< the one that was used last comes first
  std::unordered_map<std::uint64_t, Entries::iterator> by_offset_;
  std::vector<std::weak_ptr<const ChunkedLayout>> arrays_;  ///< those of the entries, and of who asks just now
};

/// What the chunks of an array have in common, without its table of them.
[[nodiscard]] std::shared_ptr<const ChunkedLayout> without_table(const ChunkedLayout& array);

}  // namespace quire
