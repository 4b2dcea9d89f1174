#include "quire/api/simulation.hpp"

#include <variant>

#include "api/part_plan.hpp"
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
  const StepPart root = accepted(0);
  PlannedStep planned;
  planned.guard = quire::extents_of(planner_->guard(root));

  Measure total;
  for (int rank = 0; rank < ranks_; ++rank) add_measure(total, planner_->measure(accepted(rank), rank == 0));
  Measure before(total.size(), 0);
  for (int rank = 0; rank < ranks_; ++rank) {
    const StepPart mine = accepted(rank);
    const Placement placement = planner_->place(mine, before, total, rank == 0);
    planned.ranks.push_back(quire::extents_of(whole_plan(mine, placement, lossy_)));
    planned.end = placement.end;
    add_measure(before, planner_->measure(mine, rank == 0));
  }
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
    part.fields.push_back({box, std::vector<ConstView>(static_cast<std::size_t>(field.components), view)});
  }
  return part;
}

}  // namespace quire
