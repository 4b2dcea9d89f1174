#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace quire {

/// The buffer of a rank and file in which bytes are encoded or decoded. Allocated at first use, page-aligned, on huge
/// pages if it is large.
class Staging {
 public:
  /// At least `bytes` bytes with undefined contents. Releases memory of an earlier, larger request.
  [[nodiscard]] std::span<std::byte> provide(std::size_t bytes);
  /// Leaves a small buffer to the next file of this thread: programs that write many small files would clear fresh
  /// pages for each, which took 1.7 us of processor time a page, a third of the time of a rank for a step of 160 kB.
  void leave() noexcept;
  /// At least `bytes` bytes that hold `kept`, a part of the current buffer, at `position`.
  [[nodiscard]] std::span<std::byte> keep(std::span<const std::byte> kept, std::size_t position, std::size_t bytes);

 private:
  class Release {
   public:
    Release() noexcept : Release(1) {}
    explicit Release(std::size_t alignment) noexcept : alignment_(alignment) {}
    void operator()(std::byte* memory) const noexcept;

   private:
    std::size_t alignment_;
  };
  using Memory = std::unique_ptr<std::byte[], Release>;
  struct Block {
    Memory memory;
    std::size_t size = 0;
  };
  [[nodiscard]] static Memory allocate(std::size_t& bytes);
  /// The buffer that the last file of this thread has left.
  [[nodiscard]] static Block& left() noexcept;

  Memory memory_;
  std::size_t size_ = 0;
};

}  // namespace quire
