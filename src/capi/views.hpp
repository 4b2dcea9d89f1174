#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "capi/handle.hpp"

namespace quire::capi {

// The caller's memory for `count` numbers, `stride` bytes apart; 0: contiguous. Throw usage errors for null pointers.
[[nodiscard]] ConstView number_view(quire_type type, const void* values, std::uint64_t count, std::int64_t stride);
[[nodiscard]] View number_view(quire_type type, void* values, std::uint64_t count, std::int64_t stride);

/// Texts for the caller.
[[nodiscard]] std::unique_ptr<quire_texts> texts_from(const PackedStrings& strings);

/// Memory for rows of several columns, in the types of the table.
class ColumnMemory {
 public:
  ColumnMemory(const Table& table, const std::vector<std::string>& columns, std::uint64_t rows);
  /// Where the values are read to.
  [[nodiscard]] std::vector<ReadColumn> targets() const { return targets_; }
  /// The values that were read.
  [[nodiscard]] std::vector<ConstView> values() const;

 private:
  std::deque<std::vector<std::byte>> numbers_;
  std::deque<PackedStrings> strings_;
  std::vector<ReadColumn> targets_;
};

}  // namespace quire::capi
