#include "format/element_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/records_lines.hpp"
#include "format/records_runs.hpp"
#include "quire/base/error.hpp"

namespace quire {
namespace {

bool is_contiguous(const View& view, const Line& line) { return view.is_contiguous() && line.step == 1; }

/// Every `line.step`-th value of a view.
View part_on(const View& view, const Line& line, std::uint64_t count) {
  return View(view.type, view.data + static_cast<std::ptrdiff_t>(line.first) * view.stride, count,
              view.stride * static_cast<std::ptrdiff_t>(line.step));
}

/// Reads elements of one run: joins elements that are close together into one extent (data sieving).
class SieveReader {
 public:
  SieveReader(const Run& run, std::span<const CellTarget> wanted, const SelectionWalk& elements, LineCursor memory,
              bool lossy, const SieveLimits& limits)
      : run_(run),
        wanted_(wanted),
        lossy_(lossy),
        limits_(limits),
        elements_(elements),
        memory_(std::move(memory)),
        first_memory_(memory_) {
    const std::vector<kernels::CellShape> all = cell_shapes(run);
    cells_.record_bytes = static_cast<std::size_t>(run.record_bytes);
    for (const CellTarget& target : wanted) cells_.shapes.push_back(all[target.cell]);
  }

  /// Adds the next elements, as many as the room allows. True if none are left.
  bool add(ReadPlan& plan, PlanRoom& room) {
    while (elements_.rest().count > 0) {
      Line line = elements_.rest();
      check_inside(run_, line);
      const std::uint64_t record = run_.record_bytes;
      // A line with wide gaps is read element by element.
      const bool is_whole = line.step == 1 || limits_.allow((line.step - 1) * record, record, line.step * record);
      if (!is_whole) line.count = 1;
      if (!joins(line)) {
        finish(plan, room);
        if (room.extents < room.encoder_extents && room.is_used) return false;
        begin(line);
      }
      wanted_elements_ += line.count;
      end_ = line.first + (line.count - 1) * line.step + 1;
      ++lines_;
      elements_.skip(line.count);
      memory_.skip(line.count);
    }
    finish(plan, room);
    return true;
  }

 private:
  [[nodiscard]] bool joins(const Line& line) const {
    if (wanted_elements_ == 0) return false;
    const std::uint64_t record = run_.record_bytes;
    const std::uint64_t bytes = line.count * record;
    if (is_alone(bytes) || (lines_ == 1 && is_alone(wanted_elements_ * record))) return false;
    const std::uint64_t span = line.first + (line.count - 1) * line.step + 1 - first_.first;
    return limits_.allow((line.first - end_) * record, wanted_elements_ * record + bytes, span * record);
  }

  [[nodiscard]] bool is_alone(std::uint64_t bytes) const { return bytes >= limits_.direct_from; }

  void begin(const Line& line) {
    first_ = line;
    first_element_ = elements_;
    first_memory_ = memory_;
  }

  void finish(ReadPlan& plan, PlanRoom& room) {
    if (wanted_elements_ == 0) return;
    const std::uint64_t offset = run_.offset + first_.first * run_.record_bytes;
    const std::uint64_t length = (end_ - first_.first) * run_.record_bytes;
    const bool is_ready_made = add_ready(plan, offset, length);
    if (!is_ready_made) plan.add(offset, length, decoder());
    // Long extents are not counted: they are small against the caller's memory, and faster if read together.
    if (length < room.encoded_from) room.take(is_ready_made ? 1 : room.encoder_extents);
    wanted_elements_ = 0;
    lines_ = 0;
  }

  [[nodiscard]] std::shared_ptr<Decoder> decoder() const {
    std::vector<TargetColumn> columns;
    for (const CellTarget& target : wanted_) {
      columns.emplace_back(target.view, run_.cells[target.cell], ColumnRules{target.object, loss_for(lossy_)},
                           target.texts);
    }
    LineCursor file = lines_ == 1 ? LineCursor(first_) : *first_element_;
    return std::make_shared<LineDecoder>(cells_, std::move(columns), std::move(file), first_memory_, wanted_elements_);
  }

