#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "quire/api/reader.hpp"
#include "quire/model/selection.hpp"

namespace quire {

/// Rows in file order, and the mapping of their values to the requested order.
class RowOrder {
 public:
  /// Throws usage errors for rows beyond those of the table.
  RowOrder(const RowSelection& rows, std::uint64_t table_rows);

  [[nodiscard]] const SelectionWalk& walk() const noexcept { return *walk_; }
  /// Memory for the values in file order: the caller's, or a buffer of its own if the orders differ.
  [[nodiscard]] std::vector<ReadColumn> columns_in_file_order(const std::vector<ReadColumn>& columns);
  /// Called after reading: copies values from the buffer to the caller's memory.
  void deliver(const std::vector<ReadColumn>& columns) const;

 private:
  std::optional<SelectionWalk> walk_;
  std::vector<std::size_t> positions_;  ///< of each requested row, in file order; empty: the same
  std::deque<std::vector<std::byte>> numbers_;
  std::deque<PackedStrings> strings_;
  std::vector<ReadColumn> own_;
};

}  // namespace quire
