#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "api/simulate/part_pattern.hpp"
#include "api/simulate/step_simulation.hpp"
#include "api/write/padded_texts.hpp"
#include "api/write/row_groups.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/format/planner_capabilities.hpp"

namespace quire {
namespace {

/// The number of ranks at both ends, and between them, that are planned in full.
constexpr int sure_ranks = 8;
constexpr int sampled_ranks = 32;

/// Parts that are equal.
struct EqualParts {
  StepPart part;  ///< of one of the ranks
  Measure measure;
  std::uint64_t ranks = 0;
  std::optional<PartPattern> pattern;
  bool is_learned = false;
};

class WorkloadSimulation {
 public:
  WorkloadSimulation(WritePlanner& planner, const Workload& workload, bool lossy)
      : planner_(planner), workload_(workload), lossy_(lossy), ranks_(workload.ranks()) {}

  StepFrame run(PlanSink& sink) {
    root_ = workload_.part(0, planner_.capabilities().weigher != nullptr);
    root_.description = accepted(root_);
    find_groups();
    find_chunks();
    find_kinds();
    StepFrame frame = begin_step(planner_, root_);
    Measure before(total_.size(), 0);
    for (int rank = 0; rank < ranks_; ++rank) {
      EqualParts& kind = kinds_[kind_of_[static_cast<std::size_t>(rank)]];
      const auto items = rank == 0 ? items_of_root(before, frame) : items_of(kind, rank, before);
      if (rank == 0) sink.begin(frame.begin, frame.end);
      sink.add(rank, trains_of(items, rank));
      add_measure(before, rank == 0 ? root_measure_ : kind.measure);
    }
    send_to_root();
    finish_step(planner_, root_, total_, frame);
    return frame;
  }

 private:
  [[nodiscard]] StepDescription accepted(const StepPart& part) const {
    StepDescription step = planner_.accept(part.description, lossy_);
    pad_texts(planner_.capabilities(), step, part.longest_strings);
    return step;
  }

  // ---- Data encoded together: without values they take their unencoded size

  void find_groups() {
    const RowGroupCodec* const codec = planner_.capabilities().row_groups;
    for (std::size_t t = 0; t < root_.description.tables.size(); ++t) {
      groupings_.push_back(codec == nullptr ? Grouping{} : codec->grouping(root_.description, t));
      if (groupings_.back().open_rows == 0) continue;
      throw Error(ErrorKind::unsupported, "the size of rows that are encoded again cannot be simulated");
    }
  }

  [[nodiscard]] bool has_groups() const {
    return std::ranges::any_of(groupings_, [](const Grouping& grouping) { return grouping.rows != 0; });
  }

  [[nodiscard]] std::uint64_t groups_of(std::size_t table, int rank) const {
    const Grouping& grouping = groupings_[table];
    if (grouping.rows == 0) return 0;
    const Slice rows = workload_.rows(table, rank);
    const GroupedRows mine{.grouping = grouping, .rank = rank, .before = rows.first, .mine = rows.count};
    return (rows.count - mine.front() + grouping.rows - 1) / grouping.rows;
  }

  [[nodiscard]] std::vector<std::vector<PackedGroup>> groups(std::size_t table, std::uint64_t count) const {
    std::vector<std::vector<PackedGroup>> columns;
    for (const Column& column : root_.description.tables[table].columns) {
      const std::uint64_t length = checked_multiply(groupings_[table].rows, bytes_of(column));
      columns.emplace_back(static_cast<std::size_t>(count), PackedGroup{length});
    }
    return columns;
  }

  void find_chunks() {
    const FieldChunkCodec* const codec = planner_.capabilities().field_chunks;
    for (std::size_t f = 0; f < root_.description.fields.size(); ++f) {
      const Field& field = root_.description.fields[f];
      FieldChunking& chunking = chunkings_.emplace_back();
      if (codec != nullptr) chunking.shape = codec->chunk_shape(root_.description, f);
      if (chunking.shape.empty()) continue;
      if (!codec->held_extents(root_.description, f).empty()) {
        throw Error(ErrorKind::unsupported, "the size of chunks that are encoded again cannot be simulated")
            .on(field.name);
      }
      chunking.counts = chunk_counts(field.extents, chunking.shape);
      chunking.bytes = checked_multiply(volume(chunking.shape), size_of(field.type));
    }
  }

  [[nodiscard]] bool has_chunks() const {
    return std::ranges::any_of(chunkings_, [](const FieldChunking& chunking) { return !chunking.shape.empty(); });
  }

