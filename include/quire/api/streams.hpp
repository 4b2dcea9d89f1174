#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "quire/spi/plan/stream.hpp"

namespace quire {

/// One record of a stream of records.
struct StreamRecord {
  std::uint64_t key = 0;
  std::uint64_t offset = 0;  ///< of its bytes in the stream
  std::uint64_t bytes = 0;
  [[nodiscard]] std::uint64_t end() const noexcept { return offset + bytes; }
};

/// The bytes of one task, read like a file. A cheap handle with a position of its own; it keeps the file open.
class StreamReader {
 public:
  /// Independent. The task that wrote the stream, and its place among the streams of the step.
  [[nodiscard]] std::int64_t rank() const;
  [[nodiscard]] std::uint64_t index() const;
  /// Independent. Bytes in all.
  [[nodiscard]] std::uint64_t size() const;
  /// Independent. Where the bytes are stored, and what the file states about them.
  [[nodiscard]] const StreamLayout& layout() const;

  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  /// Independent. Throws usage errors beyond the end.
  void seek(std::uint64_t position);
  [[nodiscard]] bool is_at_end() const { return position_ == size(); }
  /// Independent. Bytes up to the end of the chunk that has the next byte; 0 only at the end of the stream.
  [[nodiscard]] std::uint64_t left_in_chunk() const;

  /// Independent. The next bytes, across the ends of chunks: as many as asked, fewer only at the end.
  [[nodiscard]] std::size_t read(std::span<std::byte> out);
  /// Independent. The same at a position of the stream, without moving the read position.
  [[nodiscard]] std::size_t read_at(std::uint64_t position, std::span<std::byte> out) const;

  /// Independent. The record whose head is stored at a position of the stream, no value at its end: StreamRecord::end()
  /// is the position of the next one. Throws bad_file errors for a record beyond the end of the stream, unsupported
  /// errors if streams have no records.
  [[nodiscard]] std::optional<StreamRecord> record_at(std::uint64_t position) const;
  /// Independent. All records in the order in which they were written. Throws as record_at().
  [[nodiscard]] std::vector<StreamRecord> records() const;

  struct State;
  explicit StreamReader(std::shared_ptr<const State> state);

 private:
  [[nodiscard]] std::size_t chunk_of(std::uint64_t position) const;

  std::shared_ptr<const State> state_;
  std::uint64_t position_ = 0;
};

/// The properties of a stream to be written.
struct StreamOptions {
  std::int64_t rank = 0;  ///< the number of its task; no two streams have the same
  /// Capacity of each chunk; the format may round it up. No value: the stream is one chunk, and its pieces must be
  /// known before the step is placed.
  std::optional<std::uint64_t> chunk_bytes = {};
  std::optional<std::uint64_t> file = {};   ///< one of several physical files; no value: by the file's options
  std::optional<std::uint64_t> index = {};  ///< its index in that file; no value: in the order of the tasks
};

/// One stream of a step that is being written: put in pieces, and committed with the step. A cheap handle.
///
/// Before WriteStep::open() pieces are only measured, and must stay valid until the commit; afterwards each is written
/// to the file at once. Errors of pieces are reported by the commit, on all ranks.
class StreamWriter {
 public:
  /// Independent. A piece, which stays together in one chunk.
  StreamWriter& write(std::span<const std::byte> bytes);
  /// Independent, but every task of a group makes the same number of these calls, with 0 bytes if it has none: a piece
  /// that is written together with those of others. If the file does not merge them it is the same as write().
  StreamWriter& write_together(std::span<const std::byte> bytes);
  /// Independent. A record, in a file with streams of records; it may cross the ends of chunks.
  StreamWriter& write_record(std::uint64_t key, std::span<const std::byte> bytes);
  /// Independent. Starts a new chunk with the next piece unless `bytes` fit into the current one.
  StreamWriter& ensure_space(std::uint64_t bytes);

  /// Independent. Bytes of all pieces so far.
  [[nodiscard]] std::uint64_t size() const;
  /// Independent. Free space in the current chunk; throws usage errors before WriteStep::open().
  [[nodiscard]] std::uint64_t left_in_chunk() const;

  struct State;
  explicit StreamWriter(std::shared_ptr<State> state);

 private:
  std::shared_ptr<State> state_;
};

}  // namespace quire
