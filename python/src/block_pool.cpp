#include "block_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>

#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::python {
namespace {

constexpr std::uint64_t huge_page = 2 << 20;
/// A kept block may be this many times larger than what is asked for; more would waste memory.
constexpr std::uint64_t waste = 2;
constexpr std::size_t most_blocks = 64;

}  // namespace

void BlockPool::Free::operator()(std::byte* memory) const noexcept { std::free(memory); }

BlockPool::Block BlockPool::take_kept(std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  auto best = kept_.end();
  for (auto block = kept_.begin(); block != kept_.end(); ++block) {
    const bool fits = block->bytes >= bytes && block->bytes / waste <= bytes;
    if (fits && (best == kept_.end() || block->bytes <= best->bytes)) best = block;
  }
  if (best == kept_.end()) return {};
  Block block = std::move(*best);
  kept_.erase(best);
  kept_bytes_ -= block.bytes;
  return block;
}

BlockPool::Block BlockPool::take(std::uint64_t bytes) {
  const std::uint64_t rounded = round_up(std::max<std::uint64_t>(bytes, 1), huge_page);
  if (Block kept = take_kept(rounded); kept.memory) return kept;
  auto* memory = static_cast<std::byte*>(std::aligned_alloc(huge_page, rounded));
  if (memory == nullptr) {
    throw Error(ErrorKind::memory, "the system has no " + std::to_string(rounded) + " bytes for the result")
        .advise("read fewer columns, or block by block");
  }
  // Advice only: without huge pages reading is slower, not wrong.
  static_cast<void>(::madvise(memory, rounded, MADV_HUGEPAGE));
  return {std::unique_ptr<std::byte, Free>(memory), rounded};
}

void BlockPool::give_back(Block block) noexcept {
  if (block.bytes > capacity_) return;
  // Old blocks are removed, and freed after the lock is released.
  std::vector<Block> dropped;
  try {
    const std::scoped_lock lock(mutex_);
    while (!kept_.empty() && (kept_bytes_ + block.bytes > capacity_ || kept_.size() >= most_blocks)) {
      kept_bytes_ -= kept_.front().bytes;
      dropped.push_back(std::move(kept_.front()));
      kept_.erase(kept_.begin());
    }
    const std::uint64_t bytes = block.bytes;
    kept_.push_back(std::move(block));
    kept_bytes_ += bytes;
  } catch (const std::exception&) {
    // No memory for the list itself: the block is simply freed.
  }
}

std::uint64_t BlockPool::kept_bytes() const {
  const std::scoped_lock lock(mutex_);
  return kept_bytes_;
}

void BlockPool::clear() noexcept {
  std::vector<Block> dropped;
  const std::scoped_lock lock(mutex_);
  dropped.swap(kept_);
  kept_bytes_ = 0;
}

}  // namespace quire::python
