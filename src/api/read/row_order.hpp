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

/// Rows in the order of the file, and how their values come into the order that was asked for.
class RowOrder {
 public:
  /// Throws usage errors for rows beyond those of the table.
  RowOrder(const RowSelection& rows, std::uint64_t table_rows);

  [[nodiscard]] const SelectionWalk& walk() const noexcept { return *walk_; }
  /// Memory for the values in the order of the file: the caller's, or own one if that order is another.
  [[nodiscard]] std::vector<ReadColumn> columns_in_file_order(const std::vector<ReadColumn>& columns);
  /// When they have been read: puts values from own memory where the caller wants them.
  void deliver(const std::vector<ReadColumn>& columns) const;

 private:
  std::optional<SelectionWalk> walk_;
  std::vector<std::size_t> positions_;  ///< of each row that was asked for, in the order of the file; empty: the same
  std::deque<std::vector<std::byte>> numbers_;
  std::deque<PackedStrings> strings_;
  std::vector<ReadColumn> own_;
};

}  // namespace quire