  /// Reads contiguous bytes directly into contiguous memory of the same representation.
  [[nodiscard]] bool add_ready(ReadPlan& plan, std::uint64_t offset, std::uint64_t length) const {
    const Line& memory = first_memory_.rest();
    if (lines_ != 1 || wanted_.size() != 1 || (first_.step != 1 && first_.count > 1)) return false;
    const View& view = wanted_.front().view;
    const bool contiguous = wanted_elements_ == 1 || is_contiguous(view, memory);
    if (memory.count < wanted_elements_ || !is_ready(run_, view.type, contiguous)) return false;
    plan.add(offset, {part_on(view, memory, wanted_elements_).data, static_cast<std::size_t>(length)});
    return true;
  }

  const Run& run_;
  std::span<const CellTarget> wanted_;
  bool lossy_;
  SieveLimits limits_;
  LineCells cells_;
  LineCursor elements_;  ///< the next elements in the file
  LineCursor memory_;    ///< their places in memory
  // The sieve that is being gathered.
  Line first_;
  std::optional<LineCursor> first_element_;
  LineCursor first_memory_;
  std::uint64_t wanted_elements_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t lines_ = 0;
};

/// The elements as slices, for runs that are read record by record.
std::vector<Slice> slices_of(SelectionWalk elements) {
  std::vector<Slice> slices;
  while (const auto line = elements.next()) {
    if (line->step == 1) {
      slices.push_back({line->first, line->count});
    } else {
      for (std::uint64_t i = 0; i < line->count; ++i) slices.push_back({line->first + i * line->step, 1});
    }
  }
  return slices;
}

}  // namespace

struct ElementReader::State {
  const Place& place;
  std::vector<std::vector<CellTarget>> wanted;  ///< for each run, in file order
  SelectionWalk elements;
  MemorySelection memory;
  bool lossy;
  SieveLimits limits;
  std::size_t next = 0;  ///< run
  std::optional<SieveReader> sieves{};

  /// Adds the rest of a run. True if nothing is left.
  [[nodiscard]] bool add(ReadPlan& plan, PlanRoom& room, const Run& run, std::span<const CellTarget> targets);
};

bool ElementReader::State::add(ReadPlan& plan, PlanRoom& room, const Run& run, std::span<const CellTarget> targets) {
  if (is_addressed(run)) {
    if (!sieves) sieves.emplace(run, targets, elements, LineCursor(memory, elements.elements()), lossy, limits);
    if (!sieves->add(plan, room)) return false;
    sieves.reset();
  } else if (memory.is_packed()) {
    add_run(plan, run, slices_of(elements), targets, lossy);
  } else {
    throw Error(ErrorKind::unsupported, "values of this kind are only read into packed memory")
        .on(targets.front().object);
  }
  return true;
}

ElementReader::ElementReader(const Place& place, const SelectionWalk& elements, std::span<const ColumnTarget> columns,
                             const MemorySelection& memory, bool lossy, const SieveLimits& limits)
    : state_(new State{place, targets_by_run(place, columns, values_in(memory, elements.elements())), elements, memory,
                       lossy, limits}) {}

ElementReader::ElementReader(ElementReader&&) noexcept = default;
ElementReader& ElementReader::operator=(ElementReader&&) noexcept = default;
ElementReader::~ElementReader() = default;

bool ElementReader::add(ReadPlan& plan, PlanRoom room) {
  if (state_->elements.elements() == 0) return false;
  for (std::size_t& next = state_->next; next < state_->wanted.size(); ++next) {
    const Run& run = state_->place.runs[next];
    if (state_->wanted[next].empty() || run.opaque) continue;
    if (!state_->add(plan, room, run, state_->wanted[next])) return true;
  }
  return false;
}

}  // namespace quire
