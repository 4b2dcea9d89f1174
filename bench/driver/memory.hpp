#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quire::bench {

/// Memory on huge pages where the system gives them, touched, so that no benchmark pays for its first use.
class Arena {
 public:
  explicit Arena(std::size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  [[nodiscard]] std::byte* data() const noexcept { return first_; }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return {first_, size_}; }

 private:
  std::size_t size_ = 0;
  std::byte* first_ = nullptr;
};

/// The largest resident memory of this process since the object was made, beyond what was resident then.
class MemoryPeak {
 public:
  MemoryPeak();
  [[nodiscard]] std::uint64_t extra() const;

 private:
  std::uint64_t before_ = 0;
};

}  // namespace quire::bench
