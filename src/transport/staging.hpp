#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace quire {

/// The one buffer of a rank and file in which bytes are encoded or decoded. Allocated at first use, page-aligned, on
/// huge pages where it is large.
class Staging {
 public:
  /// At least `bytes` bytes whose contents mean nothing. Gives back memory of an earlier, larger need.
  [[nodiscard]] std::span<std::byte> provide(std::size_t bytes);
  /// At least `bytes` bytes that hold `kept`, a part of the present buffer, at `position`.
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
  [[nodiscard]] static Memory allocate(std::size_t& bytes);

  Memory memory_;
  std::size_t size_ = 0;
};

}  // namespace quire
