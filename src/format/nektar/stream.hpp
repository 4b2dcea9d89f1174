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
#include "quire/plan/byte_source.hpp"
#include "quire/plan/plan.hpp"

namespace quire::nektar {

/// A block of a stream, and where its numbers stand in it.
struct StreamBlock : Block {
  Extent orders;  ///< if it is mixed: the modes of its elements (32 bits each), those of an element together
  Extent ids;     ///< 32 bits each
  Extent values;  ///< doubles, variable after variable
};

/// Which of the styles a stream has (specs/nektar-fld.md section 7): both say version 1.
enum class StreamStyle : std::uint8_t { first, second };

/// What the stream of one task holds.
struct Stream {
  std::vector<StreamBlock> blocks;
  std::string metadata;  ///< the Metadata element behind the last block, which only our writer puts there
  std::optional<Error> metadata_damage;  ///< if they are cut; what stands before is whole
};

/// What of a stream is asked for.
enum class StreamExtent : std::uint8_t {
  all,
  blocks,  ///< even if the metadata behind them are cut
};

/// The logical stream of one task, of either layout; a task without blocks has none. No more of it is read than what is
/// said of the blocks, of mixed ones their modes. `ranked`: the stream begins with the number of the rank that wrote
/// it. Throws bad_file errors with offsets for anything else.
[[nodiscard]] Stream parse_stream(ByteSource& bytes, bool ranked = false, StreamExtent wanted = StreamExtent::all);

/// Whether the first bytes of a stream are those of blocks of fields, of any version. A stream without blocks tells
/// nothing unless metadata follow.
[[nodiscard]] bool begins_like_stream(std::span<const std::byte> head) noexcept;
inline constexpr std::size_t stream_head_bytes = 50;  ///< as many are looked at

// ---- Writing, in the second layout, whose readers stop behind the last block

/// What stands before the first block.
[[nodiscard]] std::vector<std::byte> stream_opening(std::uint64_t blocks);
/// What stands before the modes of a mixed block or, of others, before the number of elements.
[[nodiscard]] std::vector<std::byte> block_opening(const Table& values, std::uint64_t elements);
/// How many bytes a block takes in all.
[[nodiscard]] std::uint64_t block_bytes(const Table& values, std::uint64_t elements);
/// What stands behind the last block of the first task.
[[nodiscard]] std::vector<std::byte> stream_metadata(const std::vector<Attribute>& attributes);

}  // namespace quire::nektar
