#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace quire::probe {

/// A file by the calls of the operating system alone: the judge of what the methods did.
class PlainFile {
 public:
  /// Throws io errors. Flags as of open(2).
  PlainFile(const std::string& path, int flags);
  PlainFile(const PlainFile&) = delete;
  PlainFile& operator=(const PlainFile&) = delete;
  ~PlainFile();

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::uint64_t size() const;
  /// Throws io errors; bytes after the end are an error, too.
  void read(std::uint64_t offset, std::span<std::byte> out) const;
  void write(std::uint64_t offset, std::span<const std::byte> bytes) const;

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// Throws an io error of errno for what failed with a file.
[[noreturn]] void fail(const std::string& what, const std::string& path);

}  // namespace quire::probe
