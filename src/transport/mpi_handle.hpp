#pragma once

#include <mpi.h>

#include <string>

#include "transport/raw_file.hpp"

namespace quire {

/// An open MPI file.
///
/// Closing it is collective over its communicator, so only close() closes one that is shared: a destructor must not
/// wait for other ranks, and rather lets the handle go.
class MpiHandle {
 public:
  MpiHandle() = default;
  MpiHandle(const MpiHandle&) = delete;
  MpiHandle& operator=(const MpiHandle&) = delete;
  ~MpiHandle();

  /// Collective over `communicator`. Does not truncate. Throws io and missing errors that name the file.
  void open(MPI_Comm communicator, const FileRequest& request);
  /// Collective over the communicator it was opened on. Safe to call twice.
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
