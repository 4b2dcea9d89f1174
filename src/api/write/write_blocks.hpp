#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "api/write/step_state.hpp"

namespace quire {

// A step in parts: its tables are written block by block, in order.

/// Throws usage errors for a block from row `first` of this rank, which has `rows` rows, that does not fit the table.
void check_block(const Table& table, std::uint64_t rows, std::uint64_t first, std::span<const ConstView> columns);

/// Independent. Writes the block of a placed step that begins at row `first` of this rank. Throws usage errors unless
/// it follows the previous one.
void write_block(WriteStep::State& step, std::size_t table, std::uint64_t first, std::span<const ConstView> columns);

/// Throws usage errors for a run of values without fixed places that took less than its bytes.
void require_weighed_bytes(const Run& run, std::uint64_t written, const std::string& object);

/// Throws usage errors for a streamed step with missing rows: their bytes would be undefined.
void require_all_rows(const WriteStep::State& step);

}  // namespace quire
