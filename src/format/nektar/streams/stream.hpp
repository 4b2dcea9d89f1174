#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/nektar/block.hpp"
#include "quire/base/error.hpp"
#include "quire/model/description.hpp"
#include "quire/spi/plan/byte_source.hpp"
#include "quire/spi/plan/plan.hpp"

namespace quire::nektar {

/// A block of a stream, and the extents of its numbers.
struct StreamBlock : Block {
  Extent orders;  ///< if mixed: the modes of its elements, element by element, 32 bits each
  Extent ids;     ///< 32 bits each
  Extent values;  ///< doubles, variable after variable
};

/// The style of a stream (specs/nektar-fld.md section 7): both have version 1.
enum class StreamStyle : std::uint8_t { first, second };

/// The contents of the stream of one task.
struct Stream {
  std::vector<StreamBlock> blocks;
  std::string metadata;                  ///< the Metadata element after the last block, which only our writer writes
  std::optional<Error> metadata_damage;  ///< set if the metadata are truncated; the blocks are whole
};

/// The part of a stream that is needed.
enum class StreamExtent : std::uint8_t {
  all,
  blocks,  ///< even if the metadata after them are truncated
};

/// Parses the logical stream of one task, of either layout; it may have no blocks. Only the headers of blocks and the
/// modes of mixed blocks are read. `ranked`: the stream begins with the rank that wrote it. Throws bad_file errors with
/// offsets for anything else.
[[nodiscard]] Stream parse_stream(ByteSource& bytes, bool ranked = false, StreamExtent wanted = StreamExtent::all);

/// Whether the first bytes of a stream are those of blocks of fields, of any version. A stream without blocks is only
/// recognised if metadata follow.
[[nodiscard]] bool begins_like_stream(std::span<const std::byte> head) noexcept;
inline constexpr std::size_t stream_head_bytes = 50;  ///< the bytes that are needed for this

// ---- Writing, in the second layout, whose readers stop after the last block

/// The bytes before the first block.
[[nodiscard]] std::vector<std::byte> stream_opening(std::uint64_t blocks);
/// The bytes before the modes of a mixed block, or before the number of elements of other blocks.
[[nodiscard]] std::vector<std::byte> block_opening(const Table& values, std::uint64_t elements);
/// The size of a block in bytes.
[[nodiscard]] std::uint64_t block_bytes(const Table& values, std::uint64_t elements);
/// The bytes after the last block of the first task.
[[nodiscard]] std::vector<std::byte> stream_metadata(const std::vector<Attribute>& attributes);

}  // namespace quire::nektar
