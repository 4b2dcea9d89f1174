#include "quire/spi/api/simulation.hpp"

#include <algorithm>
#include <thread>
#include <utility>
#include <variant>

#include "api/file_sets.hpp"
#include "api/simulate/choice_simulation.hpp"
#include "api/simulate/chunk_simulation.hpp"
#include "api/simulate/group_simulation.hpp"
#include "api/simulate/step_simulation.hpp"
#include "api/write/padded_texts.hpp"
#include "api/write/part_plan.hpp"
#include "quire/format/format.hpp"
#include "quire/spi/format/planner_capabilities.hpp"

namespace quire {
namespace {

/// Keeps all extents.
class Keeper final : public PlanSink {
 public:
  void add(int /*rank*/, std::span<const ExtentTrain> extents) override { ranks.push_back(extents_of(extents)); }
  std::vector<std::vector<Extent>> ranks;
};

class Surveyor final : public PlanSink {
 public:
  explicit Surveyor(WriteSurvey& survey) : survey_(survey) {}
  void begin(std::uint64_t from, std::uint64_t end) override { survey_.begin(from, end); }
  void add(int rank, std::span<const ExtentTrain> extents) override { survey_.add(rank, extents); }

 private:
  WriteSurvey& survey_;
};

/// All data of a rank, including those that were encoded before, by rising offsets.
std::vector<ExtentTrain> placed_trains(const StepPart& mine, const Placement& placement, bool lossy) {
  std::vector<ExtentTrain> trains = trains_of(whole_plan(mine, placement, lossy));
  std::vector<Extent> encoded;
  add_group_extents(encoded, mine, placement);
  add_chunk_extents(encoded, mine, placement);
  for (const Extent& extent : encoded) trains.push_back({extent.offset, extent.length, 0, 1, false});
  std::ranges::sort(trains, {}, &ExtentTrain::offset);
  return trains;
}

/// The longest texts of all ranks; empty if no column holds texts that are padded.
LongestTexts longest_texts(const PlannerCapabilities& planner, const WriteSimulation::Parts& part, int ranks) {
  LongestTexts longest;
  const auto has_texts = [](const Table& table) {
    return std::ranges::find(table.columns, Type::string, &Column::type) != table.columns.end();
  };
  if (planner.longest_padded_text == 0 || std::ranges::none_of(part(0).description.tables, has_texts)) return longest;
  longest = part(0).longest_strings;
  for (int rank = 1; rank < ranks; ++rank) {
    const LongestTexts mine = part(rank).longest_strings;
    for (std::size_t t = 0; t < mine.size(); ++t) {
      std::ranges::transform(mine[t], longest.at(t), longest.at(t).begin(), std::ranges::max);
    }
  }
  return longest;
}

}  // namespace

void add_measure(Measure& sum, const Measure& measure) {
  if (sum.empty()) sum.resize(measure.size(), 0);
  for (std::size_t slot = 0; slot < measure.size(); ++slot) sum[slot] += measure[slot];
}

std::vector<ExtentTrain> trains_of(const WritePlan& plan) {
  std::vector<ExtentTrain> trains;
  for (const WriteExtent& extent : plan.extents) {
    trains.push_back(
        {extent.offset, extent.length, 0, 1, std::holds_alternative<std::shared_ptr<Encoder>>(extent.source)});
  }
  return trains;
}

StepFrame begin_step(WritePlanner& planner, const StepPart& root) {
  StepFrame frame;
  frame.begin = planner.data_begin();
  frame.guard = extents_of(planner.guard(root));
  return frame;
}

void finish_step(WritePlanner& planner, const StepPart& root, const Measure& total, StepFrame& frame) {
  for (const PublishAct& act : planner.publish(root, total)) {
    if (const auto* write = std::get_if<PublishWrite>(&act)) {
      frame.publication.push_back({write->offset, write->bytes.size()});
    } else if (const auto* resize = std::get_if<PublishResize>(&act)) {
      frame.publication.push_back({resize->size, 0});
    } else {
      ++frame.syncs;
    }
  }
  planner.advance(root, total, true);
}

void release_weights(WritePlanner& planner, const StepPart& part) {
  if (planner.capabilities().weigher != nullptr) planner.advance(part, {}, false);
}

WriteSimulation::WriteSimulation(const FileDescription& file, int ranks, const WriteOptions& options)
    : ranks_(ranks), lossy_(options.lossy) {
  const Format& format = format_named(options.format);
  planner_ = format.plan_writing(CheckedOptions(format.write_options, options.options));
  planner_->set_file(file);
  suit({static_cast<std::uint64_t>(ranks), 1, std::max(1U, std::thread::hardware_concurrency())});
}

void WriteSimulation::suit(const Machine& machine) {
  StreamPlanner* streams = planner_->capabilities().streams;
  if (streams != nullptr && streams->asks_for_machine()) streams->suit(machine);
}

WriteSimulation::~WriteSimulation() = default;

bool WriteSimulation::weighs_values() const { return planner_->capabilities().weigher != nullptr; }

std::string WriteSimulation::member_name(const std::string& first, std::uint64_t member) const {
  return quire::member_name(planner_->capabilities().file_set, first, member);
}

PlannedStep WriteSimulation::next(const Parts& part) {
  Keeper keeper;
  PlannedStep planned{next(part, keeper), {}};
  planned.ranks = std::move(keeper.ranks);
  return planned;
}

StepFrame WriteSimulation::next(const Parts& part, PlanSink& sink) {
  const PlannerCapabilities can = planner_->capabilities();
  ChoiceSimulation choices(*planner_);
  const LongestTexts longest = longest_texts(can, part, ranks_);
  const auto accepted = [&](int rank) {
    StepPart result = part(rank);
    result.description = planner_->accept(choices.without_chosen(result), lossy_);
    if (!longest.empty()) pad_texts(can, result.description, longest);
    choices.check(result);
    if (can.weigher != nullptr) can.weigher->weigh(result, lossy_);
    return result;
  };
  const auto each_rank = [&](const auto& use) {
    for (int rank = 0; rank < ranks_; ++rank) {
      StepPart mine = accepted(rank);
      use(rank, mine);
      release_weights(*planner_, mine);
    }
  };
  StepPart root = accepted(0);
  release_weights(*planner_, root);
  GroupSimulation groups(can.row_groups, root.description, ranks_, lossy_);
  if (groups.is_needed()) each_rank([&](int rank, StepPart& mine) { groups.add(rank, mine); });
  groups.finish();
  ChunkSimulation chunks(can.field_chunks, root.description, lossy_);
  if (chunks.is_needed()) each_rank([&](int /*rank*/, StepPart& mine) { chunks.add(std::move(mine)); });
  if (chunks.is_needed()) chunks.finish();
  const auto grouped = [&](const auto& use) {
    each_rank([&](int rank, StepPart& mine) {
      groups.assign(rank, mine);
      chunks.assign(static_cast<std::size_t>(rank), mine);
      use(rank, mine, planner_->measure(mine, rank == 0));
    });
  };
  StepFrame frame = begin_step(*planner_, root);
  Measure total;
  grouped([&](int rank, const StepPart& mine, const Measure& measure) {
    choices.add(rank, mine);
    add_measure(total, measure);
  });
  choices.finish(root, total);
  Measure before(total.size(), 0);
  std::uint64_t written = frame.begin;
  grouped([&](int rank, StepPart& mine, const Measure& measure) {
    choices.assign(mine);
    const Placement placement = planner_->place(mine, before, total, rank == 0);
    const std::vector<ExtentTrain> trains = placed_trains(mine, placement, lossy_);
    if (rank == 0) sink.begin(frame.begin, placement.end);
    frame.end = placement.end;
    for (const ExtentTrain& train : trains) written = std::max(written, train.offset + train.length);
    sink.add(rank, trains);
    add_measure(before, measure);
  });
  groups.assign(0, root);
  groups.send_to_root(root);
  chunks.assign(0, root);
  chunks.send_to_root(root);
  // Rows that no rank has chosen at the end are a hole.
  if (choices.are_there() && written < frame.end) frame.publication.push_back({frame.end, 0});
  finish_step(*planner_, root, total, frame);
  return frame;
}

StepFrame WriteSimulation::next(const Streams& streams, const std::string& path, PlanSink& sink) {
  return simulate_streams(*planner_, ranks_, streams, path, lossy_, sink);
}

StepFrame WriteSimulation::next(const Workload& workload, PlanSink& sink) {
  if (workload.ranks() != ranks_) throw Error(ErrorKind::usage, "the workload has a different number of ranks");
  if (workload.step().streams == 0) {
    if (!workload.rules().grid.interleaved) return simulate_workload(*planner_, workload, lossy_, sink);
    const StepDescription step = planner_->accept(workload.part(0).description, lossy_);
    const FieldChunkCodec* const codec = planner_->capabilities().field_chunks;
    bool is_chunked = false;
    for (std::size_t f = 0; codec != nullptr && f < step.fields.size(); ++f)
      is_chunked |= !codec->chunk_shape(step, f).empty();
    if (!is_chunked) return simulate_workload(*planner_, workload, lossy_, sink);
    // The owner of a chunk that many ranks share is known only from all of them.
    return next([&](int rank) { return workload.part(rank); }, sink);
  }
  StreamPlanner* planner = planner_->capabilities().streams;
  return next(streams_of(workload, planner != nullptr && planner->is_keyed()), "simulated", sink);
}

SimulationReport simulate(const FileDescription& file, const WriteOptions& options, const Workload& workload,
                          std::uint64_t steps, const StorageLayout& layout) {
  WriteSimulation simulation(file, workload.ranks(), options);
  if (layout.ranks_per_node != 0) {
    const auto ranks = static_cast<std::uint64_t>(workload.ranks());
    simulation.suit({ranks, (ranks + layout.ranks_per_node - 1) / layout.ranks_per_node, layout.ranks_per_node});
  }
  WriteSurvey survey(layout, workload.ranks());
  Surveyor surveyor(survey);
  SimulationReport report;
  Workload step = workload;
  for (; report.steps < steps; ++report.steps) {
    step.set_number(workload.step().number + static_cast<std::int64_t>(report.steps));
    const StepFrame frame = simulation.next(step, surveyor);
    survey.add_alone(frame.guard);
    survey.add_alone(frame.publication);
    report.payload += workload.payload();
    if (simulation.weighs_values()) report.encoded_bytes += workload.payload();
    report.guard_writes += frame.guard.size();
    report.publish_syncs += frame.syncs;
    for (const Extent& extent : frame.publication) {
      (extent.length == 0 ? report.resizes : report.publish_writes) += 1;
      report.publish_bytes += extent.length;
    }
  }
  report.survey = survey.result();
  return report;
}

}  // namespace quire
