#include <algorithm>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

#include "api/read/reader_state.hpp"
#include "api/read/row_order.hpp"
#include "api/root.hpp"
#include "base/stopwatch.hpp"
#include "base/system_memory.hpp"
#include "format/element_reader.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/format/describer_capabilities.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire {
namespace {

/// The columns that the format itself must read: those in opaque runs.
std::unordered_set<std::uint64_t> opaque_columns(const Place& place) {
  std::unordered_set<std::uint64_t> columns;
  for (const Run& run : place.runs) {
    if (!run.opaque) continue;
    for (const Cell& cell : run.cells) columns.insert(cell.column);
  }
  return columns;
}

/// In a set of files an offset is an address.
void name_member(const std::vector<std::string>& members, Location& location) {
  const auto member = static_cast<std::size_t>(member_of(location.offset));
  if (member >= members.size()) return;
  location.offset = offset_in(location.offset);
  if (member > 0) location.member = members[member];
}

/// Where the values of a column, or of a component of a field, are stored.
Location location_of(const Reader::State& reader, const Place& place, std::uint64_t column, std::uint64_t values) {
  Location location;
  location.values = values;
  std::size_t runs = 0;
  for (const Run& run : place.runs) {
    const auto cell = std::ranges::find(run.cells, column, &Cell::column);
    if (cell == run.cells.end()) continue;
    ++runs;
    location.path = run.is_part ? std::string() : run.path;
    location.type = cell->type;
    location.order = run.order;
    location.offset = run.offset;
    name_member(reader.file.members, location);
    if (run.chunks) location.chunk = run.chunks->shape;
    const bool is_plain = !run.opaque && !run.text && !run.chunks && run.pieces.empty() && run.cells.size() == 1 &&
                          cell->type != Type::string;
    location.contiguous = is_plain && runs == 1 && run.record_bytes == size_of(cell->type) && run.records == values;
  }
  return location;
}

/// Adds the next reads of this rank to a plan; returns false after the last.
using NextReads = std::function<bool(ReadPlan&)>;

/// How the plans of a request are executed.
struct Execution {
  bool is_joint = false;    ///< in the same calls of the transport as those of the other ranks
  bool is_cut_off = false;  ///< other ranks have left these calls: no agreement with them is possible
};

/// Plans the reads of this rank and runs them, plan after plan. In a joint execution with a collective transport, all
/// ranks take part as long as one of them continues with reads that need the collective: ranks that have no more, or
/// cannot plan, with an empty plan.
void run_planned(Reader::State& reader, Execution& execution, const std::function<NextReads()>& begin) {
  Transport& transport = *reader.transport;
  NextReads next;
  const auto make_plan = [&] {
    const Stopwatch watch(reader.timing.plan);
    if (!next) next = begin();
    ReadPlan plan = reader.new_plan();
    plan.goes_on = next(plan);
    coalesce(plan);
    return plan;
  };
  std::optional<Error> error;
  bool is_joint = execution.is_joint && transport.is_collective();
  for (bool goes_on = true; goes_on || is_joint;) {
    ReadPlan plan;
    if (goes_on) error = caught([&] { plan = make_plan(); });
    if (error && !is_joint) break;
    if (error) plan = {};
    const auto failure = caught([&] { is_joint ? transport.run(plan) : transport.run_alone(plan); });
    if (failure && (failure->kind() == ErrorKind::aborted || failure->kind() == ErrorKind::deadline)) {
      execution.is_cut_off = true;
      throw Error(error ? *error : *failure);
    }
    if (!error) error = failure;
    goes_on = plan.goes_on && !error;
    is_joint = is_joint && transport.comes_again();
  }
  if (error) throw Error(*error);
}

/// Independent. Executes a request of this rank by `read`.
void read_alone(Reader::State& reader, const std::function<void(Execution&)>& read) {
  require_open(reader);
  in_file(reader, [&] {
    Execution execution;
    read(execution);
  });
}

/// Collective. Executes the requests of all ranks by `read`, and agrees on their errors.
void read_together(Reader::State& reader, const std::function<void(Execution&)>& read) {
  require_open(reader);
  in_file(reader, [&] {
    Execution execution{.is_joint = true};
    const auto error = caught(reader.comm.rank(), [&] { read(execution); });
    if (error && execution.is_cut_off) throw Error(*error);
    agree(reader.comm, error);
  });
}

/// Reads elements by as many plans as they need.
NextReads next_elements(ElementReader elements) {
  const auto reader = std::make_shared<ElementReader>(std::move(elements));
  return [reader](ReadPlan& plan) { return reader->add(plan); };
}

void check_rows(const Table& table, const Slice& rows) {
  if (rows.first <= table.rows && rows.count <= table.rows - rows.first) return;
  throw Error(ErrorKind::usage, "rows " + std::to_string(rows.first) + " to " + std::to_string(rows.end()) +
                                    " are not inside the table's " + std::to_string(table.rows))
      .on(table.name);
}

/// The requested columns, with memory for `rows` rows.
std::vector<ColumnTarget> targets_of(const ReadStep::State& step, std::size_t table, std::uint64_t rows,
                                     const std::vector<ReadColumn>& columns) {
  std::vector<ColumnTarget> targets;
  targets.reserve(columns.size());
  for (const ReadColumn& column : columns) {
    if (column.out.count != rows) {
      throw Error(ErrorKind::usage, "the memory holds a different number of values than requested").on(column.name);
    }
    // Only strings get their memory here, at least one offset for each.
    if (column.out.type == Type::string) require_memory(checked_multiply(rows, sizeof(std::uint64_t)), column.name);
    targets.push_back({step.find_column(table, column.name), column.out, column.name});
  }
  return targets;
}

/// The name by which the format identifies a column that only it can read.
std::string object_of(const Table& table, const std::string& column) {
  return table.name.empty() ? column : table.name + "/" + column;
}

/// Rows of an opaque column, slice by slice.
void read_opaque_rows(OpaqueReader& opaque, std::uint64_t step, const ReadColumn& column, SelectionWalk rows) {
  std::uint64_t done = 0;
  const auto read = [&](const Slice& slice) {
    View part = column.out;
    part.count = slice.count;
    if (part.type != Type::string) part.data += static_cast<std::ptrdiff_t>(done) * part.stride;
    opaque.read_opaque(step, column.name, 0, slice, part);
    done += slice.count;
  };
  while (const auto line = rows.next()) {
    if (line->step == 1) {
      read({line->first, line->count});
    } else {
      for (std::uint64_t i = 0; i < line->count; ++i) read({line->first + i * line->step, 1});
    }
  }
}

/// Contiguous memory for the values of all components of a field.
struct PackedComponents {
  std::vector<std::vector<std::byte>> memory;
  std::vector<View> views;

