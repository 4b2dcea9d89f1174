#pragma once

#include "transport/mpi_handle.hpp"

namespace quire {

/// A file accessed by MPI-IO, opened for the calling rank alone: independent transfers of a file that is open on many
/// ranks would wait unnecessarily.
class MpiFile final : public RawFile {
 public:
  using RawFile::RawFile;

  void write(std::uint64_t offset, std::span<const std::byte> bytes) override;
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override;
  [[nodiscard]] std::uint64_t size() override;
  void resize(std::uint64_t size) override;
  /// Does nothing: MPI_File_preallocate writes every block twice.
  void reserve(std::uint64_t from, std::uint64_t to) override;
  void close() override;

 protected:
  [[nodiscard]] bool is_open() const noexcept override { return handle_.is_open(); }

 private:
  void open_now() override;
  void sync_data() override;
  void sync_entry() override;
  [[nodiscard]] MPI_File opened();

  MpiHandle handle_;
};

}  // namespace quire
