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
// those of all ranks to the index beside the file, when it is closed.

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

/// The limits of the columns of a table on this rank; those without limits have no rows, and are not kept.
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
  /// The memory of all ranks together, which rank 0 needs at the end; more limits are dropped. It is enough for 120 GB
  /// of float64.
  static constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;

  std::vector<StepLimits> steps{};
  std::uint64_t bytes = 0;
  std::string why_lost{};           ///< those of a step
  std::optional<FileState> left{};  ///< rank 0: the file after its last write
};

/// Independent. After the file is created: begins to keep limits, if they were requested. If the file cannot have them,
/// rank 0 has a remark.
void begin_limits(Writer::State& writer);
/// Independent. Adds to the proposal of a step the rows of its tables, if limits were requested. They cost no
/// collective, unless the step has more than 64 slots with them: then one more.
void propose_limits(const WriteStep::State& step, Proposal& mine);
/// Independent. After the ranks have agreed on the step: takes the rows of the lower ranks from the consensus.
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
/// Collective. Writes the index of a complete file: three collectives. If that fails, or another file has the path, the
/// file is complete all the same, and rank 0 has a remark.
void write_limits(Writer::State& writer);

}  // namespace quire
