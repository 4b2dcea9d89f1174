#include "format/sdds/memory_writer.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "format/records.hpp"
#include "quire/base/error.hpp"
#include "quire/comm/partition.hpp"
#include "support/memory_source.hpp"

namespace quire::test {
namespace {

/// Small and odd, so that records cross the ends of pieces.
constexpr std::size_t piece = 37;
constexpr std::size_t largest_record = 1 << 16;

void encode(Encoder& encoder, std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    // An encoder may need room for a whole record.
    std::size_t made = 0;
    for (std::size_t room = piece; made == 0 && room <= largest_record; room *= 2) {
      made = encoder.encode(done, out.subspan(done, std::min(room, out.size() - done)));
    }
    if (made == 0) throw Error(ErrorKind::internal, "an encoder writes nothing");
    done += made;
  }
}

void decode(Decoder& decoder, std::span<const std::byte> in) {
  std::size_t done = 0;
  std::size_t room = piece;
  while (done < in.size()) {
    const std::size_t used = decoder.decode(done, in.subspan(done, std::min(room, in.size() - done)));
    room = used == 0 ? room * 2 : piece;
    if (used == 0 && room > 2 * in.size() + piece) throw Error(ErrorKind::internal, "a decoder consumes nothing");
    done += used;
  }
}

void read(const ReadPlan& plan, const std::string& bytes) {
  for (const ReadExtent& extent : plan.extents) {
    const auto in = std::as_bytes(std::span(bytes)).subspan(extent.offset, extent.length);
    if (auto* const* ready = std::get_if<std::byte*>(&extent.target)) {
      std::copy(in.begin(), in.end(), *ready);
    } else {
      decode(*std::get<std::shared_ptr<Decoder>>(extent.target), in);
    }
  }
}

/// Appends memory for `count` values of a type and returns a view of it.
View make_room(LoadedStep& step, Type type, std::uint64_t count) {
  auto& numbers = step.numbers.emplace_back(static_cast<std::size_t>(count * size_of(type)));
  auto& strings = step.strings.emplace_back();
  if (type == Type::string) return {strings, count};
  return {type, numbers.data(), count, static_cast<std::ptrdiff_t>(size_of(type))};
}

ConstView view_of(const LoadedStep& step, std::size_t index, Type type, std::uint64_t count) {
  if (type == Type::string) return {step.strings[index]};
  return {type, step.numbers[index].data(), count, static_cast<std::ptrdiff_t>(size_of(type))};
}

std::uint64_t string_bytes(const ConstView& view) {
  std::uint64_t bytes = 0;
  if (view.type != Type::string) return 0;
  for (std::uint64_t i = 0; i < view.count; ++i) bytes += view.text(i).size();
  return bytes;
}

}  // namespace

MemoryWriter::MemoryWriter(const Format& format, int ranks, const Options& options) {
  const CheckedOptions checked(format.write_options, options);
  for (int rank = 0; rank < ranks; ++rank) planners_.push_back(format.plan_writing(checked));
}

void MemoryWriter::set_file(const FileDescription& file) {
  for (auto& planner : planners_) planner->set_file(file);
}

void MemoryWriter::resume(std::string bytes, std::optional<std::int64_t> after, bool drop) {
  bytes_ = std::move(bytes);
  act(planners_.front()->resume(std::make_shared<MemorySource>(bytes_), after, drop));
  const auto state = planners_.front()->state();
  for (std::size_t rank = 1; rank < planners_.size(); ++rank) planners_[rank]->adopt(state);
}

void MemoryWriter::run(const WritePlan& plan) {
  for (const WriteExtent& extent : plan.extents) {
    if (bytes_.size() < extent.offset + extent.length) bytes_.resize(extent.offset + extent.length, '\xee');
    const auto out = std::as_writable_bytes(std::span(bytes_)).subspan(extent.offset, extent.length);
    if (const auto* ready = std::get_if<const std::byte*>(&extent.source)) {
      std::copy_n(*ready, out.size(), out.begin());
    } else {
      encode(*std::get<std::shared_ptr<Encoder>>(extent.source), out);
    }
  }
}

void MemoryWriter::act(const Publication& acts) {
  for (const PublishAct& one : acts) {
    if (const auto* write = std::get_if<PublishWrite>(&one)) {
      if (bytes_.size() < write->offset + write->bytes.size()) bytes_.resize(write->offset + write->bytes.size());
      std::memcpy(bytes_.data() + write->offset, write->bytes.data(), write->bytes.size());
    } else if (const auto* resize = std::get_if<PublishResize>(&one)) {
      bytes_.resize(resize->size);
    }
  }
}

