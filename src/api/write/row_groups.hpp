#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "quire/spi/format/planner_capabilities.hpp"

namespace quire {

/// The position of a rank's rows of a table in the groups in which they are encoded.
struct GroupedRows {
  Grouping grouping;
  int rank = 0;
  std::uint64_t before = 0;  ///< rows of the lower ranks
  std::uint64_t mine = 0;    ///< rows of this rank

  /// The number of them in a group that a lower rank has begun.
  [[nodiscard]] std::uint64_t front() const;
  /// Whether this rank has the first row of a group, or the rows that are in the file already.
  [[nodiscard]] bool begins_group() const;
};

/// Encodes a rank's rows of one table, group by group as they are added. Rows that do not fill a group are copied:
/// those at the front, which belong to a lower rank, and those at the end, which wait for rows of higher ranks.
/// Everything else is encoded from the caller's memory. For plans without data, views without memory count as values
/// that do not shrink.
class RowGroups {
 public:
  /// `codec` and `step` must outlive the object. Without `keep_bytes`, only the lengths of groups without rows of
  /// other ranks are kept.
  RowGroups(const RowGroupCodec& codec, const StepDescription& step, std::size_t table, const GroupedRows& rows,
            bool lossy, bool keep_bytes);

  /// Rank 0: the values of the open rows, column by column.
  void begin_with(std::vector<std::vector<std::byte>> open_values);
  /// The next rows of this rank. Throws type errors that name column and row.
  void add(std::span<const ConstView> columns);
  [[nodiscard]] std::uint64_t rows_added() const noexcept { return added_; }

  /// The values of the rows in front, for the rank that has begun their group.
  [[nodiscard]] const std::vector<std::vector<std::byte>>& front_values() const noexcept { return front_; }
  /// Rows of a higher rank that complete the group that this rank has begun.
  void complete(const std::vector<std::vector<std::byte>>& values);
  /// There are no further rows: encodes the last group.
  void finish();

  /// The groups that were encoded since the last call, column by column.
  [[nodiscard]] std::vector<std::vector<PackedGroup>> take();

 private:
  [[nodiscard]] const Table& table() const { return step_.tables[table_]; }
  /// The values of a part of a view as accepted: in place, or converted into `scratch_`.
  [[nodiscard]] std::span<const std::byte> values(std::size_t column, const ConstView& part, std::uint64_t row);
  void copy(std::vector<std::vector<std::byte>>& target, std::span<const ConstView> columns, std::uint64_t from,
            std::uint64_t rows);
  void pack(std::size_t column, std::span<const std::byte> values, bool keep);
  void pack_pending(bool keep);

  const RowGroupCodec& codec_;
  const StepDescription& step_;
  std::size_t table_;
  GroupedRows rows_;
  bool lossy_;
  bool keep_bytes_;
  bool without_values_ = false;
  std::uint64_t added_ = 0;
  std::uint64_t pending_rows_ = 0;
  std::vector<std::vector<std::byte>> front_;
  std::vector<std::vector<std::byte>> pending_;
  std::vector<std::byte> scratch_;
  std::vector<std::vector<PackedGroup>> groups_;
};

}  // namespace quire
