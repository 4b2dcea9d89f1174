#include "format/records.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "format/records_chunked.hpp"
#include "format/records_columns.hpp"
#include "format/records_fixed.hpp"
#include "format/records_runs.hpp"
#include "format/records_variable.hpp"
#include "format/text/text_decoder.hpp"
#include "format/text/text_encoder.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire {
namespace {

std::string plural(std::uint64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string object_of(std::uint64_t column, const std::string& known) {
  return known.empty() ? "column " + std::to_string(column) : known;
}

void check_rows(const Run& run, const Slice& rows) {
  if (checked_add(rows.first, rows.count) > run.records) {
    throw Error(ErrorKind::usage, "rows " + std::to_string(rows.first) + " to " + std::to_string(rows.end()) +
                                      " are beyond the " + plural(run.records, "row"));
  }
}

void check_count(std::uint64_t values, std::uint64_t rows, const std::string& object) {
  if (values == rows) return;
  throw Error(ErrorKind::usage, "there are " + plural(values, "value") + " for " + plural(rows, "row")).on(object);
}

/// `view`: the rows of the wanted view from `first` on.
TargetColumn target_column(const Run& run, const CellTarget& wanted, const View& view, bool lossy,
                           std::uint64_t first = 0) {
  return {view, run.cells[wanted.cell], {wanted.object, loss_for(lossy)}, wanted.texts, first};
}

/// Adds slices of a run of fixed-size records, into consecutive rows of the views.
void add_fixed(ReadPlan& plan, const Run& run, std::span<const Slice> slices, std::span<const CellTarget> wanted,
               bool lossy) {
  const std::vector<kernels::CellShape> all = cell_shapes(run);
  std::vector<kernels::CellShape> shapes;
  for (const CellTarget& target : wanted) shapes.push_back(all[target.cell]);
  std::uint64_t delivered = 0;
  for (const Slice& slice : slices) {
    const std::uint64_t offset = run.offset + slice.first * run.record_bytes;
    const std::uint64_t length = slice.count * run.record_bytes;
    const View& first = wanted.front().view;
    if (wanted.size() == 1 && is_ready(run, first.type, first.is_contiguous())) {
      plan.add(offset, {part_of(first, delivered, slice.count).data, static_cast<std::size_t>(length)});
    } else {
      std::vector<TargetColumn> columns;
      for (const CellTarget& target : wanted) {
        columns.push_back(target_column(run, target, part_of(target.view, delivered, slice.count), lossy, delivered));
      }
      plan.add(offset, length,
               std::make_shared<FixedDecoder>(kernels::RecordShape(run.record_bytes, shapes), std::move(columns),
                                              slice.count, slice.first));
    }
    delivered += slice.count;
  }
}

/// Adds slices of a run of variable-size records: one extent from the mark before the first to the mark after the last.
void add_variable(ReadPlan& plan, const Run& run, std::span<const Slice> slices, std::vector<WantedColumn> columns) {
  const std::uint64_t run_end = checked_add(run.offset, run.bytes);
  std::uint64_t offset = run.offset;
  std::uint64_t end = run_end;
  VariableExtent extent;
  if (run.marks.every != 0 && !run.marks.offsets.empty()) {
    const std::uint64_t known = run.marks.offsets.size();
    const std::uint64_t begin_mark = std::min(slices.front().first / run.marks.every, known - 1);
    const std::uint64_t end_mark = (slices.back().end() - 1) / run.marks.every + 1;
    extent.first = begin_mark * run.marks.every;
    offset = run.marks.offsets[begin_mark];
    if (end_mark < known) end = run.marks.offsets[end_mark];
  }
  if (offset < run.offset || offset > end || end > run_end) {
    throw Error(ErrorKind::internal, "the marks of a run are outside of it");
  }
  extent.length = end - offset;
  std::vector<Slice> rows(slices.begin(), slices.end());
  std::shared_ptr<Decoder> decoder;
  if (run.text) {
    decoder = std::make_shared<text::TextDecoder>(run, std::move(columns), extent, std::move(rows));
  } else {
    decoder = std::make_shared<VariableDecoder>(VariableShape(run), std::move(columns), extent, std::move(rows));
  }
  plan.add(offset, extent.length, std::move(decoder));
}

void add_slices(ReadPlan& plan, const Place& place, std::span<const Slice> slices, std::uint64_t rows,
                std::span<const ColumnTarget> columns, bool lossy) {
  const auto wanted = targets_by_run(place, columns, rows);
  for (std::size_t i = 0; i < place.runs.size(); ++i) add_run(plan, place.runs[i], slices, wanted[i], lossy);
}

void check_box(const std::vector<std::uint64_t>& extents, const Box& box) {
  bool fits = box.start.size() == extents.size() && box.count.size() == extents.size();
  for (std::size_t axis = 0; fits && axis < extents.size(); ++axis) {
    fits = box.start[axis] <= extents[axis] && box.count[axis] <= extents[axis] - box.start[axis];
  }
  if (!fits) throw Error(ErrorKind::usage, "the box does not lie inside the array");
}

void check_view(const View& view, Type cell, std::uint64_t rows, const std::string& object) {
  check_count(view.count, rows, object);
  if (view.type == Type::string && cell == Type::string && view.strings == nullptr) {
    throw Error(ErrorKind::usage, "there is no memory for the strings").on(object);
  }
}

/// The receiver of texts of a cell of fixed size.
std::shared_ptr<PaddedTexts> texts_for(const Cell& cell, const View& view) {
  if (cell.text_bytes == 0 || view.strings == nullptr) return nullptr;
  return std::make_shared<PaddedTexts>(*view.strings);
}

/// Where rows of a fixed size are.
Extent place_of_rows(const Run& run, std::uint64_t first, std::uint64_t rows) {
  const std::uint64_t begin = checked_multiply(first, run.record_bytes);
  return {checked_add(run.offset, begin), checked_multiply(rows, run.record_bytes)};
}

/// Adds rows of text; returns where they end.
std::uint64_t add_text(WritePlan& plan, const Run& run, std::vector<SourceColumn> columns, const Slice& rows,
                       std::uint64_t position) {
  TextRows text(run, std::move(columns), rows.count, rows.first);
  // The size of all rows together is known already: the run was placed with it.
  const bool is_whole = rows.first == 0 && rows.count == run.records;
  const std::uint64_t length = is_whole ? run.bytes : text.bytes();
  if (length > run.bytes - std::min(position, run.bytes)) {
    throw Error(ErrorKind::usage, "the rows have more bytes as text than were weighed");
  }
  plan.add(checked_add(run.offset, position), length, std::make_shared<TextEncoder>(std::move(text), length));
  return position + length;
}

}  // namespace

std::vector<SourceColumn> source_columns(const Run& run, std::span<const ConstView> views, std::uint64_t values,
                                         bool lossy, std::span<const std::string> objects) {
  if (views.size() != run.cells.size()) {
    throw Error(ErrorKind::usage,
                "there are " + plural(views.size(), "view") + " for " + plural(run.cells.size(), "column"));
  }
  std::vector<SourceColumn> columns;
  columns.reserve(views.size());
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::uint64_t column = run.cells[i].column;
    const std::string object = object_of(column, column < objects.size() ? objects[column] : std::string());
    check_count(views[i].count, values, object);
    columns.emplace_back(views[i], run.cells[i], ColumnRules{object, loss_for(lossy)});
  }
  return columns;
}

