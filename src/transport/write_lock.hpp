#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "transport/descriptor.hpp"

namespace quire {

/// Whether locks of whole files (flock) count, by which other libraries keep writers apart.
enum class WholeFileLocks { ignored, respected };

/// Keeps other writers from a file as long as it lives: an advisory lock, also against writers in the same process.
/// Readers do not ask for it.
///
/// Two locks of the operating system make it up. A lock of one byte keeps our own writers apart. A shared lock of the
/// whole file keeps out programs that lock it exclusively to write it, and lets those in that share it to read.
class WriteLock {
 public:
  WriteLock() = default;
  /// Independent. Throws conflict errors if somebody else writes the file. `creates` makes an empty file if there is
  /// none. Without effect where the file system has no locks or the file cannot be opened: opening will tell.
  WriteLock(const std::string& path, bool creates, WholeFileLocks others);
  WriteLock(WriteLock&&) noexcept = default;
  WriteLock& operator=(WriteLock&&) noexcept = default;
  /// Releases, also if processes that were forked meanwhile still have the file open. In such a process it does
  /// nothing.
  ~WriteLock();

  /// Independent. Whether there is a file that it could lock.
  [[nodiscard]] bool is_held() const noexcept { return descriptor_.is_open(); }
  /// Independent. Whether another file has the name now, or none: somebody who looked before it was locked has taken it
  /// away.
  [[nodiscard]] bool is_lost() const noexcept;
  /// Independent. Holds another lock as long as this one.
  void keep(WriteLock other);
  /// Independent. Whether the file at a path is locked by this, or by a lock that it keeps.
  [[nodiscard]] bool covers(const std::string& path) const noexcept;

 private:
  std::string path_;
  Descriptor descriptor_;
  Descriptor whole_;
  std::vector<WriteLock> kept_;
  pid_t owner_ = ::getpid();
};

/// Independent. Whether a writer has the file open, be it in this process. False where that cannot be known.
[[nodiscard]] bool is_being_written(const std::string& path, WholeFileLocks others) noexcept;

}  // namespace quire
