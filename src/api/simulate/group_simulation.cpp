#include "api/simulate/group_simulation.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/write/row_groups.hpp"
#include "quire/base/error.hpp"

namespace quire {

/// The last rank that has begun a group.
struct GroupSimulation::Open {
  Open(int who, StepDescription what) : rank(who), step(std::move(what)) {}
  int rank;
  StepDescription step;
  std::optional<RowGroups> rows{};
};

GroupSimulation::GroupSimulation(const RowGroupCodec* codec, const StepDescription& step, int ranks, bool lossy)
    : codec_(codec),
      grouping_(codec == nullptr || step.tables.empty() ? Grouping{} : codec->grouping(step, 0)),
      lossy_(lossy),
      ranks_(ranks),
      before_(step.tables.size(), 0) {
  if (grouping_.open_rows > 0) {
    throw Error(ErrorKind::unsupported, "the size of rows that are encoded again cannot be simulated");
  }
  if (!is_needed()) return;
  open_.resize(step.tables.size());
  ends_.assign(step.tables.size(), std::vector<std::uint64_t>(static_cast<std::size_t>(ranks), 0));
  for (const Table& table : step.tables) all_.emplace_back(table.columns.size());
}

GroupSimulation::~GroupSimulation() = default;

void GroupSimulation::add(int rank, const StepPart& part) {
  if (!is_needed()) return;
  for (std::size_t t = 0; t < part.tables.size(); ++t) {
    const std::uint64_t rows = part.description.tables[t].rows;
    const GroupedRows mine{.grouping = grouping_, .rank = rank, .before = before_[t], .mine = rows};
    before_[t] += rows;
    auto next = std::make_unique<Open>(rank, part.description);
    next->rows.emplace(*codec_, next->step, t, mine, lossy_, false);
    next->rows->add(part.tables[t]);
    if (mine.front() > 0) open_[t]->rows->complete(next->rows->front_values());
    if (!mine.begins_group()) continue;
    close(t);
    open_[t] = std::move(next);
  }
}

void GroupSimulation::finish() {
  for (std::size_t t = 0; t < open_.size(); ++t) close(t);
  // The groups of a rank that has begun none end where those of the previous rank do.
  for (auto& ends : ends_) {
    for (std::size_t rank = 1; rank < ends.size(); ++rank) ends[rank] = std::max(ends[rank], ends[rank - 1]);
  }
}

void GroupSimulation::close(std::size_t table) {
  if (!open_[table]) return;
  open_[table]->rows->finish();
  auto groups = open_[table]->rows->take();
  for (std::size_t c = 0; c < groups.size(); ++c) {
    for (const PackedGroup& group : groups[c]) all_[table][c].push_back({group.length});
  }
  const std::size_t end = groups.empty() ? 0 : all_[table].front().size();
  ends_[table][static_cast<std::size_t>(open_[table]->rank)] = end;
  open_[table].reset();
}

void GroupSimulation::assign(int rank, StepPart& part) const {
  if (!is_needed()) return;
  part.groups.clear();
  for (std::size_t t = 0; t < all_.size(); ++t) {
    const std::uint64_t begin = rank == 0 ? 0 : ends_[t][static_cast<std::size_t>(rank) - 1];
    const std::uint64_t end = ends_[t][static_cast<std::size_t>(rank)];
    auto& columns = part.groups.emplace_back();
    for (const auto& all : all_[t]) {
      const auto first = all.begin();
      columns.emplace_back(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end));
    }
  }
}

void GroupSimulation::send_to_root(StepPart& root) const {
  if (is_needed()) root.all_groups = all_;
}

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

}  // namespace quire
