#include "quire/capi/tools.h"

#include <algorithm>
#include <utility>

#include "capi/arguments.hpp"
#include "capi/handle.hpp"
#include "quire/comm/partition.hpp"
#include "quire/model/units.hpp"

namespace {

using namespace quire::capi;

/// A share of rows, for valid ranks.
quire_status share(int rank, int size, const std::function<quire::Slice()>& of, uint64_t* first,
                   uint64_t* count) noexcept {
  return guarded([&] {
    if (size < 1 || rank < 0 || rank >= size) throw usage("the rank does not exist");
    const quire::Slice mine = of();
    place(first, "the first row") = mine.first;
    place(count, "the number of rows") = mine.count;
  });
}

/// Collective. The communicator of the file, once all ranks have valid boxes.
quire::Comm& comm_for_boxes(quire_file& file, const std::function<void()>& make_box) {
  if (file.reader) file.reader->synchronize();
  quire::Comm& comm = file.writer ? file.writer->comm() : reader_of(file).comm();
  quire::agree(comm, quire::caught(make_box));
  return comm;
}

quire::Box box_of(std::uint64_t axes, const std::uint64_t* start, const std::uint64_t* count) {
  return {copy_of(start, axes, "the starts"), copy_of(count, axes, "the counts")};
}

}  // namespace

extern "C" {

quire_status quire_even_slice(uint64_t rows, int rank, int size, uint64_t* first, uint64_t* count) {
  return share(
      rank, size, [&] { return quire::even_slice(rows, rank, size); }, first, count);
}

quire_status quire_slice_without_root(uint64_t rows, int rank, int size, uint64_t* first, uint64_t* count) {
  return share(
      rank, size, [&] { return quire::slice_without_root(rows, rank, size); }, first, count);
}

quire_status quire_weighted_slice(uint64_t rows, int rank, int size, const double* weights, uint64_t* first,
                                  uint64_t* count) {
  return share(
      rank, size,
      [&] { return quire::weighted_slice(rows, rank, list(weights, static_cast<std::uint64_t>(size), "the weights")); },
      first, count);
}

quire_status quire_make_disjoint(quire_file* file, uint64_t axes, uint64_t* start, uint64_t* count) {
  return guarded(file, [&] {
    quire::Box mine;
    quire::Comm& comm = comm_for_boxes(*file, [&] { mine = box_of(axes, start, count); });
    const quire::Box cut = quire::disjoint_box(comm, mine);
    std::ranges::copy(cut.start, start);
    std::ranges::copy(cut.count, count);
  });
}

quire_status quire_require_disjoint(quire_file* file, uint64_t axes, const uint64_t* start, const uint64_t* count) {
  return guarded(file, [&] {
    quire::Box mine;
    quire::Comm& comm = comm_for_boxes(*file, [&] { mine = box_of(axes, start, count); });
    quire::require_disjoint(comm, mine);
  });
}

quire_status quire_set_grid_part(quire_file* file, uint64_t axes, const uint64_t* grid, const uint64_t* block,
                                 const uint64_t* halo, quire_placement placement) {
  return guarded_in_step(file, [&] {
    file->chosen.box.reset();
    file->chosen.elements.reset();
    if (placement != QUIRE_NATURAL && placement != QUIRE_COMPATIBLE) throw usage("the placement is unknown");
    const quire::Comm& comm = file->writer ? file->writer->comm() : reader_of(*file).comm();
    const auto around = halo != nullptr ? std::vector(halo, halo + axes) : std::vector<std::uint64_t>();
    const auto kind = placement == QUIRE_COMPATIBLE ? quire::GridPlacement::compatible : quire::GridPlacement::natural;
    const quire::GridPart part =
        quire::grid_part(comm.rank(), copy_of(grid, axes, "the grid"), copy_of(block, axes, "the block"), around, kind);
    file->chosen.extents = part.extents;
    file->chosen.elements = part.box;
    file->chosen.box = part.box;
    file->chosen.memory = part.memory;
  });
}

quire_status quire_get_unit_scale(const char* unit, const char* wanted, double* factor, int* divides) {
  return guarded([&] {
    const quire::UnitScale scale = quire::scale_between(not_null(unit, "the unit"), not_null(wanted, "the unit"));
    place(factor, "the factor") = scale.factor;
    place(divides, "the kind of the conversion") = scale.divides ? 1 : 0;
  });
}

quire_status quire_check(quire_file* file, quire_check_report* report, uint64_t size) {
  return guarded(file, [&] {
    reader_of(*file).synchronize();
    quire::agree(reader_of(*file).comm(), quire::caught([&] { fill_in(quire_check_report{}, report, size); }));
    quire_file::Checked& checked = file->checked.emplace(quire_file::Checked{reader_of(*file).check(), {}, {}, {}});
    const quire::CheckReport& found = checked.report;
    for (const quire::DamagedStep& step : found.damaged) {
      checked.damaged.push_back(step.number);
      checked.damages.push_back(step.damage.what());
    }
    for (const std::string& warning : found.warnings) checked.warnings.push_back(warning.c_str());
    quire_check_report known = {};
    known.whole_steps = found.whole_steps;
    known.steps = found.numbers.size();
    known.numbers = found.numbers.data();
    known.is_damaged = found.damage || !found.damaged.empty() ? 1 : 0;
    known.damage = found.damage ? found.damage->what() : "";
    known.damaged_steps = checked.damaged.size();
    known.damaged = checked.damaged.data();
    known.damages = checked.damages.data();
    known.is_salvageable = found.salvageable ? 1 : 0;
    known.is_changed = found.is_changed ? 1 : 0;
    known.is_undecoded = found.is_undecoded ? 1 : 0;
    known.is_being_written = found.is_being_written ? 1 : 0;
    known.warnings = checked.warnings.size();
    known.sentences = checked.warnings.data();
    fill_in(known, report, size);
  });
}

quire_status quire_repair(const char* path, uint64_t steps, const int64_t* dropped, const quire_options* options,
                          int* changed, quire_file** file) {
  return repair(
      path, [&] { return copy_of(dropped, steps, "the numbers of steps"); }, only_process, options, changed, file);
}

quire_status quire_lock(const char* path, const quire_options* options, quire_file** file) {
  return lock(path, only_process, options, file);
}

}  // extern "C"