  PackedComponents(const std::vector<View>& like, std::uint64_t elements, std::uint64_t budget,
                   const std::string& field) {
    for (const View& view : like) {
      const std::uint64_t bytes = checked_multiply(elements, size_of(view.type));
      if (bytes > budget) {
        throw Error(ErrorKind::memory, "the values of a component exceed the memory budget")
            .on(field)
            .advise("read the field in parts, or raise the budget");
      }
      auto& own = memory.emplace_back(static_cast<std::size_t>(bytes));
      views.emplace_back(view.type, own.data(), elements, static_cast<std::ptrdiff_t>(size_of(view.type)));
    }
  }
};

/// Throws usage errors unless the memory has space for the elements. Strings have no fixed places in memory.
void check_memory(const MemorySelection& memory, std::uint64_t elements, const std::vector<View>& components,
                  const std::string& field) {
  memory.selection.check(memory.extents);
  for (const View& view : components) {
    if (view.type == Type::string) throw Error(ErrorKind::unsupported, "strings must be packed in memory").on(field);
    if (memory.selection.elements() == elements && view.count == volume(memory.extents)) continue;
    throw Error(ErrorKind::usage, "the memory does not have the requested number of elements").on(field);
  }
}

ConstView looked_at(const View& view) { return {view.type, view.data, view.count, view.stride}; }

/// Reads a selection of one component that only the format itself can read, slice by slice: each covers as many lines
/// of the selection as fit into the memory budget.
class OpaqueReading {
 public:
  using Read = std::function<void(const Slice& elements, const View& out)>;
  OpaqueReading(Read read, View out, std::uint64_t budget)
      : read_(std::move(read)),
        out_(out),
        width_(size_of(out.type)),
        most_(std::max<std::uint64_t>(budget / width_, 1)) {}

