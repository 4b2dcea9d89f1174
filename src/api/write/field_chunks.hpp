#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "plan/chunk_boxes.hpp"
#include "quire/spi/format/planner_capabilities.hpp"

namespace quire {

/// States that a rank puts elements of a chunk.
struct ChunkTouch {
  std::uint64_t chunk = 0;
  bool has_first = false;  ///< its first element is among them
  bool is_weak = false;    ///< it puts none: it only encodes the chunk if no other rank does
  template <class Archive>
  void archive(Archive& a) {
    a(chunk, has_first, is_weak);
  }
};

/// The owner of a chunk.
struct ChunkOwner {
  std::uint64_t rank = 0;
  std::uint64_t sharers = 0;  ///< number of ranks that put elements of it; 1 if none does
  template <class Archive>
  void archive(Archive& a) {
    a(rank, sharers);
  }
};

/// Finds the owners of chunks from the touches of each rank, added in the order of ranks.
class ChunkDirectory {
 public:
  void add(std::uint64_t rank, const std::vector<ChunkTouch>& touches);
  [[nodiscard]] std::vector<ChunkOwner> owners(const std::vector<ChunkTouch>& touches) const;

 private:
  struct Entry {
    ChunkOwner owner;
    bool has_first = false;
    bool is_weak = false;
  };
  std::map<std::uint64_t, Entry> entries_;
};

/// Elements of a chunk that are sent to its owner.
struct ChunkPiece {
  std::uint64_t field = 0;
  std::uint64_t component = 0;
  std::uint64_t chunk = 0;
  std::vector<Line> lines;  ///< their positions in the chunk
  std::vector<std::byte> values;
  template <class Archive>
  void archive(Archive& a) {
    a(field, component, chunk, lines, values);
  }
};

/// Places the chunks of each component of each field of several ranks one after another, by their indices: sets the
/// place of each, and returns them all.
[[nodiscard]] PackedFields merge_chunks(std::vector<PackedFields>& ranks);

/// Encodes the part of a field of one rank, chunk by chunk. Memory holds the chunks of which only some elements were
/// put, and those that wait for elements of other ranks. For plans without data, views without memory count as values
/// that do not shrink.
class FieldChunks {
 public:
  /// `codec`, `step` and `part` must outlive the object.
  FieldChunks(const FieldChunkCodec& codec, const StepDescription& step, std::size_t field, const FieldPart& part,
              std::uint64_t rank, bool lossy);

  /// The number of chunks that cover the field.
  [[nodiscard]] std::uint64_t chunks() const noexcept { return boxes_.chunks(); }
  /// The chunks of which this rank has elements, by rising indices. Throws conflict errors for elements that the file
  /// has already. Rank 0 touches those that must be encoded again.
  [[nodiscard]] const std::vector<ChunkTouch>& touches() const noexcept { return touches_; }
  /// Their owners, in the same order.
  void set_owners(const std::vector<ChunkOwner>& owners);
  /// Chunks of this rank of which the file has elements.
  [[nodiscard]] std::vector<std::uint64_t> held() const;

  /// The decoded values that the file has of a chunk, for each of those.
  using HeldValues = std::function<std::vector<std::byte>(std::size_t component, std::uint64_t chunk)>;
  /// Encodes the chunks of this rank that no other rank touches. Of a declared field only those without elements of
  /// this rank: the others are encoded by add().
  void gather(const HeldValues& held_values);
  /// The elements of a part of a declared field. Of chunks of this rank that no other rank touches, only the lengths
  /// are kept.
  void add(const Box& part, std::span<const ConstView> components, const HeldValues& held_values);
  /// Elements of chunks of other ranks, by rank.
  [[nodiscard]] std::map<std::uint64_t, std::vector<ChunkPiece>> take_pieces();
  /// Elements of a chunk of this rank.
  void complete(const ChunkPiece& piece);
  /// There are no more elements: encodes the waiting chunks.
  void finish();
  /// For each component the chunks of this rank, by rising indices.
  [[nodiscard]] std::vector<std::vector<PackedChunk>> take();
  /// Afterwards add() receives all parts again, and keeps the bytes that were only measured before.
  void begin_again();

 private:
  enum class Pass : std::uint8_t { whole, measuring, writing };
  /// The collected elements of one chunk.
  struct Staged {
    std::vector<Line> lines;  ///< only of chunks of others
    std::vector<std::byte> values;
    std::uint64_t elements = 0;  ///< collected so far
  };
  struct Target {
    ChunkOwner owner;
    bool is_held = false;
    std::uint64_t elements = 0;  ///< of this rank
  };
  class Values;
  void find_touches();
  void encode_weak(std::size_t component, const HeldValues& held_values);
  void gather_component(std::size_t component, SelectionWalk walk, Values values, const HeldValues& held_values);
  void put(Staged& staged, const Target& target, const Line& line, std::span<const std::byte> values) const;
  /// All elements of a chunk that this rank has are collected: encodes it, or keeps it for others.
  void leave(std::size_t component, std::uint64_t chunk, const HeldValues& held_values);
  void pack(std::size_t component, std::uint64_t chunk, std::span<const std::byte> values, bool keeps_bytes);
  void take_held(std::size_t component, std::uint64_t chunk, std::vector<std::byte>& values,
                 const HeldValues& held_values) const;
  [[nodiscard]] bool is_mine_alone(const Target& target) const noexcept {
    return target.owner.rank == rank_ && target.owner.sharers == 1;
  }

  const FieldChunkCodec& codec_;
  const StepDescription& step_;
  std::size_t field_;
  const FieldPart& part_;
  std::uint64_t rank_;
  bool lossy_;
  Pass pass_;
  bool without_values_ = false;
  ChunkBoxes boxes_;
  std::vector<std::uint64_t> held_extents_;
  std::uint64_t width_;
  std::vector<ChunkTouch> touches_;
  std::map<std::uint64_t, Target> targets_;
  std::vector<std::map<std::uint64_t, Staged>> staged_;                   ///< of each component
  std::vector<std::map<std::uint64_t, std::vector<std::byte>>> waiting_;  ///< likewise
  std::map<std::uint64_t, std::vector<ChunkPiece>> pieces_;
  std::vector<std::vector<PackedChunk>> chunks_;
};

}  // namespace quire