bool is_ready(const Run& run, Type view, bool contiguous) {
  if (run.cells.size() != 1 || !contiguous) return false;
  const Type cell = run.cells.front().type;
  if (cell == Type::string) return false;
  return kernels::same_bytes(view, cell) && kernels::code_for(cell, run.order) == kernels::CellCode::copy;
}

kernels::CellShape cell_shape(const Cell& cell, std::size_t offset, ByteOrder order) {
  const bool is_text = cell.type == Type::string;
  return {offset, static_cast<std::size_t>(bytes_of(cell)),
          is_text ? kernels::CellCode::copy : kernels::code_for(cell.type, order)};
}

std::vector<kernels::CellShape> cell_shapes(const Run& run) {
  std::vector<kernels::CellShape> shapes;
  shapes.reserve(run.cells.size());
  std::size_t offset = 0;
  for (const Cell& cell : run.cells) {
    shapes.push_back(cell_shape(cell, offset, run.order));
    offset += shapes.back().size;
  }
  if (offset != run.record_bytes) throw Error(ErrorKind::internal, "a run's record is not the sum of its cells");
  return shapes;
}

namespace {

/// Adds rows of one piece as a run of its own; if the piece is stored cell by cell, as one run for each cell.
void add_rows_of_piece(ReadPlan& plan, const Run& run, const Extent& piece, const Slice& rows,
                       std::span<const CellTarget> wanted, bool lossy) {
  Run alone;
  alone.records = piece.length;
  alone.order = run.order;
  alone.offset = piece.offset;
  if (!run.by_cell) {
    alone.record_bytes = run.record_bytes;
    alone.bytes = alone.records * alone.record_bytes;
    alone.cells = run.cells;
    return add_run(plan, alone, std::span(&rows, 1), wanted, lossy);
  }
  // The bytes of a record before each cell.
  std::vector<std::uint64_t> before(run.cells.size(), 0);
  for (std::size_t c = 1; c < before.size(); ++c) before[c] = before[c - 1] + size_of(run.cells[c - 1].type);
  for (const CellTarget& target : wanted) {
    alone.cells = {run.cells[target.cell]};
    alone.record_bytes = size_of(alone.cells.front().type);
    alone.bytes = alone.records * alone.record_bytes;
    alone.offset = piece.offset + before[target.cell] * alone.records;
    const CellTarget first{0, target.view, target.object, target.texts};
    add_run(plan, alone, std::span(&rows, 1), std::span(&first, 1), lossy);
  }
}

/// Adds slices of a run that is stored in pieces.
void add_pieces(ReadPlan& plan, const Run& run, std::span<const Slice> slices, std::span<const CellTarget> wanted,
                bool lossy) {
  std::uint64_t delivered = 0;
  for (const Slice& slice : slices) {
    auto piece = std::ranges::upper_bound(run.pieces, slice.first, {}, &Piece::first);
    for (std::uint64_t row = slice.first; row < slice.end(); ++piece) {
      const Piece& now = *std::prev(piece);
      const std::uint64_t end = piece == run.pieces.end() ? run.records : piece->first;
      const std::uint64_t count = std::min(end, slice.end()) - row;
      std::vector<CellTarget> targets(wanted.begin(), wanted.end());
      for (CellTarget& target : targets) target.view = part_of(target.view, delivered, count);
      // This extent is not in bytes: it holds the beginning of the piece and its number of records.
      add_rows_of_piece(plan, run, {now.offset, end - now.first}, {row - now.first, count}, targets, lossy);
      delivered += count;
      row += count;
    }
  }
}

}  // namespace

