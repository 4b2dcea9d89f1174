#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "format/nektar/block.hpp"
#include "quire/plan/plan.hpp"

namespace quire::nektar {

/// A block of a stream: where its ids (32 bits each) and values (doubles, variable after variable) stand in it.
struct StreamBlock : Block {
  Extent ids;
  Extent values;
};

/// Which of the layouts a stream has (specs/nektar-fld.md section 7): both say version 1.
enum class StreamLayout : std::uint8_t { first, second };

/// The blocks in the logical stream of one task, of either layout; a task without blocks has none. `ranked`: the stream
/// begins with the number of the rank that wrote it. Throws bad_file errors with offsets for anything else.
[[nodiscard]] std::vector<StreamBlock> parse_stream(std::span<const std::byte> bytes, bool ranked = false);

}  // namespace quire::nektar
