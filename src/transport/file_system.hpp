#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace quire {

/// Differences between file systems that matter to the data path.
struct FileSystem {
  bool preallocates = false;  ///< preallocation before writing is known to be faster
  bool in_memory = false;     ///< nothing to make durable
};

/// The file system of an open file. Unknown ones have no special traits.
[[nodiscard]] FileSystem file_system_of(int descriptor) noexcept;

/// The file system of an existing path.
[[nodiscard]] FileSystem file_system_of(const std::string& path) noexcept;

/// Throws usage errors for a path with a NUL, at which the system would truncate it.
void require_path(const std::string& path);

/// The names in a directory, in the order of their bytes. Throws io errors that name the directory.
[[nodiscard]] std::vector<std::string> names_in(const std::string& directory);

/// Makes the directory entry of a file durable. Throws io errors that name the directory.
void sync_directory_of(const std::string& path);

/// Throws missing errors for a path whose directory does not exist: a misspelled directory is an error, and is not
/// created.
void require_parent(const std::string& path);

/// Creates a directory unless it exists; if `durable`, also makes its entry durable, without which durable files in it
/// could be lost. Throws io errors that name the directory.
void make_directory(const std::string& path, bool durable);

}  // namespace quire
