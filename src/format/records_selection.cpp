#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "format/records_fixed.hpp"
#include "format/records_lines.hpp"
#include "format/records_runs.hpp"
#include "quire/base/checked.hpp"
#include "quire/base/error.hpp"
#include "quire/format/element_writer.hpp"
#include "quire/format/records.hpp"

namespace quire {
namespace {

kernels::Loss loss_for(bool lossy) { return lossy ? kernels::Loss::allowed : kernels::Loss::refused; }

void check_inside(const Run& run, const Line& line) {
  if (line.first + (line.count - 1) * line.step < run.records) return;
  throw Error(ErrorKind::usage, "the selection ends behind the " + std::to_string(run.records) + " records");
}

bool is_contiguous(const View& view, const Line& line) { return view.is_contiguous() && line.step == 1; }

/// Every `line.step`-th value of a view.
template <class AnyView>
AnyView part_on(const AnyView& view, const Line& line, std::uint64_t count) {
  return AnyView(view.type, view.data + static_cast<std::ptrdiff_t>(line.first) * view.stride, count,
                 view.stride * static_cast<std::ptrdiff_t>(line.step));
}

/// Reads elements of one run: gathers what lies close together into sieves.
class SieveReader {
 public:
  SieveReader(ReadPlan& plan, const Run& run, std::span<const CellTarget> wanted, bool lossy, const SieveLimits& limits)
      : plan_(plan), run_(run), wanted_(wanted), lossy_(lossy), limits_(limits) {
    const std::vector<kernels::CellShape> all = cell_shapes(run);
    cells_.record_bytes = static_cast<std::size_t>(run.record_bytes);
    for (const CellTarget& target : wanted) cells_.shapes.push_back(all[target.cell]);
  }

