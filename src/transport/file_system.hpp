#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quire {

/// What the data path does differently from one file system to the next.
struct FileSystem {
  bool preallocates = false;  ///< allocating before writing is known to pay
  bool in_memory = false;     ///< nothing to make durable
};

/// The file system of an open file. Unknown ones have no special traits.
[[nodiscard]] FileSystem file_system_of(int descriptor) noexcept;

/// The file system of an existing path.
[[nodiscard]] FileSystem file_system_of(const std::string& path) noexcept;

/// Throws usage errors for a path that the system would understand otherwise: one that holds a NUL ends there.
void require_path(const std::string& path);

/// The names in a directory, in the order of their bytes. Throws io errors that name the directory.
[[nodiscard]] std::vector<std::string> names_in(const std::string& directory);

/// Makes the directory entry of a file durable. Throws io errors that name the directory.
void sync_directory_of(const std::string& path);

/// Throws missing errors for a path whose directory does not exist: a slip of the pen in the name of a directory is
/// told, and not made one.
void require_parent(const std::string& path);

/// Makes a directory, unless it is there; if `durable`, with an entry that survives a power cut: what is made durable
/// in a directory is gone with it otherwise. Throws io errors that name the directory.
void make_directory(const std::string& path, bool durable);

}  // namespace quire
