#include "quire/api/simulation.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "api/chunk_simulation.hpp"
#include "api/part_plan.hpp"
#include "api/row_groups.hpp"
#include "quire/comm/partition.hpp"

namespace quire {
namespace {

void add_measure(Measure& sum, const Measure& measure) {
  if (sum.empty()) sum.resize(measure.size(), 0);
  for (std::size_t slot = 0; slot < measure.size(); ++slot) sum[slot] += measure[slot];
}

std::vector<Extent> extents_of(const Publication& acts) {
  std::vector<Extent> extents;
  for (const PublishAct& act : acts) {
    if (const auto* write = std::get_if<PublishWrite>(&act)) extents.push_back({write->offset, write->bytes.size()});
    if (const auto* resize = std::get_if<PublishResize>(&act)) extents.push_back({resize->size, 0});
  }
  return extents;
}

/// Which rank encodes which groups of rows: goes through the ranks and gives rows at their fronts to the lower ranks
/// that have begun their groups.
class GroupSimulation {
 public:
  GroupSimulation(const WritePlanner& planner, const StepDescription& step, int ranks, bool lossy)
      : planner_(planner), grouping_(step.tables.empty() ? Grouping{} : planner.grouping(step, 0)), lossy_(lossy) {
    if (grouping_.open_rows > 0) {
      throw Error(ErrorKind::unsupported, "what rows take that are encoded again cannot be simulated");
    }
    if (grouping_.rows > 0) groups_.resize(static_cast<std::size_t>(ranks));
  }

  /// Ranks in order. Keeps nothing of the part but what waits for further rows.
  void add(int rank, const StepPart& part) {
    if (grouping_.rows == 0) return;
    groups_[static_cast<std::size_t>(rank)].resize(part.tables.size());
    open_.resize(part.tables.size());
    before_.resize(part.tables.size(), 0);
    for (std::size_t t = 0; t < part.tables.size(); ++t) {
      const std::uint64_t rows = part.description.tables[t].rows;
      const GroupedRows mine{.grouping = grouping_, .rank = rank, .before = before_[t], .mine = rows};
      before_[t] += rows;
      auto next = std::make_unique<Open>(rank, part.description);
      next->rows.emplace(planner_, next->step, t, mine, lossy_, false);
      next->rows->add(part.tables[t]);
      if (mine.front() > 0) open_[t]->rows->complete(next->rows->front_values());
      groups_[static_cast<std::size_t>(rank)][t].resize(part.tables[t].size());
      if (!mine.begins_group()) continue;
      close(t);
      open_[t] = std::move(next);
    }
  }

  void finish() {
    for (std::size_t t = 0; t < open_.size(); ++t) close(t);
  }

  /// Tells a part of a rank which groups are its own.
  void tell(int rank, StepPart& part) const {
    if (grouping_.rows != 0) part.groups = groups_[static_cast<std::size_t>(rank)];
  }
  void tell_root(StepPart& root) const {
    for (const PackedTables& tables : groups_) {
      root.all_groups.resize(tables.size());
      for (std::size_t t = 0; t < tables.size(); ++t) {
        root.all_groups[t].resize(tables[t].size());
        for (std::size_t c = 0; c < tables[t].size(); ++c) {
          auto& all = root.all_groups[t][c];
          all.insert(all.end(), tables[t][c].begin(), tables[t][c].end());
        }
      }
    }
  }

 private:
  /// The last rank that has begun a group.
  struct Open {
    Open(int who, StepDescription what) : rank(who), step(std::move(what)) {}
    int rank;
    StepDescription step;
    std::optional<RowGroups> rows{};
  };

  void close(std::size_t table) {
    if (!open_[table]) return;
    open_[table]->rows->finish();
    auto& groups = groups_[static_cast<std::size_t>(open_[table]->rank)][table];
    groups = open_[table]->rows->take();
    for (auto& column : groups) {
      for (PackedGroup& group : column) group.bytes.clear();
    }
    open_[table].reset();
  }