  void read(const SelectionWalk& elements, LineCursor memory) {
    LineCursor file(elements);
    while (file.rest().count > 0) {
      Line line = file.rest();
      check_inside(run_, line);
      const std::uint64_t record = run_.record_bytes;
      // A line with wide gaps goes element by element.
      const bool is_whole = line.step == 1 || limits_.allow((line.step - 1) * record, record, line.step * record);
      if (!is_whole) line.count = 1;
      if (!joins(line)) {
        finish();
        begin(line, file, memory);
      }
      wanted_elements_ += line.count;
      end_ = line.first + (line.count - 1) * line.step + 1;
      ++lines_;
      file.skip(line.count);
      skip(memory, line.count);
    }
    finish();
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

  void begin(const Line& line, const LineCursor& file, const LineCursor& memory) {
    first_ = line;
    file_ = file;
    memory_ = memory;
  }

  void finish() {
    if (wanted_elements_ == 0) return;
    const std::uint64_t offset = run_.offset + first_.first * run_.record_bytes;
    const std::uint64_t length = (end_ - first_.first) * run_.record_bytes;
    if (!add_ready(offset, length)) {
      std::vector<TargetColumn> columns;
      for (const CellTarget& target : wanted_) {
        columns.emplace_back(target.view, run_.cells[target.cell].type, ColumnRules{target.object, loss_for(lossy_)});
      }
      LineCursor file = lines_ == 1 ? LineCursor(first_) : *file_;
      plan_.add(offset, length,
                std::make_shared<LineDecoder>(cells_, std::move(columns), std::move(file), *memory_, wanted_elements_));
    }
    wanted_elements_ = 0;
    lines_ = 0;
  }

  /// Contiguous bytes that are those of contiguous memory go straight there.
  [[nodiscard]] bool add_ready(std::uint64_t offset, std::uint64_t length) {
    const Line& memory = memory_->rest();
    if (lines_ != 1 || wanted_.size() != 1 || (first_.step != 1 && first_.count > 1)) return false;
    const View& view = wanted_.front().view;
    const bool contiguous = wanted_elements_ == 1 || is_contiguous(view, memory);
    if (memory.count < wanted_elements_ || !is_ready(run_, view.type, contiguous)) return false;
    plan_.add(offset, {part_on(view, memory, wanted_elements_).data, static_cast<std::size_t>(length)});
    return true;
  }

  static void skip(LineCursor& cursor, std::uint64_t count) {
    while (count > 0) {
      const std::uint64_t step = std::min(count, cursor.rest().count);
      cursor.skip(step);
      count -= step;
    }
  }

  ReadPlan& plan_;
  const Run& run_;
  std::span<const CellTarget> wanted_;
  bool lossy_;
  SieveLimits limits_;
  LineCells cells_;
  // The sieve that is being gathered.
  Line first_;
  std::optional<LineCursor> file_;
  std::optional<LineCursor> memory_;
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

std::uint64_t values_in(const MemorySelection& memory, std::uint64_t elements) {
  if (memory.is_packed()) return elements;
  memory.selection.check(memory.extents);
  if (memory.selection.elements() == elements) return volume(memory.extents);
  throw Error(ErrorKind::usage, "the selection in memory has " + std::to_string(memory.selection.elements()) +
                                    " elements where there are " + std::to_string(elements));
}

bool is_addressed(const Run& run) noexcept {
  return run.record_bytes != 0 && !run.opaque && !run.chunks && run.pieces.empty();
}

void add_selection(WritePlan& plan, const Run& run, const SelectionWalk& elements, const ConstView& view,
                   const MemorySelection& memory, bool lossy, const std::string& object) {
  if (elements.elements() == 0) return;
  const std::vector<std::string> names(static_cast<std::size_t>(run.cells.front().column) + 1, object);
  if (!is_addressed(run)) {
    if (!memory.is_packed()) throw Error(ErrorKind::internal, "values of this kind must be packed").on(object);
    add_rows(plan, run, 0, run.records, std::span(&view, 1), 0, lossy, names);
    return;
  }
  PlanRoom all = PlanRoom::unlimited();
  const std::vector<ElementPiece> pieces = ElementPieces(elements, 1, run.record_bytes).next(all);
  ElementWriter(run, {.views = {view}, .memory = memory}, elements.elements(), lossy, names).add(plan, pieces);
}

void add_selection(ReadPlan& plan, const Place& place, const SelectionWalk& elements,
                   std::span<const ColumnTarget> columns, const MemorySelection& memory, bool lossy,
                   const SieveLimits& limits) {
  auto wanted = targets_by_run(place, columns, values_in(memory, elements.elements()));
  if (elements.elements() == 0) return;
  for (std::size_t i = 0; i < place.runs.size(); ++i) {
    const Run& run = place.runs[i];
    if (wanted[i].empty() || run.opaque) continue;
    // In file order: neighbours then make one tile.
    std::ranges::stable_sort(wanted[i], {}, &CellTarget::cell);
    if (is_addressed(run)) {
      SieveReader(plan, run, wanted[i], lossy, limits).read(elements, LineCursor(memory, elements.elements()));
    } else if (memory.is_packed()) {
      add_run(plan, run, slices_of(elements), wanted[i], lossy);
    } else {
      throw Error(ErrorKind::unsupported, "values of this kind are only read into packed memory")
          .on(wanted[i].front().object);
    }
  }
}

void pack_memory(const MemorySelection& memory, const ConstView& source, const View& packed) {
  LineCursor cursor(memory, packed.count);
  for (std::uint64_t done = 0; done < packed.count;) {
    const Line line = cursor.rest();
    for (std::uint64_t i = 0; i < line.count; ++i) {
      std::memcpy(packed.data + static_cast<std::ptrdiff_t>(done + i) * packed.stride,
                  source.data + static_cast<std::ptrdiff_t>(line.first + i * line.step) * source.stride,
                  size_of(source.type));
    }
    cursor.skip(line.count);
    done += line.count;
  }
}

void unpack_memory(const MemorySelection& memory, const ConstView& packed, const View& target) {
  LineCursor cursor(memory, packed.count);
  for (std::uint64_t done = 0; done < packed.count;) {
    const Line line = cursor.rest();
    for (std::uint64_t i = 0; i < line.count; ++i) {
      std::memcpy(target.data + static_cast<std::ptrdiff_t>(line.first + i * line.step) * target.stride,
                  packed.data + static_cast<std::ptrdiff_t>(done + i) * packed.stride, size_of(target.type));
    }
    cursor.skip(line.count);
    done += line.count;
  }
}

}  // namespace quire