  void run(SelectionWalk walk) {
    while (auto line = walk.next()) {
      const bool is_whole = line->count == out_.count && (line->step == 1 || line->count == 1);
      // A library cannot put values between other values of the caller without a buffer.
      if (is_whole && (out_.is_contiguous() || out_.count <= most_)) return read_({line->first, line->count}, out_);
      while (line->count > 0) {
        const std::uint64_t count = fitting(*line);
        if (count == 0) {
          deliver();
          continue;
        }
        const std::uint64_t last = line->first + (count - 1) * line->step;
        if (lines_.empty()) cover_.first = line->first;
        cover_.count = last + 1 - cover_.first;
        lines_.push_back({line->first, line->step, count});
        line->first += count * line->step;
        line->count -= count;
      }
    }
    deliver();
  }

 private:
  /// The number of elements of a line that fit into the slice, at least one if it is empty.
  [[nodiscard]] std::uint64_t fitting(const Line& line) const {
    const std::uint64_t before = lines_.empty() ? 0 : line.first - cover_.first;
    if (before >= most_) return 0;
    return std::min(line.count, (most_ - 1 - before) / std::max<std::uint64_t>(line.step, 1) + 1);
  }

  void deliver() {
    if (lines_.empty()) return;
    memory_.resize(static_cast<std::size_t>(cover_.count * width_));
    read_(cover_, View(out_.type, memory_.data(), cover_.count, static_cast<std::ptrdiff_t>(width_)));
    for (const Line& line : lines_) {
      for (std::uint64_t i = 0; i < line.count; ++i, ++done_) {
        const std::uint64_t place = line.first + i * line.step - cover_.first;
        std::memcpy(out_.data + static_cast<std::ptrdiff_t>(done_) * out_.stride, memory_.data() + place * width_,
                    static_cast<std::size_t>(width_));
      }
    }
    lines_.clear();
  }

  Read read_;
  View out_;
  std::uint64_t width_;
  std::uint64_t most_;  ///< elements of a slice
  Slice cover_;
  std::vector<Line> lines_;
  std::vector<std::byte> memory_;
  std::uint64_t done_ = 0;
};

void read_opaque_field(Reader::State& reader, OpaqueReader& opaque, std::uint64_t step, const Field& field,
                       std::uint64_t component, const Selection& selection, const View& out) {
  const auto read = [&](const Slice& elements, const View& part) {
    opaque.read_opaque(step, field.name, component, elements, part);
  };
  if (out.type == Type::string) {
    const std::uint64_t elements = volume(field.extents);
    if (selection.elements() == elements) return read({0, elements}, out);
    throw Error(ErrorKind::unsupported, "only the whole of this field can be read").on(field.name);
  }
  OpaqueReading(read, out, reader.options.memory_budget).run(SelectionWalk(field.extents, selection));
}

void read_slice(const ReadStep::State& step, Execution& execution, const std::string& table, const Slice& rows,
                const std::vector<ReadColumn>& columns) {
  Reader::State& reader = *step.reader;
  const std::vector<Table>& tables = step.layout.description.tables;
  std::vector<ColumnTarget> targets;
  std::size_t index = 0;
  run_planned(reader, execution, [&]() -> NextReads {
    index = step.find_table(table);
    check_rows(tables[index], rows);
    targets = targets_of(step, index, rows.count, columns);
    return [&](ReadPlan& plan) {
      add_rows(plan, step.whole().tables[index], rows, targets, reader.options.lossy);
      return false;
    };
  });
  const auto opaque = opaque_columns(step.whole().tables[index]);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!opaque.contains(targets[c].column)) continue;
    const std::string object = object_of(tables[index], columns[c].name);
    step.opaque_reader().read_opaque(step.index, object, 0, rows, columns[c].out);
  }
}

