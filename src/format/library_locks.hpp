#pragma once

namespace quire {

/// Independent. Whether the libraries of the formats lock a whole file for writing (flock). The environment can turn
/// this off.
[[nodiscard]] bool libraries_lock_files();

}  // namespace quire
