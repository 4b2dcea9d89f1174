#include "api/simulate/chunk_simulation.hpp"

#include <utility>

#include "quire/base/error.hpp"

namespace quire {

ChunkSimulation::ChunkSimulation(const FieldChunkCodec* codec, const StepDescription& step, bool lossy)
    : codec_(codec), lossy_(lossy) {
  for (std::size_t f = 0; codec != nullptr && f < step.fields.size(); ++f) {
    if (codec->chunk_shape(step, f).empty()) continue;
    if (!codec->held_extents(step, f).empty()) {
      throw Error(ErrorKind::unsupported, "the size of chunks that are encoded again cannot be simulated")
          .on(step.fields[f].name);
    }
    chunked_.push_back(f);
  }
}

void ChunkSimulation::add(StepPart part) {
  const StepPart& kept = parts_.emplace_back(std::move(part));
  std::vector<FieldChunks>& fields = ranks_.emplace_back();
  for (const std::size_t f : chunked_) {
    fields.emplace_back(*codec_, kept.description, f, kept.fields[f], ranks_.size() - 1, lossy_);
  }
}

void ChunkSimulation::finish() {
  for (std::size_t i = 0; i < chunked_.size(); ++i) {
    ChunkDirectory directory;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) directory.add(rank, ranks_[rank][i].touches());
    for (auto& fields : ranks_) {
      fields[i].set_owners(directory.owners(fields[i].touches()));
      fields[i].gather({});
    }
    for (auto& fields : ranks_) {
      for (const auto& [owner, pieces] : fields[i].take_pieces()) {
        for (const ChunkPiece& piece : pieces) ranks_[static_cast<std::size_t>(owner)][i].complete(piece);
      }
    }
  }
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    PackedFields& packed = packed_.emplace_back(parts_[rank].fields.size());
    for (std::size_t i = 0; i < chunked_.size(); ++i) {
      ranks_[rank][i].finish();
      packed[chunked_[i]] = ranks_[rank][i].take();
      for (auto& component : packed[chunked_[i]]) {
        for (PackedChunk& chunk : component) chunk.bytes.clear();
      }
    }
  }
  all_ = merge_chunks(packed_);
  ranks_.clear();
  parts_.clear();
}

void ChunkSimulation::assign(std::size_t rank, StepPart& part) const {
  if (is_needed()) part.chunks = packed_[rank];
}

void ChunkSimulation::send_to_root(StepPart& root) const {
  if (is_needed()) root.all_chunks = all_;
}

void add_chunk_extents(std::vector<Extent>& extents, const StepPart& part, const Placement& placement) {
  for (std::size_t f = 0; f < part.chunks.size(); ++f) {
    for (std::size_t c = 0; c < part.chunks[f].size(); ++c) {
      for (const PackedChunk& chunk : part.chunks[f][c]) {
        extents.push_back({placement.fields[f][c].offset + chunk.place, chunk.length});
      }
    }
  }
}

}  // namespace quire
