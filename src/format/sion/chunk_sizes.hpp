#pragma once

#include <cstdint>
#include <vector>

#include "quire/spi/format/streams.hpp"

namespace quire::sion {

enum class Mode : std::uint8_t { plain, collective, merge };

/// The rules for the chunk sizes of a physical file.
struct SizeRules {
  Mode mode = Mode::plain;
  bool compact = false;          ///< chunks have exactly the size that is needed
  std::uint64_t block_size = 1;  ///< the unit of alignment
  std::int64_t group_tasks = 0;  ///< tasks that share a collector; a hint. 0 and less: chosen here
  bool exact_groups = false;     ///< `group_tasks` is exact and positive, not a hint
};

/// The chunk sizes and collectors of the tasks of a physical file.
struct ChunkSizes {
  std::vector<std::uint64_t> bytes;       ///< of a chunk, for each task
  std::vector<std::uint64_t> collectors;  ///< for each task, the task that collects the bytes of its group
};

/// For each task, the first task of its group: specs/sion.md section 3.2. Empty if no task requests any bytes.
[[nodiscard]] std::vector<std::uint64_t> group_tasks(const std::vector<std::uint64_t>& wanted, std::uint64_t block_size,
                                                     std::int64_t group_tasks);

/// Pure. Chunk sizes from the requests of the tasks of one physical file, in their order: specs/sion.md sections 3.1 to
/// 3.3. Throws a usage error if a chunk shall be as large as its stream and the size of the stream is not known.
[[nodiscard]] ChunkSizes chunk_sizes(const std::vector<const StreamRequest*>& requests, const SizeRules& rules);

}  // namespace quire::sion
