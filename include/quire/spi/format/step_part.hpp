#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "quire/model/description.hpp"
#include "quire/model/selection.hpp"
#include "quire/model/value.hpp"

namespace quire {

/// One rank's part of a field.
struct FieldPart {
  Selection selection;           ///< in the extents of the description
  std::vector<ConstView> views;  ///< one for each component
  MemorySelection memory;        ///< the elements of the views that are used; the same number, in the same order
  /// The selection as a box if its values are written in parts after the step is placed: then the views are empty.
  std::optional<Box> declared{};
};

/// The size in the file of values without a fixed size: text.
struct Weights {
  std::vector<std::uint64_t> tables;               ///< this rank's rows of each table
  std::vector<std::vector<std::uint64_t>> fields;  ///< this rank's part of each component of each field
};

/// How rows of a table without individual offsets are encoded together: in chunks that are compressed.
struct Grouping {
  std::uint64_t rows = 0;  ///< of a group; 0: every row has its own place
  /// The number of rows in an incomplete last group of the file: they are encoded again together with the first new
  /// ones.
  std::uint64_t open_rows = 0;
};

/// Values of one column that were encoded together.
struct PackedGroup {
  std::uint64_t length = 0;           ///< bytes in the file
  std::vector<std::byte> bytes = {};  ///< empty where only the length is wanted
  template <class Archive>
  void archive(Archive& a) {
    a(length);
  }
};
/// The groups of each column of each table, in the order of their rows.
using PackedTables = std::vector<std::vector<std::vector<PackedGroup>>>;

/// Elements of one component of a field that were encoded together: a box of the field.
struct PackedChunk {
  std::uint64_t index = 0;   ///< among the chunks that cover the field, in C order
  std::uint64_t place = 0;   ///< the bytes before it, of chunks with lower indices
  std::uint64_t length = 0;  ///< bytes in the file
  std::vector<std::byte> bytes{};
  template <class Archive>
  void archive(Archive& a) {
    a(index, place, length);
  }
};
/// The chunks of each component of each field, by rising indices.
using PackedFields = std::vector<std::vector<std::vector<PackedChunk>>>;

/// One rank's part of a step. Rows in the description's tables are this rank's own; extents of fields are global. A
/// table with chosen rows has no rows on any rank at first, and all rows on every rank when the step is placed.
struct StepPart {
  StepDescription description;
  std::vector<std::vector<ConstView>> tables;  ///< a view for each column of each table
  std::vector<FieldPart> fields;
  /// For each table, where any is chosen: the rows that this rank writes instead of those after the rows of the lower
  /// ranks, in the order of the file, in which the views hold their values.
  std::vector<std::optional<SelectionWalk>> chosen{};
  /// The number of bytes of each string column on this rank, table by table, as declared for a streamed step or counted
  /// from the views; 0 for other columns.
  std::vector<std::vector<std::uint64_t>> string_bytes;
  /// The number of bytes of the longest of these strings, likewise.
  std::vector<std::vector<std::uint64_t>> longest_strings{};
  Weights weights;  ///< if the planner weighs values: see WritePlanner::weigh()
  /// If rows are encoded in groups: those whose first row is on this rank.
  PackedTables groups{};
  /// Rank 0, for publish(): the groups of all ranks, without their bytes.
  PackedTables all_groups{};
  /// If fields are encoded in chunks: those that belong to this rank, and on rank 0 all of them without their bytes.
  PackedFields chunks{};
  PackedFields all_chunks{};

  /// The chosen rows of a table; null if they are not chosen.
  [[nodiscard]] const SelectionWalk* rows_chosen_of(std::size_t table) const noexcept {
    return table < chosen.size() && chosen[table] ? &*chosen[table] : nullptr;
  }
};

}  // namespace quire
