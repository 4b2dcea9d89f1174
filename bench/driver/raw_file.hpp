#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "quire/spi/transport/transport.hpp"

namespace quire::bench {

/// A file by plain system calls, 4 MiB at a time: the yardstick. Throws io errors.
class RawFile {
 public:
  static constexpr std::size_t piece = 4 << 20;
  RawFile(const std::string& path, int flags);
  ~RawFile();
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
  /// All bytes; `counters` counts the calls.
  void write(std::uint64_t offset, std::span<const std::byte> bytes, TransportCounters& counters) const;
  /// All bytes, or an error; `least`: the file may end after this many.
  void read(std::uint64_t offset, std::span<std::byte> out, TransportCounters& counters) const {
    read(offset, out, out.size(), counters);
  }
  void read(std::uint64_t offset, std::span<std::byte> out, std::size_t least, TransportCounters& counters) const;
  void sync() const;
  void close();

 private:
  std::string path_;
  int descriptor_;
};

/// Makes the entry of a new file durable.
void sync_folder(const std::string& path);

}  // namespace quire::bench
