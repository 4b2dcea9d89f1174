#include "plan/chunk_cache.hpp"

#include <iterator>

#include "quire/base/error.hpp"

namespace quire {
namespace {

/// Whether equal bytes in the file are equal elements.
bool is_alike(const ChunkedLayout& one, const ChunkedLayout& other) {
  return one.extents == other.extents && one.shape == other.shape && one.element_bytes == other.element_bytes &&
         one.filters == other.filters;
}

}  // namespace

std::shared_ptr<const ChunkedLayout> without_table(const ChunkedLayout& array) {
  return std::make_shared<const ChunkedLayout>(
      ChunkedLayout{array.extents, array.shape, array.element_bytes, array.filters, array.fill, {}});
}

std::shared_ptr<const ChunkedLayout> ChunkCache::layout_of(const ChunkedLayout& array) {
  for (const auto& one : arrays_) {
    const auto known = one.lock();
    if (known && is_alike(*known, array) && known->fill == array.fill) return known;
  }
  std::erase_if(arrays_, [](const auto& one) { return one.expired(); });
  auto made = without_table(array);
  arrays_.push_back(made);
  return made;
}

void ChunkCache::leave_half() {
  most_bytes_ = half_;
  while (bytes_ > most_bytes_) static_cast<void>(drop(std::prev(entries_.end())));
}

std::optional<std::span<const std::byte>> ChunkCache::find(const ChunkedLayout& array, const Chunk& chunk) {
  const auto found = by_offset_.find(chunk.offset);
  if (found == by_offset_.end()) return std::nullopt;
  const Entries::iterator entry = found->second;
  if (entry->chunk != chunk || !is_alike(*entry->array, array)) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, entry);
  return entry->bytes;
}

std::vector<std::byte> ChunkCache::make_room(const Chunk& chunk, std::size_t bytes) {
  if (!takes(bytes)) throw Error(ErrorKind::internal, "a chunk is larger than the cache");
  std::vector<std::byte> memory;
  if (const auto known = by_offset_.find(chunk.offset); known != by_offset_.end()) memory = drop(known->second);
  while (bytes_ + cost(bytes) > most_bytes_) memory = drop(std::prev(entries_.end()));
  // Reused memory is much faster, but the real size must not exceed the counted one.
  if (memory.capacity() != bytes) memory = {};
  memory.resize(bytes);
  return memory;
}

std::span<const std::byte> ChunkCache::keep(std::shared_ptr<const ChunkedLayout> array, const Chunk& chunk,
                                            std::vector<std::byte> bytes) {
  entries_.push_front({std::move(array), chunk, std::move(bytes)});
  by_offset_.emplace(chunk.offset, entries_.begin());
  bytes_ += cost(entries_.front().bytes.size());
  return entries_.front().bytes;
}

std::vector<std::byte> ChunkCache::drop(Entries::iterator entry) {
  std::vector<std::byte> bytes = std::move(entry->bytes);
  bytes_ -= cost(bytes.size());
  by_offset_.erase(entry->chunk.offset);
  entries_.erase(entry);
  return bytes;
}

}  // namespace quire
