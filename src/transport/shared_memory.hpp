#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace quire {

/// Memory that the processes of one node share. Each releases it without waiting for the others, which an MPI window
/// does not allow.
class SharedMemory {
 public:
  SharedMemory() = default;
  /// Creates memory, completely allocated, under a unique name. Throws memory and io errors.
  [[nodiscard]] static SharedMemory create(std::size_t bytes);
  /// The memory that another process of this node created. Throws io errors.
  [[nodiscard]] static SharedMemory attach(const std::string& name, std::size_t bytes);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }
  /// Unlinks the name: call it after all processes have attached. The memory lives until the last one releases it.
  void forget_name() noexcept;

 private:
  void map(int descriptor, std::size_t bytes);

  std::string name_;
  bool owns_name_ = false;
  std::span<std::byte> bytes_;
};

}  // namespace quire