  [[nodiscard]] std::uint64_t chunks_of(std::size_t field, int rank) const {
    std::uint64_t count = 1;
    for (const AxisPart& part : owned_chunks(workload_.axes(rank, field), chunkings_[field])) count *= part.count;
    return count;
  }

  /// `count` chunks of each component, from index 0 on.
  [[nodiscard]] std::vector<std::vector<PackedChunk>> chunks(std::size_t field, std::uint64_t count) const {
    std::vector<PackedChunk> all;
    for (std::uint64_t i = 0; i < count; ++i) {
      all.push_back({i, i * chunkings_[field].bytes, chunkings_[field].bytes, {}});
    }
    return std::vector(static_cast<std::size_t>(root_.description.fields[field].components), all);
  }

  void add_encoded(StepPart& part, int rank) const {
    for (std::size_t t = 0; has_groups() && t < groupings_.size(); ++t) {
      part.groups.push_back(groups(t, groups_of(t, rank)));
    }
    if (!has_chunks()) return;
    part.chunks.resize(part.fields.size());
    for (std::size_t f = 0; f < chunkings_.size(); ++f) {
      if (!chunkings_[f].shape.empty()) part.chunks[f] = chunks(f, chunks_of(f, rank));
    }
  }

  void send_to_root() {
    for (std::size_t t = 0; has_groups() && t < groupings_.size(); ++t) {
      const std::uint64_t rows = workload_.step().tables[t].rows;
      root_.all_groups.push_back(groups(t, groupings_[t].rows == 0 ? 0 : (rows - 1) / groupings_[t].rows + 1));
    }
    if (!has_chunks()) return;
    root_.all_chunks.resize(chunkings_.size());
    for (std::size_t f = 0; f < chunkings_.size(); ++f) {
      if (!chunkings_[f].shape.empty()) root_.all_chunks[f] = chunks(f, volume(chunkings_[f].counts));
    }
  }

  // ---- Kinds

  void find_kinds() {
    std::map<std::vector<std::uint64_t>, std::uint32_t> known;
    std::vector<std::uint64_t> key;
    std::vector<std::uint64_t> last;
    kind_of_.reserve(static_cast<std::size_t>(ranks_));
    for (int rank = 0; rank < ranks_; ++rank) {
      key.clear();
      workload_.append_kind(rank, key);
      for (std::size_t t = 0; t < groupings_.size(); ++t) key.push_back(groups_of(t, rank));
      for (std::size_t f = 0; f < chunkings_.size(); ++f) {
        if (!chunkings_[f].shape.empty()) key.push_back(chunks_of(f, rank));
      }
      if (rank == 0 || key != last) {
        const auto [place, is_new] = known.try_emplace(key, static_cast<std::uint32_t>(kinds_.size()));
        if (is_new) kinds_.push_back(make_kind(rank));
        kind_of_.push_back(place->second);
        last = key;
      } else {
        kind_of_.push_back(kind_of_.back());
      }
      ++kinds_[kind_of_.back()].ranks;
    }
    for (const EqualParts& kind : kinds_) {
      Measure all = kind.measure;
      for (std::uint64_t& slot : all) slot = checked_multiply(slot, kind.ranks);
      add_measure(total_, all);
    }
    // Add what only rank 0 writes.
    for (std::size_t slot = 0; slot < total_.size(); ++slot) {
      total_[slot] += root_measure_[slot] - kinds_.front().measure[slot];
    }
  }

  [[nodiscard]] EqualParts make_kind(int rank) {
    EqualParts kind;
    kind.part = workload_.part(rank, planner_.capabilities().weigher != nullptr);
    kind.part.description = accepted(kind.part);
    add_encoded(kind.part, rank);
    if (const auto* const weigher = planner_.capabilities().weigher) weigher->weigh(kind.part, lossy_);
    const std::uint64_t row_bytes = workload_.rules().row_bytes;
    for (std::size_t t = 0; row_bytes != 0 && t < kind.part.weights.tables.size(); ++t) {
      kind.part.weights.tables[t] = checked_multiply(kind.part.description.tables[t].rows, row_bytes);
    }
    kind.measure = planner_.measure(kind.part, false);
    if (rank == 0) root_measure_ = planner_.measure(kind.part, true);
    release_weights(planner_, kind.part);
    // The values were needed for weighing; the next part uses their memory.
    for (auto& columns : kind.part.tables) {
      for (ConstView& view : columns) view.data = nullptr;
    }
    if (rank == 0) root_ = kind.part;
    return kind;
  }

  // ---- Places

