#pragma once

#include <cstdint>
#include <string>

namespace quire {

/// Over how many servers of a parallel file system the bytes of a file go, and in pieces of how many bytes.
struct Striping {
  std::int64_t count = 0;  ///< -1: all there are; 0: as the file system likes
  std::uint64_t size = 0;  ///< 0: as the file system likes

  [[nodiscard]] bool is_asked_for() const noexcept { return count != 0 || size != 0; }
};

/// Independent, rank 0, before anybody makes the file. Makes it empty with these stripes, by the tool of the file
/// system
/// (`lfs setstripe`). Returns an empty text, or a sentence that says why the striping was not applied: then there is no
/// new file.
[[nodiscard]] std::string apply_striping(const std::string& path, const Striping& striping);

}  // namespace quire
