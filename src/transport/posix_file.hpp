#pragma once

#include <cstdint>

#include "transport/descriptor.hpp"
#include "transport/file_system.hpp"
#include "transport/raw_file.hpp"

namespace quire {

/// A file accessed by system calls.
class PosixFile final : public RawFile {
 public:
  using RawFile::RawFile;

  void write(std::uint64_t offset, std::span<const std::byte> bytes) override;
  [[nodiscard]] bool takes_places() const noexcept override { return true; }
  void write_places(std::uint64_t offset, std::span<const std::span<const std::byte>> places) override;
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override;
  [[nodiscard]] std::uint64_t size() override;
  void resize(std::uint64_t size) override;
  void reserve(std::uint64_t from, std::uint64_t to) override;
  void close() override;

  [[nodiscard]] bool is_open() const noexcept override { return descriptor_.is_open(); }

 private:
  void open_now() override;
  void sync_data() override;
  void sync_entry() override;
  [[nodiscard]] int descriptor();
  [[nodiscard]] Error failure(const char* action, int error_number) const;
  /// Checks the result of a write call. Throws errors; returns 0 for interrupted calls.
  [[nodiscard]] std::size_t count_written(ssize_t written, std::uint64_t offset);
  void start_writeback(std::uint64_t offset, std::uint64_t length);

  Descriptor descriptor_;
  FileSystem file_system_;
  std::uint64_t unsynced_ = 0;  ///< bytes written since write-back was last started, all inside [from, to)
  std::uint64_t unsynced_from_ = 0;
  std::uint64_t unsynced_to_ = 0;
};

}  // namespace quire
