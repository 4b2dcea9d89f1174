#pragma once

namespace quire {

/// Independent. The number of ranks of MPI_COMM_WORLD; 1 where MPI cannot be used.
[[nodiscard]] int world_size() noexcept;

}  // namespace quire
