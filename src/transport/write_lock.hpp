#pragma once

#include <string>

#include "transport/descriptor.hpp"

namespace quire {

/// Keeps other writers from a file as long as it lives: an advisory lock, also against writers in the same process.
/// Readers do not ask for it.
class WriteLock {
 public:
  WriteLock() = default;
  /// Independent. Throws conflict errors if somebody else writes the file. `creates` makes an empty file if there is
  /// none. Without effect where the file system has no locks or the file cannot be opened: opening will tell.
  WriteLock(const std::string& path, bool creates);

  /// Independent. Whether there is a file that it could lock.
  [[nodiscard]] bool is_held() const noexcept { return descriptor_.is_open(); }
  /// Independent. Whether another file has the name now, or none: somebody who looked before it was locked has taken it
  /// away.
  [[nodiscard]] bool is_lost() const noexcept;

 private:
  std::string path_;
  Descriptor descriptor_;
};

}  // namespace quire
