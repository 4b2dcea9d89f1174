#pragma once

#include <string>

#include "transport/write_lock.hpp"

namespace quire {

/// Independent. The lock for programs that change a file, which the libraries of all formats respect. `creates`:
/// creates an empty file if there is none. Throws conflict errors while a writer has it open.
[[nodiscard]] WriteLock lock_for_writing(const std::string& path, bool creates = false);

/// Independent. The same for the target of a path, if it exists: a file, or the file of a directory that its writer
/// locks. Files covered by `mine` are not locked again.
[[nodiscard]] WriteLock lock_what_is_at(const std::string& path, const WriteLock& mine = {});

/// Independent. Whether a writer of any format has the file open. False where that cannot be determined.
[[nodiscard]] bool is_being_written(const std::string& path) noexcept;

}  // namespace quire