void add_run(ReadPlan& plan, const Run& run, std::span<const Slice> slices, std::span<const CellTarget> wanted,
             bool lossy) {
  if (run.opaque || wanted.empty() || slices.empty()) return;
  for (const Slice& slice : slices) check_rows(run, slice);
  if (!run.pieces.empty()) return add_pieces(plan, run, slices, wanted, lossy);
  if (run.record_bytes != 0 && !run.chunks) return add_fixed(plan, run, slices, wanted, lossy);
  std::vector<WantedColumn> columns;
  for (const CellTarget& target : wanted) {
    columns.push_back({target.cell, target_column(run, target, target.view, lossy)});
  }
  if (run.chunks) {
    add_chunked(plan, run, slices, columns);
  } else {
    add_variable(plan, run, slices, std::move(columns));
  }
}

std::vector<std::vector<CellTarget>> targets_by_run(const Place& place, std::span<const ColumnTarget> columns,
                                                    std::uint64_t rows) {
  // By column number, so that one pass over the cells finds all of them.
  std::vector<std::pair<std::uint64_t, std::size_t>> wanted;
  wanted.reserve(columns.size());
  for (std::size_t i = 0; i < columns.size(); ++i) wanted.emplace_back(columns[i].column, i);
  std::ranges::sort(wanted);
  constexpr auto column_of = [](const auto& entry) { return entry.first; };
  std::vector<bool> found(columns.size(), false);
  std::vector<std::vector<CellTarget>> result(place.runs.size());
  for (std::size_t r = 0; r < place.runs.size(); ++r) {
    const std::vector<Cell>& cells = place.runs[r].cells;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      for (const auto& [column, i] : std::ranges::equal_range(wanted, cells[c].column, {}, column_of)) {
        const std::string object = object_of(column, columns[i].object);
        check_view(columns[i].view, cells[c].type, rows, object);
        result[r].push_back({c, columns[i].view, object, texts_for(cells[c], columns[i].view)});
        found[i] = true;
      }
    }
  }
  const auto missing = static_cast<std::size_t>(std::ranges::find(found, false) - found.begin());
  if (missing < columns.size()) {
    throw Error(ErrorKind::usage, "no run of the table holds this column")
        .on(object_of(columns[missing].column, columns[missing].object));
  }
  return result;
}

