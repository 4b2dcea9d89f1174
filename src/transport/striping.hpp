#pragma once

#include <cstdint>
#include <string>

namespace quire {

/// The number of servers of a parallel file system that store a file, and the size of its stripes.
struct Striping {
  std::int64_t count = 0;  ///< -1: all; 0: the default of the file system
  std::uint64_t size = 0;  ///< 0: the default of the file system

  [[nodiscard]] bool is_asked_for() const noexcept { return count != 0 || size != 0; }
};

/// Independent, rank 0, before any rank creates the file. Creates it empty with these stripes, by the tool of the file
/// system (`lfs setstripe`). Returns an empty text, or a sentence that states why the striping was not applied: then
/// the file was not created.
[[nodiscard]] std::string apply_striping(const std::string& path, const Striping& striping);

}  // namespace quire
