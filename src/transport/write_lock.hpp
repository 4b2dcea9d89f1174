#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "transport/descriptor.hpp"

namespace quire {

/// Whether locks of whole files (flock), which other libraries use to exclude writers, are respected.
enum class WholeFileLocks { ignored, respected };

/// Excludes other writers of a file for its lifetime: an advisory lock, which also works within one process. Readers
/// ignore it.
///
/// It consists of two locks of the operating system. A lock of one byte excludes other writers of this library. A
/// shared lock of the whole file excludes programs that lock it exclusively to write, and admits those that share it to
/// read.
class WriteLock {
 public:
  WriteLock() = default;
  /// Independent. Throws conflict errors if another writer has the file open. `creates` creates a missing file. Without
  /// effect if the file system has no locks or the file cannot be opened, which opening will report.
  WriteLock(const std::string& path, bool creates, WholeFileLocks others);
  WriteLock(WriteLock&&) noexcept = default;
  WriteLock& operator=(WriteLock&&) noexcept = default;
  /// Releases the lock, even if forked processes still have the file open. In such a process it does nothing.
  ~WriteLock();

  /// Independent. Whether a file was locked.
  [[nodiscard]] bool is_held() const noexcept { return descriptor_.is_open(); }
  /// Independent. Whether the path now has another file, or none: it was replaced or removed before it was locked.
  [[nodiscard]] bool is_lost() const noexcept;
  /// Independent. Whether the locked file has fewer bytes than this: another program has truncated it.
  [[nodiscard]] bool is_shorter_than(std::uint64_t bytes) const noexcept;
  /// Independent. Holds another lock as long as this one.
  void keep(WriteLock other);
  /// Independent. Whether the file at a path is locked by this lock or by a kept one.
  [[nodiscard]] bool covers(const std::string& path) const noexcept;

 private:
  std::string path_;
  Descriptor descriptor_;
  Descriptor whole_;
  std::vector<WriteLock> kept_;
  pid_t owner_ = ::getpid();
};

/// Independent. Whether a writer, in any process, has the file open. False if that cannot be determined.
[[nodiscard]] bool is_being_written(const std::string& path, WholeFileLocks others) noexcept;

}  // namespace quire