std::uint64_t text_bytes(const Run& run, std::span<const ConstView> views, bool lossy,
                         std::span<const std::string> objects) {
  const std::uint64_t rows = views.empty() ? 0 : views.front().count;
  return TextRows(run, source_columns(run, views, rows, lossy, objects), rows, 0).bytes();
}

std::uint64_t add_rows(WritePlan& plan, const Run& run, std::uint64_t first, std::uint64_t rows,
                       std::span<const ConstView> views, std::uint64_t position, bool lossy,
                       std::span<const std::string> objects) {
  check_rows(run, {first, rows});
  const bool is_one = !run.text && run.record_bytes != 0 && views.size() == 1 && views.front().count == rows;
  if (is_one && is_ready(run, views.front().type, views.front().is_contiguous())) {
    const Extent place = place_of_rows(run, first, rows);
    plan.add(place.offset, std::span(views.front().data, static_cast<std::size_t>(place.length)));
    return place.offset + place.length - run.offset;
  }
  std::vector<SourceColumn> columns = source_columns(run, views, rows, lossy, objects);
  if (columns.empty()) return position;
  if (run.text) return add_text(plan, run, std::move(columns), {first, rows}, position);
  if (run.record_bytes != 0) {
    const Extent place = place_of_rows(run, first, rows);
    plan.add(place.offset, place.length,
             std::make_shared<FixedEncoder>(kernels::RecordShape(run.record_bytes, cell_shapes(run)),
                                            std::move(columns), rows, first));
    return place.offset + place.length - run.offset;
  }
  VariableShape shape(run);
  const std::uint64_t length = variable_bytes(shape, columns, rows);
  const std::uint64_t end = checked_add(position, length);
  if (end > run.bytes) {
    throw Error(ErrorKind::usage, "the strings have " + plural(end - run.bytes, "byte") + " more than was declared");
  }
  plan.add(checked_add(run.offset, position), length,
           std::make_shared<VariableEncoder>(std::move(shape), std::move(columns), rows, first));
  return end;
}

void add_rows(ReadPlan& plan, const Place& place, const Slice& rows, std::span<const ColumnTarget> columns,
              bool lossy) {
  const std::span<const Slice> slices(&rows, rows.count == 0 ? 0 : 1);
  add_slices(plan, place, slices, rows.count, columns, lossy);
}

void add_box(ReadPlan& plan, const Place& place, const std::vector<std::uint64_t>& extents, const Box& box,
             std::span<const View> components, bool lossy, const std::string& object) {
  const std::vector<Slice> slices = contiguous_parts(extents, box);
  std::vector<ColumnTarget> columns;
  for (std::size_t i = 0; i < components.size(); ++i) columns.push_back({i, components[i], object});
  add_slices(plan, place, slices, volume(box.count), columns, lossy);
}

std::vector<Slice> contiguous_parts(const std::vector<std::uint64_t>& extents, const Box& box) {
  check_box(extents, box);
  if (volume(box.count) == 0) return {};
  // From the fastest axis on, whole axes form one part. The first axis that is not whole is still contiguous.
  std::size_t axis = extents.size();
  Slice part{0, 1};
  std::uint64_t stride = 1;
  while (axis > 0) {
    --axis;
    part.first += box.start[axis] * stride;
    part.count *= box.count[axis];
    stride = checked_multiply(stride, extents[axis]);
    if (box.count[axis] != extents[axis]) break;
  }
  // Each further outer axis repeats these parts.
  std::vector<Slice> parts{part};
  while (axis > 0) {
    --axis;
    std::vector<Slice> repeated;
    repeated.reserve(parts.size() * box.count[axis]);
    for (std::uint64_t i = 0; i < box.count[axis]; ++i) {
      for (const Slice& inner : parts) repeated.push_back({inner.first + (box.start[axis] + i) * stride, inner.count});
    }
    parts = std::move(repeated);
    stride = checked_multiply(stride, extents[axis]);
  }
  return parts;
}

}  // namespace quire
