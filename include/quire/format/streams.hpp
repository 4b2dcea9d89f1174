#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "quire/base/endian.hpp"
#include "quire/plan/plan.hpp"

namespace quire {

/// What a stream asks for before it is placed.
struct StreamRequest {
  std::int64_t rank = 0;                     ///< of the task
  std::optional<std::uint64_t> chunk_bytes;  ///< room for each chunk; nothing: as much as the stream takes
  std::optional<std::uint64_t> bytes;        ///< of the whole stream, its own chunks only, if that is known
  std::uint64_t together = 0;                ///< bytes of its pieces that are written together with others, if known
  std::optional<std::uint64_t> file;         ///< of several physical files; nothing: as the options say
  std::optional<std::uint64_t> index;        ///< inside that file
  template <class Archive>
  void archive(Archive& a) {
    a(rank, chunk_bytes, bytes, together, file, index);
  }
};

/// Where a stream goes.
struct StreamPlace {
  std::uint64_t first = 0;        ///< address of its first chunk
  std::uint64_t chunk_bytes = 0;  ///< room in each
  std::uint64_t skip = 0;         ///< from one chunk to the next
  /// Pieces that are written together go into the chunks of this stream, by its place among the requests.
  std::uint64_t collector = 0;
  std::uint64_t portion = 0;         ///< what goes to another one's chunks goes in parts of at most so many bytes
  std::optional<ByteOrder> records;  ///< pieces are records, whose heads are in this byte order
  /// Where what is used is noted while the stream is written piece by piece, so that the file of a writer that dies can
  /// be read: a page of little-endian 64-bit numbers, one for each chunk; nothing: nowhere.
  std::optional<std::uint64_t> notes;
  std::uint64_t notes_skip = 0;  ///< to the page of the next chunks
  /// Addresses of the first chunks of copies, which are as far from each other and hold the same.
  std::vector<std::uint64_t> copies;
  template <class Archive>
  void archive(Archive& a) {
    a(first, chunk_bytes, skip, collector, portion, records, notes, notes_skip, copies);
  }
};

/// How many chunks a page of notes is for.
inline constexpr std::uint64_t notes_per_page = 512;

/// Bytes of one collector's stream that came from one task, in a row.
struct StreamOrigin {
  std::int64_t rank = 0;
  std::uint64_t bytes = 0;
  [[nodiscard]] bool operator==(const StreamOrigin&) const = default;
  template <class Archive>
  void archive(Archive& a) {
    a(rank, bytes);
  }
};

/// What a stream has used of its chunks.
struct StreamUse {
  std::vector<std::uint64_t> chunks{0};  ///< bytes in each: at least one, which may be empty
  std::vector<StreamOrigin> origins;     ///< of a collector: whose bytes these are, in the order of the stream
  template <class Archive>
  void archive(Archive& a) {
    a(chunks, origins);
  }
};

/// Fills the chunks of one stream with its pieces.
class StreamFill {
 public:
  explicit StreamFill(const StreamPlace& place) : place_(place) {}

  /// All of it in one chunk, the present one or, if it does not fit there, the next. Throws usage errors for more than
  /// any chunk holds.
  [[nodiscard]] Extent add_whole(std::uint64_t bytes);
  /// Fills every chunk to its last byte. Throws usage errors where chunks have no room at all.
  [[nodiscard]] std::vector<Extent> add_dense(std::uint64_t bytes);
  /// Opens the next chunk unless so many bytes fit into this one. Throws as add_whole().
  void ensure(std::uint64_t bytes);

  [[nodiscard]] std::uint64_t left_in_chunk() const noexcept { return place_.chunk_bytes - chunks_.back(); }
  [[nodiscard]] const std::vector<std::uint64_t>& chunks() const noexcept { return chunks_; }
  [[nodiscard]] const StreamPlace& place() const noexcept { return place_; }

 private:
  [[nodiscard]] std::uint64_t position() const;

  StreamPlace place_;
  std::vector<std::uint64_t> chunks_{0};
};

/// What writes.
struct Machine {
  std::uint64_t ranks = 1;
  std::uint64_t nodes = 1;       ///< on so many machines with memory of their own
  std::uint64_t processors = 1;  ///< of one of them
};

/// Plans streams. Rank 0 alone uses it; `merges` and `is_keyed` are the same on all ranks.
class StreamPlanner {
 public:
  virtual ~StreamPlanner() = default;

  /// Whether pieces written together go into the stream of one task of a group.
  [[nodiscard]] virtual bool merges() const = 0;
  /// Whether all pieces are records with keys.
  [[nodiscard]] virtual bool is_keyed() const = 0;
  /// Whether the file remembers whose bytes were merged.
  [[nodiscard]] virtual bool keeps_origins() const { return false; }
  /// Whether the plan depends on the machine, the same on all ranks: then suit() comes before everything else.
  [[nodiscard]] virtual bool asks_for_machine() const { return false; }
  virtual void suit(const Machine& /*machine*/) {}

  /// Places all streams, `requests` of all ranks in rank order. `path` is the name of the file. `is_open`: their pieces
  /// come later. Returns a place for each request. Throws usage and unsupported errors.
  [[nodiscard]] virtual std::vector<StreamPlace> place(const std::vector<StreamRequest>& requests,
                                                       const std::string& path, bool is_open) = 0;
  /// Addresses that the placed streams fill for the most part, one extent for each file, if that is known before their
  /// bytes come: worth reserving.
  [[nodiscard]] virtual std::vector<Extent> reservations() const { return {}; }
  /// What is written before the data, when all streams are placed.
  [[nodiscard]] virtual WritePlan title() = 0;
  /// The member that has the notes of the step, which goes when the file is complete.
  [[nodiscard]] virtual std::optional<std::uint64_t> notes() const { return std::nullopt; }
  /// What the streams have used, in the order of the requests: before WritePlanner::publish().
  virtual void use(std::vector<StreamUse> uses) = 0;
};

/// A piece written together with others, as one member of the group sees it.
struct GroupMember {
  std::uint64_t order = 0;           ///< its place among the requests: members write in this order
  std::int64_t rank = 0;             ///< of the task
  std::vector<std::uint64_t> calls;  ///< its bytes at each call
};

/// What a collector's own stream gets between calls.
struct CollectorPiece {
  bool is_call = false;  ///< the next call of the group
  std::uint64_t bytes = 0;
};

/// Where the pieces of a group go.
struct GroupFill {
  std::vector<Extent> own;                                ///< of each of the collector's own pieces
  std::vector<std::vector<std::vector<Extent>>> members;  ///< of each member, of each call
  StreamUse use;
};

/// Pure. Fills a collector's stream: at each call first its own piece, then those of the other members in their order,
/// each in portions. Throws usage errors if the members differ in the number of calls, and as StreamFill.
[[nodiscard]] GroupFill fill_group(const StreamPlace& collector, std::int64_t rank, std::span<const CollectorPiece> own,
                                   std::span<const GroupMember> members);

}  // namespace quire
