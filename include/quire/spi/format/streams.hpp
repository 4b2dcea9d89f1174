#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quire/spi/base/endian.hpp"
#include "quire/spi/plan/plan.hpp"

namespace quire {

/// The request of one stream, before it is placed.
struct StreamRequest {
  std::int64_t rank = 0;                     ///< of the task
  std::optional<std::uint64_t> chunk_bytes;  ///< size of each chunk; no value: the size of the stream
  std::optional<std::uint64_t> bytes;        ///< of the whole stream, in its own chunks, if known
  std::uint64_t together = 0;                ///< bytes of its pieces that are written collectively, if known
  std::optional<std::uint64_t> file;         ///< of several physical files; no value: as the options specify
  std::optional<std::uint64_t> index;        ///< inside that file
  template <class Archive>
  void archive(Archive& a) {
    a(rank, chunk_bytes, bytes, together, file, index);
  }
};

/// The location of a stream.
struct StreamPlace {
  std::uint64_t first = 0;        ///< address of its first chunk
  std::uint64_t chunk_bytes = 0;  ///< size of each
  std::uint64_t skip = 0;         ///< distance between consecutive chunks
  /// The index of the request whose chunks hold the pieces that are written collectively.
  std::uint64_t collector = 0;
  std::uint64_t portion = 0;         ///< maximum size of the portions that are written to another stream's chunks
  std::optional<ByteOrder> records;  ///< pieces are records, whose heads are in this byte order
  /// The page that records the used bytes while the stream is written piece by piece, so that the file can be read if
  /// its writer is killed: little-endian 64-bit numbers, one for each chunk; no value: no such page.
  std::optional<std::uint64_t> notes;
  std::uint64_t notes_skip = 0;  ///< distance to the page of the next chunks
  /// Addresses of the first chunks of copies, with the same distances and contents.
  std::vector<std::uint64_t> copies;
  template <class Archive>
  void archive(Archive& a) {
    a(first, chunk_bytes, skip, collector, portion, records, notes, notes_skip, copies);
  }
};

/// The number of chunks for which a page of notes has space.
inline constexpr std::uint64_t notes_per_page = 512;

/// Consecutive bytes of one collector's stream that came from one task.
struct StreamOrigin {
  std::int64_t rank = 0;
  std::uint64_t bytes = 0;
  [[nodiscard]] bool operator==(const StreamOrigin&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    a(rank, bytes);
  }
};

/// The bytes that a stream uses of its chunks.
struct StreamUse {
  std::vector<std::uint64_t> chunks{0};  ///< bytes in each: at least one, which may be empty
  std::vector<StreamOrigin> origins;  ///< of a collector: the tasks that wrote these bytes, in the order of the stream
  template <class Archive>
  void archive(Archive& a) {
    a(chunks, origins);
  }
};

/// Assigns the pieces of one stream to its chunks.
class StreamFill {
 public:
  explicit StreamFill(const StreamPlace& place) : place_(place) {}

  /// Adds a piece to one chunk, the current one or, if it does not fit there, the next. Throws usage errors for pieces
  /// larger than a chunk.
  [[nodiscard]] Extent add_whole(std::uint64_t bytes);
  /// Fills every chunk to its last byte. Throws usage errors if chunks have size 0.
  [[nodiscard]] std::vector<Extent> add_dense(std::uint64_t bytes);
  /// Begins the next chunk unless so many bytes fit into this one. Throws as add_whole().
  void ensure(std::uint64_t bytes);

  [[nodiscard]] std::uint64_t left_in_chunk() const noexcept { return place_.chunk_bytes - chunks_.back(); }
  [[nodiscard]] const std::vector<std::uint64_t>& chunks() const noexcept { return chunks_; }
  [[nodiscard]] const StreamPlace& place() const noexcept { return place_; }

 private:
  [[nodiscard]] std::uint64_t position() const;

  StreamPlace place_;
  std::vector<std::uint64_t> chunks_{0};
};

/// The machine of the writer.
struct Machine {
  std::uint64_t ranks = 1;
  std::uint64_t nodes = 1;       ///< number of nodes
  std::uint64_t processors = 1;  ///< of one node
};

/// Plans streams. Only rank 0 uses it; `merges` and `is_keyed` are the same on all ranks.
class StreamPlanner {
 public:
  virtual ~StreamPlanner() = default;

  /// Whether pieces that are written collectively are stored in the stream of one task of a group.
  [[nodiscard]] virtual bool merges() const = 0;
  /// Whether all pieces are records with keys.
  [[nodiscard]] virtual bool is_keyed() const = 0;
  /// Whether the file records the tasks that wrote merged bytes.
  [[nodiscard]] virtual bool keeps_origins() const { return false; }
  /// Whether the plan depends on the machine, the same on all ranks: then suit() must be called first.
  [[nodiscard]] virtual bool asks_for_machine() const { return false; }
  virtual void suit(const Machine& /*machine*/) {}

  /// Places all streams, `requests` of all ranks in rank order. `path` is the name of the file. `is_open`: their pieces
  /// are written later. Returns a place for each request. Throws usage and unsupported errors.
  [[nodiscard]] virtual std::vector<StreamPlace> place(const std::vector<StreamRequest>& requests,
                                                       const std::string& path, bool is_open) = 0;
  /// The addresses that the placed streams will mostly fill, one extent for each file, if known before their bytes are
  /// written: to be preallocated.
  [[nodiscard]] virtual std::vector<Extent> reservations() const { return {}; }
  /// The bytes to write before the data, after all streams are placed.
  [[nodiscard]] virtual WritePlan title() = 0;
  /// The member that holds the notes of the step, which is removed when the file is complete.
  [[nodiscard]] virtual std::optional<std::uint64_t> notes() const { return std::nullopt; }
  /// Sets the bytes used by the streams, in the order of the requests: before WritePlanner::publish().
  virtual void use(std::vector<StreamUse> uses) = 0;
};

/// The pieces of one member of a group that are written collectively.
struct GroupMember {
  std::uint64_t order = 0;           ///< its index among the requests: members write in this order
  std::int64_t rank = 0;             ///< of the task
  std::vector<std::uint64_t> calls;  ///< its bytes at each call
};

/// A piece of a collector's own stream.
struct CollectorPiece {
  bool is_call = false;  ///< the next call of the group
  std::uint64_t bytes = 0;
};

/// The location of the pieces of a group.
struct GroupFill {
  std::vector<Extent> own;                                ///< of each of the collector's own pieces
  std::vector<std::vector<std::vector<Extent>>> members;  ///< of each member, of each call
  StreamUse use;
};

/// Pure. Fills a collector's stream: at each call first its own piece, then those of the other members in their order,
/// each in portions. Throws usage errors if the members differ in the number of calls, and the errors of StreamFill.
[[nodiscard]] GroupFill fill_group(const StreamPlace& collector, std::int64_t rank, std::span<const CollectorPiece> own,
                                   std::span<const GroupMember> members);

}  // namespace quire
