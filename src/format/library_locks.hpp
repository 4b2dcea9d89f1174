#pragma once

namespace quire {

/// Independent. Whether the libraries of the formats keep writers apart by a lock of the whole file (flock): unless the
/// environment tells them not to.
[[nodiscard]] bool libraries_lock_files();

}  // namespace quire
