#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "api/write/field_chunks.hpp"
#include "quire/spi/format/planner_capabilities.hpp"

namespace quire {

/// Encodes the fields of all ranks in one process. Keeps the part of every rank until finish().
class ChunkSimulation {
 public:
  /// Throws unsupported errors if the file holds elements already.
  ChunkSimulation(const FieldChunkCodec* codec, const StepDescription& step, bool lossy);

  [[nodiscard]] bool is_needed() const noexcept { return !chunked_.empty(); }
  /// Ranks in order.
  void add(StepPart part);
  void finish();
  /// Sets the chunks that belong to a rank in its part, without their bytes.
  void assign(std::size_t rank, StepPart& part) const;
  void send_to_root(StepPart& root) const;

 private:
  const FieldChunkCodec* codec_;
  bool lossy_;
  std::vector<std::size_t> chunked_;
  std::deque<StepPart> parts_;
  std::deque<std::vector<FieldChunks>> ranks_;
  std::vector<PackedFields> packed_;
  PackedFields all_;
};

/// The extents of chunks, whose bytes were not kept.
void add_chunk_extents(std::vector<Extent>& extents, const StepPart& part, const Placement& placement);

}  // namespace quire
