#include <cstring>
#include <string>
#include <utility>

#include "format/element_reader.hpp"
#include "format/element_writer.hpp"
#include "format/records.hpp"
#include "format/records_lines.hpp"
#include "format/records_runs.hpp"
#include "quire/base/error.hpp"

namespace quire {
void check_inside(const Run& run, const Line& line) {
  if (line.first + (line.count - 1) * line.step < run.records) return;
  throw Error(ErrorKind::usage, "the selection ends after the " + std::to_string(run.records) + " records");
}

std::uint64_t values_in(const MemorySelection& memory, std::uint64_t elements) {
  if (memory.is_packed()) return elements;
  memory.selection.check(memory.extents);
  if (memory.selection.elements() == elements) return volume(memory.extents);
  throw Error(ErrorKind::usage, "the selection in memory has " + std::to_string(memory.selection.elements()) +
                                    " elements, the selection in the file " + std::to_string(elements));
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
  ElementReader reader(place, elements, columns, memory, lossy, limits);
  while (reader.add(plan, PlanRoom::unlimited())) {
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