void read_selected(const ReadStep::State& step, Execution& execution, const std::string& table,
                   const RowSelection& rows, const std::vector<ReadColumn>& columns) {
  Reader::State& reader = *step.reader;
  const std::vector<Table>& tables = step.layout.description.tables;
  std::optional<RowOrder> order;
  std::vector<ReadColumn> ordered;
  std::size_t index = 0;
  run_planned(reader, execution, [&] {
    index = step.find_table(table);
    static_cast<void>(targets_of(step, index, rows.count(), columns));
    order.emplace(rows, tables[index].rows);
    ordered = order->columns_in_file_order(columns);
    return next_elements({step.whole().tables[index],
                          order->walk(),
                          targets_of(step, index, order->walk().elements(), ordered),
                          {},
                          reader.options.lossy,
                          reader.options.sieve});
  });
  const auto opaque = opaque_columns(step.whole().tables[index]);
  for (const ReadColumn& column : ordered) {
    if (!opaque.contains(step.find_column(index, column.name))) continue;
    read_opaque_rows(step.opaque_reader(), step.index, {object_of(tables[index], column.name), column.out},
                     order->walk());
  }
  order->deliver(columns);
}

void read_field_selection(const ReadStep::State& step, Execution& execution, const std::string& field,
                          const Selection& selection, const std::vector<View>& components,
                          const MemorySelection& memory) {
  Reader::State& reader = *step.reader;
  const std::vector<Field>& fields = step.layout.description.fields;
  std::optional<PackedComponents> packed;
  std::size_t index = 0;
  run_planned(reader, execution, [&] {
    index = step.find_field(field);
    const Field& source = fields[index];
    const Place& place = step.layout.fields[index];
    if (components.size() != source.components) {
      throw Error(ErrorKind::usage, "the field has " + std::to_string(source.components) + " components").on(field);
    }
    const SelectionWalk walk(source.extents, selection);
    if (!memory.is_packed() && !std::ranges::all_of(place.runs, is_addressed)) {
      check_memory(memory, walk.elements(), components, field);
      packed.emplace(components, walk.elements(), reader.options.memory_budget, field);
    }
    std::vector<ColumnTarget> targets;
    for (std::size_t c = 0; c < components.size(); ++c) {
      targets.push_back({c, packed ? packed->views[c] : components[c], field});
    }
    return next_elements(
        {place, walk, targets, packed ? MemorySelection{} : memory, reader.options.lossy, reader.options.sieve});
  });
  const auto opaque = opaque_columns(step.layout.fields[index]);
  for (std::uint64_t c = 0; c < components.size(); ++c) {
    const View& out = packed ? packed->views[c] : components[c];
    if (opaque.contains(c) && out.count > 0) {
      read_opaque_field(reader, step.opaque_reader(), step.index, fields[index], c, selection, out);
    }
    if (packed) unpack_memory(memory, looked_at(out), components[c]);
  }
}

/// A layout without data: a run of no records for each table and component.
StepLayout empty_layout(const StepDescription& step) {
  StepLayout layout{.description = step, .tables = {}, .fields = {}};
  for (const Table& table : step.tables) {
    Run& run = layout.tables.emplace_back().runs.emplace_back();
    for (std::size_t i = 0; i < table.columns.size(); ++i) run.cells.push_back({i, table.columns[i].type});
  }
  for (const Field& field : step.fields) {
    Run run;
    run.cells.push_back({0, field.type});
    layout.fields.push_back({std::vector<Run>(static_cast<std::size_t>(field.components), run)});
  }
  return layout;
}

}  // namespace

ReadStep::ReadStep(std::shared_ptr<const State> state) : state_(std::move(state)) {}

std::optional<ReadStep> Reader::declared() const {
  if (!state_->file.declared) return std::nullopt;
  return ReadStep(std::make_shared<ReadStep::State>(
      ReadStep::State{state_, 0, empty_layout(*state_->file.declared), state_->next_serial()}));
}

std::int64_t ReadStep::number() const { return state_->layout.description.number; }