void MemoryWriter::write(std::vector<StepPart> parts, bool publish) {
  std::vector<Measure> measures;
  for (std::size_t rank = 0; rank < planners_.size(); ++rank) {
    parts[rank].description = planners_[rank]->accept(parts[rank].description, false);
    if (const auto* const weigher = planners_[rank]->capabilities().weigher) weigher->weigh(parts[rank], false);
    measures.push_back(planners_[rank]->measure(parts[rank], rank == 0));
  }
  run(planners_.front()->guard(parts.front()));
  Measure total(measures.front().size(), 0);
  for (const Measure& one : measures) {
    for (std::size_t slot = 0; slot < total.size(); ++slot) total[slot] += one.at(slot);
  }
  Measure before(total.size(), 0);
  // Ranks in reverse order: no rank may rely on the bytes of another rank.
  std::vector<WritePlan> plans;
  std::uint64_t end = 0;
  for (std::size_t rank = 0; rank < planners_.size(); ++rank) {
    const Placement placement = planners_[rank]->place(parts[rank], before, total, rank == 0);
    WritePlan& plan = plans.emplace_back(placement.title);
    for (std::size_t t = 0; t < parts[rank].tables.size(); ++t) {
      for (const Run& one : placement.tables[t]) {
        std::vector<ConstView> views;
        for (const Cell& cell : one.cells) views.push_back(parts[rank].tables[t][cell.column]);
        add_rows(plan, one, 0, one.records, views, 0);
      }
    }
    for (std::size_t f = 0; f < parts[rank].fields.size(); ++f) {
      const FieldPart& part = parts[rank].fields[f];
      const SelectionWalk walk(parts[rank].description.fields[f].extents, part.selection);
      for (const Run& one : placement.fields[f]) {
        add_selection(plan, one, walk, part.views[static_cast<std::size_t>(one.cells.front().column)], part.memory);
      }
    }
    coalesce(plan);
    for (std::size_t slot = 0; slot < total.size(); ++slot) before[slot] += measures[rank][slot];
    end = placement.end;
  }
  for (auto plan = plans.rbegin(); plan != plans.rend(); ++plan) run(*plan);
  if (publish) act(planners_.front()->publish(parts.front(), total));
  for (std::size_t rank = 0; rank < planners_.size(); ++rank) {
    planners_[rank]->advance(parts[rank], total, publish);
    if (publish && planners_[rank]->published_size() != end)
      throw Error(ErrorKind::internal, "ranks disagree on the end");
  }
}

std::string MemoryWriter::finish() {
  act(planners_.front()->finish());
  return bytes_;
}

LoadedStep load(const StepLayout& layout, const std::string& bytes) {
  LoadedStep step;
  step.description = layout.description;
  ReadPlan plan;
  // Views point into these vectors, so they must not grow after the first view.
  std::size_t objects = layout.description.fields.size();
  for (const Table& table : layout.description.tables) objects += table.columns.size();
  step.numbers.reserve(objects);
  step.strings.reserve(objects);
  for (std::size_t t = 0; t < layout.tables.size(); ++t) {
    const Table& table = layout.description.tables[t];
    std::vector<ColumnTarget> targets;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      targets.push_back({c, make_room(step, table.columns[c].type, table.rows)});
    }
    add_rows(plan, layout.tables[t], {0, table.rows}, targets, false);
  }
  for (std::size_t f = 0; f < layout.fields.size(); ++f) {
    const Field& field = layout.description.fields[f];
    const View view = make_room(step, field.type, layout.fields[f].runs.front().records);
    add_box(plan, layout.fields[f], field.extents, whole(field.extents), std::span(&view, 1), false);
  }
  read(plan, bytes);
  return step;
}

Rows read_rows(const StepLayout& layout, const std::string& bytes, const Slice& rows) {
  Rows found;
  found.numbers.resize(static_cast<std::size_t>(rows.count));
  const std::vector<ColumnTarget> targets{{0, View(found.numbers)}, {1, View(found.texts, rows.count)}};
  ReadPlan plan;
  add_rows(plan, layout.tables.front(), rows, targets, false);
  read(plan, bytes);
  return found;
}

StepPart part_of(const LoadedStep& step, int rank, int ranks) {
  StepPart part;
  part.description = step.description;
  std::size_t object = 0;
  for (Table& table : part.description.tables) {
    const Slice mine = even_slice(table.rows, rank, ranks);
    auto& views = part.tables.emplace_back();
    auto& lengths = part.string_bytes.emplace_back();
    for (const Column& column : table.columns) {
      views.push_back(view_of(step, object++, column.type, table.rows).part(mine.first, mine.count));
      lengths.push_back(string_bytes(views.back()));
    }
    table.rows = mine.count;
  }
  for (const Field& field : step.description.fields) {
    FieldPart& mine = part.fields.emplace_back();
    Box box = whole(field.extents);
    const bool is_empty = std::find(field.extents.begin(), field.extents.end(), 0) != field.extents.end();
    const std::uint64_t all = is_empty ? 0 : volume(field.extents);
    Slice slice{0, rank == 0 ? field.extents.front() : 0};
    if (field.type != Type::string) slice = even_slice(field.extents.front(), rank, ranks);
    box.start.front() = slice.first;
    box.count.front() = slice.count;
    mine.selection = std::move(box);
    const std::uint64_t each = all == 0 ? 0 : all / field.extents.front();
    mine.views.push_back(view_of(step, object++, field.type, all).part(slice.first * each, slice.count * each));
  }
  return part;
}

}  // namespace quire::test
