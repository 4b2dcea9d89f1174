#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace quire::python {

/// Memory for the results of reads: aligned to 2 MiB, huge pages advised, and kept for the next read when it is freed,
/// since page faults of new memory are slower than reading (specs/performance.md section 5, item 12).
///
/// Kept blocks never exceed `capacity` bytes in all; 0 keeps none. Safe to use from any thread.
class BlockPool {
 public:
  explicit BlockPool(std::uint64_t capacity) noexcept : capacity_(capacity) {}

  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  struct Block {
    std::unique_ptr<std::byte, Free> memory;
    std::uint64_t bytes = 0;
  };

  /// A block of at least `bytes`; its contents are anything. Throws memory errors.
  [[nodiscard]] Block take(std::uint64_t bytes);
  /// Keeps a block for a later take(), or frees it.
  void give_back(Block block) noexcept;

  [[nodiscard]] std::uint64_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] std::uint64_t kept_bytes() const;
  void clear() noexcept;

 private:
  [[nodiscard]] Block take_kept(std::uint64_t bytes);

  mutable std::mutex mutex_;
  std::uint64_t capacity_;
  std::uint64_t kept_bytes_ = 0;
  std::vector<Block> kept_;  ///< in the order in which they were given back
};

}  // namespace quire::python
