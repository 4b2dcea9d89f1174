#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "quire/spi/format/planner_capabilities.hpp"

namespace quire {

/// Which rank encodes which groups of rows, and their sizes. Visits the ranks in order and assigns their first rows to
/// the lower ranks that have begun their groups. Keeps the lengths of all groups, as rank 0 of a program does, and one
/// number for each rank.
class GroupSimulation {
 public:
  /// Throws unsupported errors if the file has rows that are encoded again.
  GroupSimulation(const RowGroupCodec* codec, const StepDescription& step, int ranks, bool lossy);
  ~GroupSimulation();

  [[nodiscard]] bool is_needed() const noexcept { return grouping_.rows != 0; }
  /// Ranks in order. Keeps only those rows of the part that wait for further rows.
  void add(int rank, const StepPart& part);
  void finish();
  /// Sets the groups that belong to a rank in its part.
  void assign(int rank, StepPart& part) const;
  void send_to_root(StepPart& root) const;

 private:
  struct Open;
  void close(std::size_t table);

  const RowGroupCodec* codec_;
  Grouping grouping_;
  bool lossy_;
  int ranks_;
  PackedTables all_;
  std::vector<std::vector<std::uint64_t>> ends_;  ///< of each table: after the groups of each rank
  std::vector<std::unique_ptr<Open>> open_;
  std::vector<std::uint64_t> before_;
};

/// The extents of groups, whose bytes were not kept.
void add_group_extents(std::vector<Extent>& extents, const StepPart& part, const Placement& placement);

}  // namespace quire
