#pragma once

#include <cstdint>
#include <span>

#include "query/program.hpp"
#include "quire/model/value.hpp"

namespace quire::query {

/// Runs a program over rows, block by block, with its own buffers.
class Execution {
 public:
  Execution(const Program& program, std::span<const ConstView> columns, std::uint64_t first_row, std::uint64_t rows);

  enum class Goal : std::uint8_t { value, condition };

  /// Computes the next block. False after the last one.
  [[nodiscard]] bool next(Goal goal);
  /// The first row of the block, counted from 0, and its number of rows.
  [[nodiscard]] std::uint64_t first() const noexcept { return first_; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  /// The values of a slot in this block; constants are a single value.
  [[nodiscard]] const std::byte* data(std::uint32_t slot);
  [[nodiscard]] bool is_single(std::uint32_t slot) const;

 private:
  [[nodiscard]] const std::byte* column(std::size_t which);
  void load(std::size_t column, std::byte* into);
  [[nodiscard]] bool skips(const Instruction& instruction);
  void number_rows();
  void execute(const Instruction& instruction);
  [[nodiscard]] std::byte* buffer(std::size_t which) { return memory_.data() + offsets_[which]; }

  const Program& program_;
  std::span<const ConstView> columns_;
  std::uint64_t first_row_;
  std::uint64_t rows_;
  std::uint64_t first_ = 0;
  std::size_t count_ = 0;
  std::vector<Constant> storage_;
  std::span<std::byte> memory_;
  std::vector<std::size_t> offsets_;           ///< of the temporary buffers, then the columns, then the row numbers
  std::vector<const std::byte*> column_data_;  ///< of this block, nullptr before the first use
};

/// Writes a block of a lane to rows [first, first + count) of `out`, converted to its type.
void deliver(Lane lane, const std::byte* data, bool is_single, std::uint64_t first, std::size_t count, const View& out,
             std::uint64_t first_row);

}  // namespace quire::query
