#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/sidecar.hpp"
#include "api/write/proposal.hpp"
#include "kernels/block_limits.hpp"
#include "quire/api/writer.hpp"
#include "quire/spi/plan/plan.hpp"

// The limits of blocks of rows (option `zones`): every rank keeps those of the rows that it writes, and rank 0 writes
// those of all ranks to the index beside the file, when it is closed. Unless they were asked for, only large tables
// have them, nothing is said, and files without such tables cost nothing.

namespace quire {

/// The limits of a column on this rank.
struct ColumnLimits {
  std::string name;
  BlockLimits limits;
  template <class Archive>
  void archive(Archive& a) {
    a(name, limits);
  }
};

/// The limits of the columns of a table on this rank; those without limits have no rows, and are not kept. A table
/// whose limits are not taken has no columns.
struct TableLimits {
  std::string name;          ///< as accepted by the format,
  std::string put_name;      ///< and by the caller: readers may find either
  std::uint64_t before = 0;  ///< rows of the lower ranks
  std::vector<ColumnLimits> columns{};
  template <class Archive>
  void archive(Archive& a) {
    a(name, put_name, before, columns);
  }
};

struct StepLimits {
  std::int64_t number = 0;
  std::vector<TableLimits> tables{};
  std::string why_lost{};  ///< what failed, or that there was no room for them

  [[nodiscard]] std::uint64_t bytes() const;
  template <class Archive>
  void archive(Archive& a) {
    a(number, tables);
  }
};

/// The limits of the committed steps on this rank.
struct FileLimits {
  /// The rows, on all ranks together, from which on a table has limits unasked: fewer are read about as fast as an
  /// index.
  static constexpr std::uint64_t large_rows = std::uint64_t{1} << 23;
  /// The memory of all ranks together, which rank 0 needs at the end; more limits are dropped. It is enough for 120 GB
  /// of float64.
  static constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

  bool is_wanted = false;               ///< the same on all ranks: the ranks gather them at the end
  std::vector<std::int64_t> numbers{};  ///< rank 0: of all committed steps
  std::vector<StepLimits> steps{};      ///< with limits
  std::uint64_t bytes = 0;
  std::string why_lost{};           ///< those of a step
  std::optional<FileState> left{};  ///< rank 0: the file after its last write
};

/// Independent. After the file is created: begins to keep limits, unless they were refused. If they were asked for and
/// the file cannot have them, rank 0 has a remark.
void begin_limits(Writer::State& writer);
/// Independent. Adds to the proposal of a step the rows of its tables. They cost no collective: a step with more than
/// slots_at_once words has no limits, unless they were asked for; then it needs one more.
void propose_limits(WriteStep::State& step, Proposal& mine);
/// Independent. After the ranks have agreed on the step: takes the words of propose_limits() from the consensus, and
/// begins the limits of the tables that have some, the same on all ranks.
void settle_limits(WriteStep::State& step, Consensus& all);
/// Independent. Lets the limits follow a plan of a placed step whose rows do not come in blocks: its values are taken
/// into the limits piece by piece, while they are in the cache.
void follow_writes(WritePlan& plan, WriteStep::State& step);
/// Independent. Takes the values of all rows that are not in the limits yet into them, unless they come in blocks.
void complete_limits(WriteStep::State& step);
/// Independent. The same for rows of one table, from the row `first` of this rank on: a view for each column.
void add_limits(WriteStep::State& step, std::size_t table, std::uint64_t first, std::span<const ConstView> columns);
/// Independent. After the last write, before the file may take its place: rank 0 keeps its state, to notice later
/// whether the path has another file.
void remember_file(Writer::State& writer);
/// Independent. Keeps the limits of a step that is in the file.
void keep_limits(WriteStep::State& step);
/// Collective. Writes the index of a complete file, if a step may have limits: three collectives. If that fails, or
/// another file has the path, the file is complete all the same, and rank 0 has a remark if the index was asked for. Of
/// an older file an index that was not asked for is removed.
void write_limits(Writer::State& writer);

}  // namespace quire
