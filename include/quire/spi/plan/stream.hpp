#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "quire/spi/base/endian.hpp"
#include "quire/spi/plan/plan.hpp"

namespace quire {

/// How streams are identified.
enum class StreamsBy : std::uint8_t {
  rank,   ///< by the task that wrote it, as stored in the file
  index,  ///< by its index among the streams of the step
};

/// The location of one stream, the bytes of one task, in chunks.
struct StreamLayout {
  std::int64_t rank = 0;           ///< of the task that wrote it
  std::uint64_t index = 0;         ///< among the streams of the step
  std::uint64_t file = 0;          ///< the physical file of several
  std::uint64_t file_index = 0;    ///< its index there
  std::uint64_t chunk_bytes = 0;   ///< space that the file reserves for a chunk
  std::vector<Extent> chunks;      ///< the used part of each chunk, in the order of the stream
  ByteOrder order = native_order;  ///< of the numbers inside, as recorded by the writer; they are not swapped
  /// The stream is a sequence of records: key and length, 64 bits each in this byte order, then so many bytes.
  std::optional<ByteOrder> records;

  [[nodiscard]] std::uint64_t bytes() const noexcept {
    std::uint64_t sum = 0;
    for (const Extent& chunk : chunks) sum += chunk.length;
    return sum;
  }
  template <class Archive>
  void archive(Archive& a) {
    a(rank, index, file, file_index, chunk_bytes, chunks, order, records);
  }
};

/// Size of the key and the length before the bytes of a record.
inline constexpr std::uint64_t record_head_bytes = 16;

}  // namespace quire