const StepDescription& ReadStep::description() const { return state_->layout.description; }

bool ReadStep::has_attribute(const std::string& name) const {
  return std::ranges::any_of(description().attributes, [&](const Attribute& a) { return a.name == name; });
}

const Attribute& ReadStep::attribute(const std::string& name) const {
  std::vector<std::string> names;
  for (const Attribute& attribute : description().attributes) {
    if (attribute.name == name) return attribute;
    names.push_back(attribute.name);
  }
  throw state_->reader->placed(Error(ErrorKind::missing, "step " + std::to_string(number()) + " has no attribute \"" +
                                                             name + "\"" + nearest_names(name, names)));
}

void ReadStep::read(const std::string& table, const Slice& rows, std::vector<ReadColumn> columns) const {
  read_alone(*state_->reader, [&](Execution& execution) { read_slice(*state_, execution, table, rows, columns); });
}

void ReadStep::read(const std::string& table, const RowSelection& rows, std::vector<ReadColumn> columns) const {
  read_alone(*state_->reader, [&](Execution& execution) { read_selected(*state_, execution, table, rows, columns); });
}

void ReadStep::read_field(const std::string& field, const Selection& selection, std::vector<View> components,
                          const MemorySelection& memory) const {
  read_alone(*state_->reader, [&](Execution& execution) {
    read_field_selection(*state_, execution, field, selection, components, memory);
  });
}

void ReadStep::read_all(const std::string& table, const Slice& rows, std::vector<ReadColumn> columns) const {
  read_together(*state_->reader, [&](Execution& execution) { read_slice(*state_, execution, table, rows, columns); });
}

void ReadStep::read_all(const std::string& table, const RowSelection& rows, std::vector<ReadColumn> columns) const {
  read_together(*state_->reader,
                [&](Execution& execution) { read_selected(*state_, execution, table, rows, columns); });
}

void ReadStep::read_field_all(const std::string& field, const Selection& selection, std::vector<View> components,
                              const MemorySelection& memory) const {
  read_together(*state_->reader, [&](Execution& execution) {
    read_field_selection(*state_, execution, field, selection, components, memory);
  });
}

void ReadStep::refuse_read(const Error& why) const {
  read_together(*state_->reader, [&](Execution& execution) {
    run_planned(*state_->reader, execution, [&]() -> NextReads { throw Error(why); });
  });
  throw Error(ErrorKind::internal, "a refusal was not thrown").in_file(state_->reader->path);
}

std::vector<Extent> ReadStep::plan(const std::string& table, const Slice& rows,
                                   const std::vector<std::string>& columns) const {
  return in_file(*state_->reader, [&] {
    const std::size_t index = state_->find_table(table);
    const Table& source = description().tables[index];
    std::vector<ColumnTarget> targets;
    std::vector<PackedStrings> strings(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::size_t column = state_->find_column(index, columns[c]);
      const Type type = source.columns[column].type;
      const auto stride = static_cast<std::ptrdiff_t>(size_of(type));
      const View view = type == Type::string ? View(strings[c], rows.count) : View(type, nullptr, rows.count, stride);
      targets.push_back({column, view});
    }
    ReadPlan plan;
    add_rows(plan, state_->whole().tables[index], rows, targets, state_->reader->options.lossy);
    coalesce(plan);
    return extents_of(plan);
  });
}

Location ReadStep::locate(const std::string& table, const std::string& column) const {
  return in_file(*state_->reader, [&] {
    const std::size_t index = state_->find_table(table);
    const Table& source = description().tables[index];
    return location_of(*state_->reader, state_->whole().tables[index], state_->find_column(index, column), source.rows);
  });
}

Location ReadStep::locate_field(const std::string& field, std::uint64_t component) const {
  return in_file(*state_->reader, [&] {
    const std::size_t index = state_->find_field(field);
    const Field& source = description().fields[index];
    if (component >= source.components) {
      throw Error(ErrorKind::usage, "the field has " + std::to_string(source.components) + " components").on(field);
    }
    return location_of(*state_->reader, state_->layout.fields[index], component, volume(source.extents));
  });
}

}  // namespace quire
