#pragma once

#include <mpi.h>

#include <string>

#include "transport/raw_file.hpp"

namespace quire {

/// An open MPI file.
///
/// MPI_File_close is collective, so only close() closes a shared handle: the destructor must not wait for other ranks,
/// and leaks it instead.
class MpiHandle {
 public:
  MpiHandle() = default;
  MpiHandle(const MpiHandle&) = delete;
  MpiHandle& operator=(const MpiHandle&) = delete;
  ~MpiHandle();

  /// Collective over `communicator`. Does not truncate. Throws io and missing errors that name the file.
  void open(MPI_Comm communicator, const FileRequest& request);
  /// Collective over the communicator of open(). May be called twice.
  void close();

  [[nodiscard]] bool is_open() const noexcept { return file_ != MPI_FILE_NULL; }
  [[nodiscard]] MPI_File get() const noexcept { return file_; }
  /// Throws an error that names the file and the offset unless `code` means success.
  void check(const char* action, int code, std::uint64_t offset) const;
  void check(const char* action, int code) const;

 private:
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
  bool shared_ = false;
};

/// The number of bytes that a call moved.
[[nodiscard]] std::size_t bytes_moved(const MPI_Status& status);

}  // namespace quire
