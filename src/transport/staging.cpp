#include "transport/staging.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "quire/spi/base/checked.hpp"
#include "transport/alignment.hpp"

namespace quire {
namespace {

constexpr std::size_t huge_page_bytes = 2 << 20;
/// Below this size, clearing a huge page costs more than it saves.
constexpr std::size_t huge_from = 512 << 10;

}  // namespace

void Staging::Release::operator()(std::byte* memory) const noexcept {
  ::operator delete[](memory, std::align_val_t(alignment_));
}

/// Rounds `bytes` up to the allocated size.
Staging::Memory Staging::allocate(std::size_t& bytes) {
  const bool huge = bytes >= huge_from;
  const std::size_t alignment = huge ? huge_page_bytes : page_bytes;
  bytes = static_cast<std::size_t>(round_up(bytes, alignment));
  auto* memory = static_cast<std::byte*>(::operator new[](bytes, std::align_val_t(alignment), std::nothrow));
  if (memory == nullptr) {
    throw Error(ErrorKind::memory, "cannot allocate a staging buffer of " + std::to_string(bytes) + " bytes");
  }
  // Advice only: without huge pages it is just slower.
  if (huge) static_cast<void>(::madvise(memory, bytes, MADV_HUGEPAGE));
  return Memory(memory, Release(alignment));
}

Staging::Block& Staging::left() noexcept {
  thread_local Block block;
  return block;
}

void Staging::leave() noexcept {
  Block mine{std::move(memory_), std::exchange(size_, 0)};
  if (mine.size < huge_from && mine.size > left().size) left() = std::move(mine);
}

std::span<std::byte> Staging::provide(std::size_t bytes) {
  if (size_ == 0 && bytes > 0 && bytes <= left().size) {
    memory_ = std::move(left().memory);
    size_ = std::exchange(left().size, 0);
  }
  const bool oversized = size_ > 2 * std::max(bytes, huge_page_bytes);
  if (bytes > size_ || oversized) {
    memory_.reset();
    size_ = 0;
    std::size_t allocated = bytes;
    memory_ = allocate(allocated);
    size_ = allocated;
  }
  return {memory_.get(), size_};
}

std::span<std::byte> Staging::keep(std::span<const std::byte> kept, std::size_t position, std::size_t bytes) {
  if (bytes <= size_) {
    if (memory_.get() + position == kept.data()) return {memory_.get(), size_};
    std::memmove(memory_.get() + position, kept.data(), kept.size());
  } else {
    // Doubling keeps the copies of a growing record cheap.
    std::size_t allocated = std::max(bytes, 2 * size_);
    Memory larger = allocate(allocated);
    std::memcpy(larger.get() + position, kept.data(), kept.size());
    memory_ = std::move(larger);
    size_ = allocated;
  }
  return {memory_.get(), size_};
}

}  // namespace quire