  const WritePlanner& planner_;
  Grouping grouping_;
  bool lossy_;
  std::vector<PackedTables> groups_;
  std::vector<std::unique_ptr<Open>> open_;
  std::vector<std::uint64_t> before_;
};

/// The extents of groups, whose bytes nobody has kept.
void add_group_extents(std::vector<Extent>& extents, const StepPart& part, const Placement& placement) {
  for (std::size_t t = 0; t < part.groups.size(); ++t) {
    for (std::size_t c = 0; c < part.groups[t].size(); ++c) {
      std::uint64_t offset = placement.tables[t][c].offset;
      for (const PackedGroup& group : part.groups[t][c]) {
        extents.push_back({offset, group.length});
        offset += group.length;
      }
    }
  }
}

}  // namespace

WriteSimulation::WriteSimulation(const FileDescription& file, int ranks, const WriteOptions& options)
    : ranks_(ranks), lossy_(options.lossy) {
  const Format& format = format_named(options.format);
  planner_ = format.plan_writing(CheckedOptions(format.write_options(), options.options));
  planner_->set_file(file);
}

WriteSimulation::~WriteSimulation() = default;

PlannedStep WriteSimulation::next(const std::function<StepPart(int rank)>& part) {
  const auto accepted = [&](int rank) {
    StepPart result = part(rank);
    result.description = planner_->accept(result.description, lossy_);
    planner_->weigh(result, lossy_);
    return result;
  };
  StepPart root = accepted(0);
  GroupSimulation groups(*planner_, root.description, ranks_, lossy_);
  for (int rank = 0; planner_->groups_rows() && rank < ranks_; ++rank) groups.add(rank, accepted(rank));
  groups.finish();
  ChunkSimulation chunks(*planner_, root.description, lossy_);
  for (int rank = 0; chunks.is_needed() && rank < ranks_; ++rank) chunks.add(accepted(rank));
  if (chunks.is_needed()) chunks.finish();
  const auto grouped = [&](int rank) {
    StepPart result = accepted(rank);
    groups.tell(rank, result);
    chunks.tell(static_cast<std::size_t>(rank), result);
    return result;
  };
  PlannedStep planned;
  planned.guard = quire::extents_of(planner_->guard(root));

  Measure total;
  for (int rank = 0; rank < ranks_; ++rank) add_measure(total, planner_->measure(grouped(rank), rank == 0));
  Measure before(total.size(), 0);
  for (int rank = 0; rank < ranks_; ++rank) {
    const StepPart mine = grouped(rank);
    const Placement placement = planner_->place(mine, before, total, rank == 0);
    planned.ranks.push_back(quire::extents_of(whole_plan(mine, placement, lossy_)));
    add_group_extents(planned.ranks.back(), mine, placement);
    add_chunk_extents(planned.ranks.back(), mine, placement);
    planned.end = placement.end;
    add_measure(before, planner_->measure(mine, rank == 0));
  }
  groups.tell(0, root);
  groups.tell_root(root);
  chunks.tell(0, root);
  chunks.tell_root(root);
  planned.publication = extents_of(planner_->publish(root, total));
  planner_->advance(root, total, true);
  return planned;
}

StepPart even_part(const StepDescription& step, int rank, int ranks, std::uint64_t string_bytes) {
  StepPart part;
  part.description = step;
  for (Table& table : part.description.tables) {
    table.rows = even_slice(table.rows, rank, ranks).count;
    std::vector<ConstView> views;
    std::vector<std::uint64_t> bytes;
    for (const Column& column : table.columns) {
      views.emplace_back(column.type, nullptr, table.rows, static_cast<std::ptrdiff_t>(size_of(column.type)));
      bytes.push_back(column.type == Type::string ? table.rows * string_bytes : 0);
    }
    part.tables.push_back(std::move(views));
    part.string_bytes.push_back(std::move(bytes));
  }
  for (const Field& field : step.fields) {
    const Slice planes = even_slice(field.extents.empty() ? 0 : field.extents.front(), rank, ranks);
    Box box = whole(field.extents);
    if (!field.extents.empty()) {
      box.start.front() = planes.first;
      box.count.front() = planes.count;
    }
    const auto stride = static_cast<std::ptrdiff_t>(size_of(field.type));
    const ConstView view(field.type, nullptr, volume(box.count), stride);
    part.fields.push_back({std::move(box), std::vector(static_cast<std::size_t>(field.components), view), {}});
  }
  return part;
}

}  // namespace quire
