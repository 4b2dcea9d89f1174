#pragma once

#include <cstdint>
#include <vector>

#include "quire/format/streams.hpp"

namespace quire::sion {

enum class Mode : std::uint8_t { plain, collective, merge };

/// How the chunks of a physical file are measured out.
struct SizeRules {
  Mode mode = Mode::plain;
  bool compact = false;          ///< as much as is needed and no more
  std::uint64_t block_size = 1;  ///< the unit of alignment
  std::int64_t group_tasks = 0;  ///< how many tasks shall share a collector; a hint. 0 and less: chosen here
  bool exact_groups = false;     ///< no hint: so many tasks, which is positive
};

/// What the tasks of a physical file get.
struct ChunkSizes {
  std::vector<std::uint64_t> bytes;       ///< of a chunk, for each task
  std::vector<std::uint64_t> collectors;  ///< for each task the one that collects what its group writes together
};

/// Where a group of tasks begins, for each of them: specs/sion.md section 3.2. Empty if nobody wants anything.
[[nodiscard]] std::vector<std::uint64_t> group_tasks(const std::vector<std::uint64_t>& wanted, std::uint64_t block_size,
                                                     std::int64_t group_tasks);

/// Pure. Chunk sizes from what the tasks of one physical file ask for, in their order: specs/sion.md sections 3.1 to
/// 3.3. Throws usage errors for a chunk that is to be as large as its stream where that is not known.
[[nodiscard]] ChunkSizes chunk_sizes(const std::vector<const StreamRequest*>& requests, const SizeRules& rules);

}  // namespace quire::sion
