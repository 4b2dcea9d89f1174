#pragma once

#include <string>

#include "transport/write_lock.hpp"

namespace quire {

/// Independent. The lock of everybody who changes a file, of which the libraries of all formats know. `creates`: makes
/// an empty file if there is none. Throws conflict errors while a writer has it open.
[[nodiscard]] WriteLock lock_for_writing(const std::string& path, bool creates = false);

/// Independent. The same of what a path leads to, if it is there: a file, or the file of a directory that its writer
/// locks. What `mine` covers is not locked again.
[[nodiscard]] WriteLock lock_what_is_at(const std::string& path, const WriteLock& mine = {});

/// Independent. Whether a writer of any format has the file open. False where that cannot be known.
[[nodiscard]] bool is_being_written(const std::string& path) noexcept;

}  // namespace quire