  /// Places parts of a kind; a planner that keeps weighed parts weighs it again.
  class Placing {
   public:
    Placing(const WorkloadSimulation& simulation, const EqualParts& kind, int rank)
        : simulation_(simulation), part_(kind.part) {
      const ValueWeigher* const weigher = simulation.planner_.capabilities().weigher;
      if (weigher == nullptr) return;
      StepPart again = simulation.workload_.part(rank, true);
      again.description = part_.description;
      weigher->weigh(again, simulation.lossy_);
    }
    Placing(const Placing&) = delete;
    Placing& operator=(const Placing&) = delete;
    ~Placing() { release_weights(simulation_.planner_, part_); }

    [[nodiscard]] std::vector<PlacedItem> items(int rank, const Measure& before, StepFrame* frame = nullptr) {
      for (std::size_t f = 0; f < part_.fields.size(); ++f) {
        part_.fields[f].selection = simulation_.workload_.selection(rank, f);
      }
      const Placement placement = simulation_.planner_.place(part_, before, simulation_.total_, frame != nullptr);
      if (frame != nullptr) frame->end = placement.end;
      return placed_items(part_, placement, simulation_.chunkings_);
    }

   private:
    const WorkloadSimulation& simulation_;
    StepPart part_;
  };

  [[nodiscard]] std::vector<PlacedItem> items_of_root(const Measure& before, StepFrame& frame) {
    return Placing(*this, kinds_.front(), 0).items(0, before, &frame);
  }

  [[nodiscard]] std::vector<PlacedItem> items_of(EqualParts& kind, int rank, const Measure& before) {
    if (!kind.is_learned) learn(kind, rank, before);
    if (!kind.pattern) return Placing(*this, kind, rank).items(rank, before);
    std::vector<PlacedItem> items = kind.pattern->items(before);
    if (!is_sampled(rank)) return items;
    const auto exact = Placing(*this, kind, rank).items(rank, before);
    if (trains_of(items, rank) != trains_of(exact, rank)) {
      throw Error(ErrorKind::internal, "equal parts are not placed in the same way").from_rank(rank);
    }
    return items;
  }

  [[nodiscard]] bool is_sampled(int rank) const {
    return rank < sure_ranks || rank >= ranks_ - sure_ranks || rank % std::max(1, ranks_ / sampled_ranks) == 0;
  }

  void learn(EqualParts& kind, int rank, const Measure& before) {
    kind.is_learned = true;
    try {
      Placing placing(*this, kind, rank);
      std::vector<PlacedItem> origin = placing.items(rank, before);
      std::vector<std::vector<PlacedItem>> moved;
      for (std::size_t slot = 0; slot < before.size(); ++slot) {
        Measure more = before;
        ++more[slot];
        moved.push_back(placing.items(rank, more));
      }
      kind.pattern = PartPattern::learn(std::move(origin), before, moved);
    } catch (const Error&) {
      // If ranks depend on what precedes them in another way, each is planned in full: an error occurs again there.
    }
  }

  [[nodiscard]] std::vector<ExtentTrain> trains_of(const std::vector<PlacedItem>& items, int rank) const {
    std::vector<ExtentTrain> trains;
    for (const PlacedItem& item : items) {
      if (!item.field) {
        trains.push_back(item.train);
        continue;
      }
      const std::size_t f = *item.field;
      const FieldChunking& chunking = chunkings_[f];
      const bool is_chunked = !chunking.shape.empty();
      std::vector<AxisPart> axes = workload_.axes(rank, f);
      if (is_chunked) axes = owned_chunks(axes, chunking);
      append_elements(trains, item.train.offset, is_chunked ? chunking.counts : root_.description.fields[f].extents,
                      axes, item.element_bytes, is_chunked, item.staged);
    }
    std::erase_if(trains, [](const ExtentTrain& train) { return train.length == 0; });
    if (!std::ranges::is_sorted(trains, {}, &ExtentTrain::offset)) {
      std::ranges::stable_sort(trains, {}, &ExtentTrain::offset);
    }
    return trains;
  }

  WritePlanner& planner_;
  const Workload& workload_;
  bool lossy_;
  int ranks_;
  StepPart root_;
  Measure root_measure_;
  Measure total_;
  std::vector<Grouping> groupings_;
  std::vector<FieldChunking> chunkings_;
  std::vector<EqualParts> kinds_;
  std::vector<std::uint32_t> kind_of_;  ///< of each rank
};

}  // namespace

StepFrame simulate_workload(WritePlanner& planner, const Workload& workload, bool lossy, PlanSink& sink) {
  return WorkloadSimulation(planner, workload, lossy).run(sink);
}

}  // namespace quire
